import { UserError } from '../util/user-error.ts';

/** The error of a check that can't run. The message gives the reason and a remedy. */
export class CheckError extends UserError {
  override readonly name: string = 'CheckError';
}

/** The error of a check whose command line is invalid. */
export class CheckUsageError extends CheckError {
  override readonly name = 'CheckUsageError';
}

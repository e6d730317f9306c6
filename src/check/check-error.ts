import { UserError } from '../util/user-error.ts';

/** Thrown if a check can't run. The message gives the reason and a remedy. */
export class CheckError extends UserError {
  override readonly name: string = 'CheckError';
}

/** Thrown if the command line of a check is invalid. */
export class CheckUsageError extends CheckError {
  override readonly name = 'CheckUsageError';
}

import { UserError } from '../util/user-error.ts';

/** The error of a check that can't run. The message gives the reason and a remedy. */
export class CheckError extends UserError {
  override readonly name = 'CheckError';
  /** Whether the cause is an invalid command line. */
  readonly isMisuse: boolean;

  constructor(message: string, { isMisuse = false, ...options }: ErrorOptions & { readonly isMisuse?: boolean } = {}) {
    super(message, options);
    this.isMisuse = isMisuse;
  }
}

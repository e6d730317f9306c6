/**
 * An error that the user can fix, such as an invalid option.
 * The message says what is wrong and what to do.
 * The command line prints it without a stack trace.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/**
 * An error that the user can fix, such as an invalid option. The command line prints the message without a stack trace. The message contains the reason and the
 * remedy.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

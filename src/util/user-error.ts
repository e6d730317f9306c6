/** An error that is not a bug of storefront. The command line prints it without a stack trace. The message contains the reason and the remedy. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

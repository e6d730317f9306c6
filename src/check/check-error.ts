/** A check that can't be made, or not so: `message` says why, and what to do. */
export class CheckError extends Error {
  override readonly name = 'CheckError';
  /** Whether it is the command line that asks for what can't be. */
  readonly isMisuse: boolean;

  constructor(message: string, { isMisuse = false, ...options }: ErrorOptions & { readonly isMisuse?: boolean } = {}) {
    super(message, options);
    this.isMisuse = isMisuse;
  }
}

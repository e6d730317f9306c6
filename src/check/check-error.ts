/** The error of a check that can't run; its message says why and what to do. */
export class CheckError extends Error {
  override readonly name = 'CheckError';
  /** Whether the command line is wrong. */
  readonly isMisuse: boolean;

  constructor(message: string, { isMisuse = false, ...options }: ErrorOptions & { readonly isMisuse?: boolean } = {}) {
    super(message, options);
    this.isMisuse = isMisuse;
  }
}

/** An error that a check finds in a document. */
export interface DocumentFinding {
  readonly check: 'lint' | 'examples' | 'names' | 'limits';
  /** The JSON Pointer of the place. */
  readonly pointer: string;
  /** A sentence that describes the error. */
  readonly message: string;
}

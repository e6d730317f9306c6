/** Something that isn't right in a document. */
export interface DocumentFinding {
  readonly check: 'lint' | 'examples' | 'names' | 'limits';
  /** JSON Pointer of the place. */
  readonly pointer: string;
  /** What is wrong, a sentence. */
  readonly message: string;
}

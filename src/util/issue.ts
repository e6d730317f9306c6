/** One thing that is wrong with data or a document. */
export interface Issue {
  /** Where it is (JSON Pointer, RFC 6901). */
  readonly pointer: string;
  /** What is wrong, and how to fix it: the end of a sentence that begins with the place. */
  readonly message: string;
  /** The rule that is broken, by the name of a JSON Schema keyword if there is one. */
  readonly rule?: string;
}

/** An error in data or in a document. */
export interface Issue {
  /** The location of the error (JSON Pointer, RFC 6901). */
  readonly pointer: string;
  /** The problem and its remedy: the end of a sentence that begins with the location. */
  readonly message: string;
  /** The violated rule: the name of a JSON Schema keyword, or a similar name. */
  readonly rule?: string;
  /** The remedy of the error: the part of the message after the colon. */
  readonly remedy?: string;
}

/** The parts of an issue without its location. `problem` is the part of the message before the colon, such as `is not a number`. */
export type IssueParts = Required<Pick<Issue, 'rule' | 'remedy'>> & { readonly problem: string };

/**
 * Validates a value against a schema of a contract, without additional properties. `schema`: the name of a component schema. Returns the issues; an empty list
 * if the value is valid. Can add the default values of the schema to the value.
 */
export type DataValidator = (schema: string, value: unknown) => readonly Issue[];

/** Creates an issue. `pointer` is the location of the error (JSON Pointer). */
export function createIssue(pointer: string, { rule, problem, remedy }: IssueParts): Issue {
  return { pointer, message: `${problem}: ${remedy}`, rule, remedy };
}

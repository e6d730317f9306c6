/** One thing that is wrong with data or a document. */
export interface Issue {
  /** Where it is (JSON Pointer, RFC 6901). */
  readonly pointer: string;
  /** What is wrong, and how to fix it: the end of a sentence that begins with the place. */
  readonly message: string;
  /** The rule that is broken, by the name of a JSON Schema keyword if there is one. */
  readonly rule?: string;
  /** How to fix it, a clause: the end of the message. */
  readonly remedy?: string;
}

/** What is wrong, as the predicate of a sentence about the place, the rule that is broken, and how to fix it, as a clause. */
export type IssueParts = Required<Pick<Issue, 'rule' | 'remedy'>> & { readonly problem: string };

/** Creates an issue at a place (JSON Pointer). */
export function createIssue(pointer: string, { rule, problem, remedy }: IssueParts): Issue {
  return { pointer, message: `${problem}: ${remedy}`, rule, remedy };
}

import { parsePointer } from './json-pointer.ts';
import { limitList } from './text.ts';

/** A validation error in data or in a document. */
export interface Issue {
  /** The JSON Pointer to the invalid value (RFC 6901). */
  readonly pointer: string;
  /**
   * The problem and its remedy, such as `is not a number: use a number`.
   * The text continues a sentence that begins with the location of the value.
   */
  readonly message: string;
  /** The broken rule: the name of a JSON Schema keyword, such as `minimum`, or a similar name. */
  readonly rule?: string;
  /** What to do about the error: the part of the message after the colon. */
  readonly remedy?: string;
}

/**
 * The parts of an issue without its location.
 * `problem`: the part of the message before the colon, such as `is not a number`.
 */
export type IssueParts = Required<Pick<Issue, 'rule' | 'remedy'>> & { readonly problem: string };

/**
 * Validates a value against a schema of a contract.
 * Returns the validation errors.
 * Rejects additional properties.
 * May add the default values of the schema to the value.
 * `schema`: the name of a schema in `components.schemas`.
 */
export type DataValidator = (schema: string, value: unknown) => readonly Issue[];

/** Creates an issue (a validation error). `pointer`: the JSON Pointer to the invalid value. */
export function createIssue(pointer: string, { rule, problem, remedy }: IssueParts): Issue {
  return { pointer, message: `${problem}: ${remedy}`, rule, remedy };
}

/** The maximum number of issues in an error message. */
const MAX_ISSUES = 5;

/**
 * Describes validation issues in one sentence.
 * The sentence contains the path of each invalid value, such as `users.0.name`.
 */
export function describeIssues(issues: readonly Issue[], part?: string): string {
  const prefix = part === 'query' ? 'query parameter ' : '';
  const describe = ({ pointer, message }: Issue) =>
    `${prefix}${parsePointer(pointer).join('.') || 'the body'} ${message}`;
  return limitList(issues, MAX_ISSUES, describe).join('; ');
}

/**
 * An error that the user can fix, such as an invalid option.
 * The message says what is wrong and what to do.
 * The command line prints it without a stack trace.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  /** Why the error is thrown, if the server handles it in its own way. */
  readonly reason: UserErrorReason | undefined;

  constructor(
    message: string,
    { reason, ...options }: ErrorOptions & { readonly reason?: UserErrorReason | undefined } = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * `data-file`: a data file can't be used.
 * `truncated-file`: a data file is empty or not JSON, for example because a crash interrupted the write.
 * `other-contract`: none of the lists in a data file is a collection of the current contract.
 * `endless-schema`: a schema requires endlessly nested values, or more than the limits of a generated value.
 * `contract`: a contract can't be read or served.
 * `usage`: the command line of a check is invalid.
 */
type UserErrorReason = 'data-file' | 'truncated-file' | 'other-contract' | 'endless-schema' | 'contract' | 'usage';

import type { Issue } from '../util/issue.ts';

/** The codes of the control API's problems, beside violations of its contract. */
export type ControlCode =
  | 'unknown-sandbox'
  | 'unknown-snapshot'
  | 'unknown-fault'
  | 'unknown-operation'
  | 'contract-conflict'
  | 'invalid-fault'
  | 'invalid-matcher'
  | 'default-sandbox'
  | 'invalid-state'
  | 'state-too-large'
  | 'built-in-snapshot'
  | 'limit-reached';

/** Thrown when the control API refuses a valid request. `message` has the remedy. */
export class ControlProblemError extends Error {
  override readonly name = 'ControlProblemError';
  readonly code: ControlCode;
  /** The issues in the request. */
  readonly issues: readonly Issue[];

  constructor(code: ControlCode, detail: string, issues: readonly Issue[] = []) {
    super(detail);
    this.code = code;
    this.issues = issues;
  }
}

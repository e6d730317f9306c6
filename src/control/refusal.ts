import type { Issue } from '../util/issue.ts';

/** Why control declines a request that keeps its contract. */
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

/** Control declines: `message` is a sentence with the remedy. */
export class ControlProblemError extends Error {
  override readonly name = 'ControlProblemError';
  readonly code: ControlCode;
  /** What keeps what was sent from being what is wanted. */
  readonly flaws: readonly Issue[];

  constructor(code: ControlCode, detail: string, flaws: readonly Issue[] = []) {
    super(detail);
    this.code = code;
    this.flaws = flaws;
  }
}

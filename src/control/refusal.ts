import type { Flaw } from '../store/check-state.ts';

/** Why control declines a request that keeps its contract. */
export type ControlCode =
  | 'unknown-sandbox'
  | 'unknown-snapshot'
  | 'unknown-fault'
  | 'not-a-fault'
  | 'not-a-condition'
  | 'default-sandbox'
  | 'not-a-state'
  | 'not-a-moment'
  | 'ready-made'
  | 'too-many';

/** Control declines: `message` is a sentence with the remedy. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal';
  readonly code: ControlCode;
  /** What keeps what was sent from being what is wanted. */
  readonly flaws: readonly Flaw[];

  constructor(code: ControlCode, detail: string, flaws: readonly Flaw[] = []) {
    super(detail);
    this.code = code;
    this.flaws = flaws;
  }
}

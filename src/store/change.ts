import type { State } from './state.ts';

/** The result of a change. `next`: the next state, or undefined if the state stays the same. `result`: the value that the caller of the change gets. */
export interface ChangeResult<Result, S extends State = State> {
  readonly next?: S;
  readonly result: Result;
}

/** A pure function that computes the next state from the current state and the time (ms since 1970). If the function throws, the state does not change. */
export type Change<Result, S extends State = State> = (state: S, nowMs: number) => ChangeResult<Result, S>;

/** A change that is not committed yet, with the functions that settle the promise of its caller. */
export interface PendingChange<S extends State> {
  readonly change: Change<unknown, S>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Applies changes to a state, one after the other. Returns the next state and `settleAll`, a list of functions. Call all of these functions after the commit:
 * each of them resolves or rejects the promise of one caller. `nowMs`: the time, in ms since 1970.
 */
export function runChanges<S extends State>(state: S, batch: readonly PendingChange<S>[], nowMs: number) {
  let next = state;
  const settleAll = batch.map(({ change, resolve, reject }) => {
    try {
      const changed = change(next, nowMs);
      next = changed.next ?? next;
      return () => resolve(changed.result as never);
    } catch (reason) {
      return () => reject(reason);
    }
  });
  return { state: next, settleAll };
}

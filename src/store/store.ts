import { setImmediate } from 'node:timers/promises';
import { type Backend, StateTooLargeError } from './backend.ts';
import type { Snapshot, State } from './state.ts';

/** What a change makes of a state: the next state, absent where it stays as it is, and the result for the caller. */
export interface Changed<Result> {
  readonly next?: State;
  readonly result: Result;
}

/** A pure function of the state and the time (ms since 1970). One that throws changes nothing and fails its own caller only. */
export type Change<Result> = (state: State, nowMs: number) => Changed<Result>;

/** One shop's state: what changes of a shop changes in here. */
export interface Store {
  /** The committed state: what a change in the making will bring is not seen. */
  read(): Snapshot;
  /**
   * The change's result, once what it changed is committed; changes are done one after the other in the order of the calls. Rejects with
   * `StoreUnavailableError` where nothing can be stored at the moment, with `StateTooLargeError` where this change makes the state too large.
   */
  update<Result>(change: Change<Result>): Promise<Result>;
  /** Puts the default state in place, in turn with the changes. */
  reset(): Promise<void>;
  /** Takes over what somebody else has put where the state is kept, where it holds; each change is made over that. */
  takeOver(): Promise<void>;
  /** Waits for the changes begun; later ones are refused with `StoreUnavailableError`. Closing twice is closing once. */
  close(): Promise<void>;
}

/** What a store is made of. */
export interface StoreParts {
  readonly backend: Backend;
  /** The state at the start, as the backend has it. */
  readonly initial: State;
  /** The default state; asked for at each reset, so that it may follow its file. Throws where it can't be had, which fails the reset. */
  readonly defaults: () => State;
  /** The time, in ms since 1970. */
  readonly nowMs: () => number;
}

/** The state could not be changed: nothing was, neither in memory nor where it is kept. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** A change that waits for its turn. */
interface Waiting {
  readonly change: Change<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A store that commits in batches: all changes that wait are folded over the committed state, committed once, and only then
 * answered. So memory is never ahead of the backend, and fifty callers cost one commit.
 */
export function createStore({ backend, initial, defaults, nowMs }: StoreParts): Store {
  let committed: Snapshot = { state: initial, revision: 0 };
  let waiting: Waiting[] = [];
  let draining: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  /** Commits what waits, and then what came meanwhile. */
  async function drain(): Promise<void> {
    do {
      // The requests that arrive in one turn of the event loop are handled one by one. A commit that never waits for the disk would otherwise be
      // done before the second one is read.
      await setImmediate();
      const edited = await backend.edited();
      if (edited) become(edited);
      const batch = waiting;
      waiting = [];
      if (batch.length > 0) await commitOrReject(batch);
    } while (waiting.length > 0);
    draining = undefined;
  }

  /** Halves a batch that makes the state too large, so that only the changes that do so are rejected. */
  async function commitOrReject(batch: readonly Waiting[]): Promise<void> {
    try {
      await commit(batch);
    } catch (reason) {
      if (reason instanceof StateTooLargeError && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await commitOrReject(batch.slice(0, middle));
        await commitOrReject(batch.slice(middle));
      } else for (const { reject } of batch) reject(reason);
    }
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const { state: next, answers } = fold(committed.state, batch, nowMs());
    if (next !== committed.state) {
      await backend.commit(next).catch((cause) => {
        if (cause instanceof StateTooLargeError) throw cause;
        throw new StoreUnavailableError(`the change could not be stored (${cause.message}), so nothing was changed`, {
          cause,
        });
      });
      become(next);
    }
    for (const answer of answers) answer();
  }

  function become(state: State): void {
    committed = { state, revision: committed.revision + 1 };
  }

  function update<Result>(change: Change<Result>): Promise<Result> {
    if (closing) return Promise.reject(new StoreUnavailableError('the server is stopping, so nothing was changed'));
    return new Promise((resolve, reject) => {
      waiting.push({ change, resolve, reject });
      draining ??= drain();
    });
  }

  return {
    read: () => committed,
    update,
    reset: () => update(() => ({ next: defaults(), result: undefined })),
    takeOver() {
      if (!closing) draining ??= drain();
      return Promise.resolve(draining);
    },
    close() {
      closing ??= Promise.resolve(draining).then(() => backend.close());
      return closing;
    },
  };
}

/** The state after all changes of a batch, and how each of its callers is answered once that state is committed. */
function fold(state: State, batch: readonly Waiting[], nowMs: number) {
  let next = state;
  const answers = batch.map(({ change, resolve, reject }) => {
    try {
      const changed = change(next, nowMs);
      next = changed.next ?? next;
      return () => resolve(changed.result as never);
    } catch (reason) {
      return () => reject(reason);
    }
  });
  return { state: next, answers };
}

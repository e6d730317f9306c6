import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Change, ChangeResult } from './backend.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';

/**
 * Runs a handler, and stores all its changes in one commit, which it shares with other requests.
 * Resolves or rejects as the handler does, after the commit.
 * `addKey`: adds the key of the request to the commit.
 * The handler runs again if its results do not apply to the state that the commit changes.
 */
export async function handleInTransaction<Result>(
  store: Store,
  handle: (store: Store) => Promise<Result>,
  addKey: (result: Result) => void,
): Promise<Result> {
  const transaction = new Transaction(store, handle, addKey);
  await transaction.started;
  // A handler that throws before its first change needs no commit.
  while (!transaction.hasFailed && !(await store.transact(transaction.apply))) await transaction.ended;
  return transaction.handled;
}

/** A change that was applied, and what the handler got: a result or an error. */
interface AppliedChange {
  readonly change: Change<unknown>;
  readonly outcome: { readonly result: unknown } | { readonly error: unknown };
}

/** A change of the handler that is not applied yet. */
interface WaitingChange {
  readonly change: Change<unknown>;
  readonly settle: (outcome: AppliedChange['outcome']) => void;
}

/**
 * A handler that runs, and its changes.
 * The first change waits for the batch of changes that the store commits next.
 * There, the handler gets the result and usually ends at once, so that the batch contains its changes and its key.
 * If the handler waits for something else, the batch is committed without it.
 */
class Transaction<Result> {
  handled: Promise<Result>;
  /** Resolves when the handler has ended, even if it failed. */
  ended: Promise<void>;
  /** Resolves at the first change of the handler, or at its end. */
  readonly started: Promise<void>;
  hasFailed = false;
  #hasEnded = false;
  #start = () => {};
  #waiting: WaitingChange[] = [];
  #applied: AppliedChange[] = [];
  /** The state to which the changes were applied, and the state after them. Undefined before the first attempt. */
  #base: State | undefined;
  #state: State | undefined;
  /** The time of the changes, in ms since 1970. */
  #nowMs = 0;
  #hasReadChanges = false;
  #onReset = () => {};

  constructor(
    private readonly original: Store,
    private readonly handle: (store: Store) => Promise<Result>,
    private readonly addKey: (result: Result) => void,
  ) {
    const changed = new Promise<void>((resolve) => {
      this.#start = resolve;
    });
    [this.handled, this.ended] = this.#run();
    this.started = Promise.race([changed, this.ended]);
  }

  /**
   * Applies the changes to a state, as a part of a batch.
   * Resolves to a `result` of false if the handler is still running: then nothing is changed.
   * `nowMs`: the time, in ms since 1970.
   */
  readonly apply = async (state: State, nowMs: number): Promise<ChangeResult<boolean>> => {
    if (this.#base === undefined) [this.#nowMs, this.#state] = [nowMs, state];
    else if (!this.#hasEnded) return { result: false };
    else if (state !== this.#base && !this.#repeat(state)) this.#runAgain(state, nowMs);
    this.#base = state;
    this.#applyWaiting();
    // A handler that waits for nothing else ends before the next turn of the event loop.
    await Promise.race([this.ended, setImmediate()]);
    if (this.hasFailed || !this.#hasEnded) return { result: this.#hasEnded };
    this.#onReset();
    this.addKey(await this.handled);
    return this.#state && this.#state !== state ? { next: this.#state, result: true } : { result: true };
  };

  #run(): [handled: Promise<Result>, ended: Promise<void>] {
    const handled = this.handle(this.#createStore(this.original));
    const end = (hasFailed: boolean) => () => {
      this.hasFailed = hasFailed;
      this.#hasEnded = true;
    };
    return [handled, handled.then(end(false), end(true))];
  }

  #runAgain(state: State, nowMs: number): void {
    this.hasFailed = false;
    this.#hasEnded = false;
    this.#applied = [];
    this.#state = state;
    this.#nowMs = nowMs;
    this.#hasReadChanges = false;
    this.#onReset = () => {};
    [this.handled, this.ended] = this.#run();
  }

  #createStore(store: Store): Store {
    const update = <Changed>(change: Change<Changed>) =>
      new Promise<Changed>((resolve, reject) => {
        const settle: WaitingChange['settle'] = (outcome) =>
          'error' in outcome ? reject(outcome.error) : resolve(outcome.result as Changed);
        this.#waiting.push({ change, settle });
        this.#start();
        this.#applyWaiting();
      });
    return {
      ...store,
      update,
      read: () => {
        const committed = store.read();
        if (!this.#state) return committed;
        this.#hasReadChanges = true;
        return { ...committed, state: this.#state };
      },
      reset: (onApply = () => {}) => {
        this.#onReset = onApply;
        return update(() => ({ next: store.getDefaults(), result: undefined }));
      },
    };
  }

  /** Applies the changes that wait, if an attempt has started. */
  #applyWaiting(): void {
    if (!this.#state) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { change, settle } of waiting) {
      const { next, outcome } = applyChange(this.#state, change, this.#nowMs);
      this.#state = next;
      this.#applied.push({ change, outcome });
      settle(outcome);
    }
  }

  /** Applies the same changes to another state. Returns whether the handler would have got the same results. */
  #repeat(state: State): boolean {
    if (this.#hasReadChanges) return false;
    this.#state = state;
    return this.#applied.every(({ change, outcome }) => {
      const again = applyChange(this.#state ?? state, change, this.#nowMs);
      this.#state = again.next;
      return isDeepStrictEqual(again.outcome, outcome);
    });
  }
}

function applyChange(state: State, change: Change<unknown>, nowMs: number) {
  try {
    const { next = state, result } = change(state, nowMs);
    return { next, outcome: { result } };
  } catch (error) {
    return { next: state, outcome: { error } };
  }
}

import { setImmediate } from 'node:timers/promises';
import type { State } from '../../../src/shop/state.ts';
import type { Backend } from '../../../src/store/backend.ts';

/** A running commit. It ends when the test calls `finish` or `fail`. */
export interface HeldCommit {
  readonly state: State;
  finish(): void;
  fail(reason: Error): void;
}

/** A backend whose commits end when the test decides. */
export interface HeldBackend extends Backend<State> {
  /** The number of commits that have started. */
  readonly begun: number;
  readonly isClosed: boolean;
  /** Replaces the stored state, as an edit of the data file by another program does. */
  edit(state: State): void;
  /** Waits until a commit has started, and resolves to it. `number`: 1 for the first commit. */
  commitNumber(number: number): Promise<HeldCommit>;
}

/** Creates a backend whose commits end when the test decides. `maxGatherMs`: how long a commit can be delayed to include further changes, in ms. */
export function createHeldBackend(maxGatherMs = 0): HeldBackend {
  const commits: HeldCommit[] = [];
  let isClosed = false;
  let edited: State | undefined;
  return {
    maxGatherMs,
    get begun() {
      return commits.length;
    },
    get isClosed() {
      return isClosed;
    },
    commit: (state) =>
      new Promise((finish, fail) => {
        commits.push({ state, finish, fail });
      }),
    edit(state) {
      edited = state;
    },
    async findEdit() {
      const state = edited;
      edited = undefined;
      return state;
    },
    async flush() {},
    async close() {
      isClosed = true;
    },
    async commitNumber(number) {
      for (;;) {
        const commit = commits[number - 1];
        if (commit) return commit;
        await settlePendingWork();
      }
    },
  };
}

/** Waits until all pending work is done, except work that waits for the disk or a timer. */
export async function settlePendingWork(): Promise<void> {
  await setImmediate();
}

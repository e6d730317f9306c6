import { setImmediate } from 'node:timers/promises';
import type { State } from '../../../src/shop/state.ts';
import type { Backend } from '../../../src/store/backend.ts';

/** A commit in progress, which ends when the test decides. */
export interface HeldCommit {
  readonly state: State;
  finish(): void;
  fail(reason: Error): void;
}

/** A backend like a disk whose every write the test controls. */
export interface HeldBackend extends Backend<State> {
  /** The number of commits started so far. */
  readonly begun: number;
  readonly isClosed: boolean;
  /** Replaces the stored state, like an external edit. */
  edit(state: State): void;
  /** Resolves with the commit of this number, counted from 1, when it has started. */
  commitNumber(number: number): Promise<HeldCommit>;
}

/** `maxGatherMs`: how long a commit may wait for further changes; 0 by default. */
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

/** Resolves when everything that does not wait for the disk is done. */
export async function settlePendingWork(): Promise<void> {
  await setImmediate();
}

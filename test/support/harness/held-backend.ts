import { setImmediate } from 'node:timers/promises';
import type { Backend } from '../../../src/store/backend.ts';
import type { State } from '../../../src/store/state.ts';

/** A commit that was begun, and that ends when the test says so. */
export interface HeldCommit {
  readonly state: State;
  finish(): void;
  fail(reason: Error): void;
}

/** A backend that stands for a disk whose every write the test holds back. */
export interface HeldBackend extends Backend {
  /** How many commits were begun so far. */
  readonly begun: number;
  readonly isClosed: boolean;
  /** Has somebody else put a state where the last one was kept. */
  edit(state: State): void;
  /** The commit that was begun as the `number`-th, counted from 1; waits for it. */
  commitNumber(number: number): Promise<HeldCommit>;
}

export function heldBackend(): HeldBackend {
  const commits: HeldCommit[] = [];
  let isClosed = false;
  let edited: State | undefined;
  return {
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
    async edited() {
      const state = edited;
      edited = undefined;
      return state;
    },
    async close() {
      isClosed = true;
    },
    async commitNumber(number) {
      for (;;) {
        const commit = commits[number - 1];
        if (commit) return commit;
        await settled();
      }
    },
  };
}

/** Resolves once all that could go on without the disk has gone on. */
export async function settled(): Promise<void> {
  await setImmediate();
}

import { expect, onTestFinished, vi } from 'vitest';
import { createClock } from '../../../src/sandbox/clock-and-ids.ts';
import { Sandboxes } from '../../../src/sandbox/registry.ts';
import type { SandboxesParts } from '../../../src/sandbox/sandbox.ts';
import type { State } from '../../../src/shop/state.ts';
import { createMemoryBackend } from '../../../src/store/backend.ts';
import { createStore } from '../../../src/store/store.ts';
import { defaults } from '../fixtures/default-data.ts';
import { PRODUCT_IDS } from '../fixtures/states.ts';
import { NOW_MS } from './start-storefront.ts';

/** The time after which an unused sandbox expires, in ms, and the maximum number of sandboxes. */
export const HOUR_MS = 3_600_000;
export const MAX_SANDBOXES = 10_000;

/** Matches the error for a state that exceeds a limit. */
export const STATE_TOO_LARGE = expect.objectContaining({
  problem: expect.objectContaining({ code: 'insufficient-storage' }),
});

/** Creates the registry of sandboxes without a server. `pass` advances its clock. `parts`: dependencies that differ from the default. */
export function createTestRegistry(parts: Partial<SandboxesParts<State>> = {}): {
  sandboxes: Sandboxes<State>;
  logLines: string[];
  pass(ms: number): void;
} {
  let atMs = NOW_MS;
  const logLines: string[] = [];
  const base = { nowMs: () => atMs, newId: () => PRODUCT_IDS[0] ?? '' };
  const store = createStore({
    backend: createMemoryBackend<State>(),
    initial: defaults,
    defaults: () => defaults,
    nowMs: base.nowMs,
  });
  const sandboxes = new Sandboxes({
    ...base,
    elapsedMs: base.nowMs,
    default: { store, clock: createClock(base.nowMs) },
    defaults: () => defaults,
    areDeclared: false,
    log: (message) => logLines.push(message),
    ...parts,
  });
  onTestFinished(() => sandboxes.close());
  return {
    sandboxes,
    logLines,
    pass(ms) {
      atMs += ms;
      if (vi.isFakeTimers()) vi.advanceTimersByTime(ms);
    },
  };
}

/** Returns the ids of all sandboxes in the registry, in the order of its list. */
export const listIds = (sandboxes: Pick<Sandboxes<State>, 'list'>) => sandboxes.list().map(({ id }) => id);

import { onTestFinished, vi } from 'vitest';
import { createClock } from '../../../src/sandbox/clock.ts';
import { createSandboxes, type Sandboxes, type SandboxesParts } from '../../../src/sandbox/registry.ts';
import { memoryBackend } from '../../../src/store/backend.ts';
import { createStore } from '../../../src/store/store.ts';
import { defaults } from '../fixtures/default-data.ts';
import { PRODUCT_IDS } from '../fixtures/states.ts';
import { NOW_MS } from './start-storefront.ts';

/** How long an unused sandbox is kept, in ms, and how many sandboxes there may be. */
export const HOUR_MS = 3_600_000;
export const MOST = 10_000;

/** Sandboxes without a server, over a clock of the test's. */
export function sandboxesWith(parts: Partial<SandboxesParts> = {}): {
  sandboxes: Sandboxes;
  told: string[];
  pass(ms: number): void;
} {
  let atMs = NOW_MS;
  const told: string[] = [];
  const base = { nowMs: () => atMs, newId: () => PRODUCT_IDS[0] ?? '' };
  const store = createStore({
    backend: memoryBackend(),
    initial: defaults,
    defaults: () => defaults,
    nowMs: base.nowMs,
  });
  const sandboxes = createSandboxes({
    ...base,
    elapsedMs: base.nowMs,
    default: { store, clock: createClock(base.nowMs) },
    defaults: () => defaults,
    areDeclared: false,
    tell: (message) => told.push(message),
    ...parts,
  });
  onTestFinished(() => sandboxes.close());
  return {
    sandboxes,
    told,
    pass(ms) {
      atMs += ms;
      if (vi.isFakeTimers()) vi.advanceTimersByTime(ms);
    },
  };
}

/** The ids of all sandboxes, as they are listed. */
export const idsOf = (sandboxes: Sandboxes) => sandboxes.list().map(({ id }) => id);

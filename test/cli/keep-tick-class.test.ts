import { executionAsyncResource } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { keepTickClass } from '../../src/cli/keep-tick-class.ts';

describe('keepTickClass', () => {
  it('keeps the hidden class of the entries in the queue of nextTick through a garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    setFlagsFromString('--allow-natives-syntax');
    const collectGarbage = runInNewContext('gc');
    const haveSameClass = runInNewContext('(a, b) => %HaveSameMap(a, b)');
    const kept = new WeakRef((await keepTickClass()) ?? {});
    // The target of a WeakRef stays in memory until the end of the turn in which it was read.
    await setImmediate();
    collectGarbage();

    const later = await new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource())));
    expect(haveSameClass(kept.deref(), later)).toBe(true);
  });
});

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurnQueue } from '../../src/util/slices.ts';

it('a turn queue runs its tasks in order, one in each turn of the event loop', async () => {
  const queue = createTurnQueue();
  const done: string[] = [];
  for (const name of ['a', 'b', 'c']) queue(() => void done.push(name));
  const counts: number[] = [done.length];
  while (done.length < 3) {
    await setImmediate();
    counts.push(done.length);
  }
  expect([done, counts]).toEqual([
    ['a', 'b', 'c'],
    [0, 1, 2, 3],
  ]);
});

it('a turn queue runs a task that another task adds', async () => {
  const queue = createTurnQueue();
  const done = await new Promise((resolve) => queue(() => queue(() => resolve('second'))));
  expect(done).toBe('second');
});

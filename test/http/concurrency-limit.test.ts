import { expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../src/http/control/concurrency-limit.ts';

it('A concurrency limit runs two tasks at once and the others in the order of the calls, even if a task fails', async () => {
  const limit = createConcurrencyLimit(2);
  const started: number[] = [];
  const finish: ((failed: boolean) => void)[] = [];
  const task = (n: number) => () =>
    new Promise<number>((resolve, reject) => {
      started.push(n);
      finish[n] = (failed) => (failed ? reject(new Error(`${n}`)) : resolve(n));
    });
  const results = Promise.allSettled([0, 1, 2, 3].map((n) => limit(task(n))));
  expect(started).toEqual([0, 1]);
  finish[1]?.(true);
  await expect.poll(() => started).toEqual([0, 1, 2]);
  finish[0]?.(false);
  await expect.poll(() => started).toEqual([0, 1, 2, 3]);
  finish[2]?.(false);
  finish[3]?.(false);
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  const after = limit(task(4));
  finish[4]?.(false);
  expect(await after).toBe(4);
});

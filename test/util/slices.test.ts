import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runAtOnce, runInSlices, type Steps, sortInSteps, splitList } from '../../src/util/slices.ts';

/** Work for this number of ms. */
function* workFor(ms: number): Steps<string> {
  for (const end = performance.now() + ms; performance.now() < end; ) yield;
  return 'done';
}

describe('runInSlices', () => {
  it('resolves to the result', async () => {
    expect(await runInSlices(workFor(0))).toBe('done');
  });

  it('rejects with the error of a step', async () => {
    const failing = (function* (): Steps<void> {
      yield;
      throw new Error('step 2');
    })();
    await expect(runInSlices(failing)).rejects.toThrow('step 2');
  });

  it('lets the server handle events between two slices', async () => {
    let turns = 0;
    const count = () => {
      if (++turns < 3) setImmediate(count);
    };
    setImmediate(count);
    const waiting = (function* (): Steps<void> {
      for (const end = performance.now() + 10_000; turns < 3 && performance.now() < end; ) yield;
    })();
    await runInSlices(waiting);
    expect(turns).toBe(3);
  });

  it('does one slice in a turn, however much work there is', async () => {
    const starts: number[] = [];
    let turn = 0;
    const count = () => {
      turn++;
      if (starts.length < 10) setImmediate(count);
    };
    setImmediate(count);
    const mark = function* (): Steps<void> {
      starts.push(turn);
      yield;
    };
    await Promise.all(Array.from({ length: 10 }, () => runInSlices(mark())));
    expect(new Set(starts).size).toBe(10);
  });
});

describe('sortInSteps', () => {
  it('sorts like toSorted, and keeps the order of equal values', () => {
    const anyValues = fc.array(fc.record({ key: fc.nat(9), number: fc.nat() }), { maxLength: 5_000, size: 'max' });
    fc.assert(
      fc.property(anyValues, (values) => {
        const compare = (value: { key: number }, other: { key: number }) => value.key - other.key;
        expect(runAtOnce(sortInSteps(values, compare))).toEqual(values.toSorted(compare));
      }),
      { numRuns: 20 },
    );
  });
});

it('splitList returns all entries in their order', () => {
  for (const length of [0, 1, 31, 32, 33, 1_000]) {
    const list = Array.from({ length }, (_, index) => index);
    const parts = [...splitList(list)];
    expect(parts.flatMap(([part]) => part)).toEqual(list);
    expect(parts.every(([part, start]) => part[0] === start)).toBe(true);
  }
});

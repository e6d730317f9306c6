import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explore } from '../../src/check/explore.ts';
import { CheckResults, type Finding } from '../../src/check/findings.ts';
import { shopContract } from '../support/harness/check.ts';

const [route] = shopContract.routes;
const operationId = route?.operationId ?? '';

function finding(rule: string): Finding {
  return { check: 'input', operationId, status: '200', rule, message: rule, pointer: '', exchanges: [] };
}

/** Explores numbers with a function that returns the failure of each number. */
async function exploreNumbers(wrong: (one: number, time: number) => readonly Finding[]) {
  const results = new CheckResults(shopContract.routes);
  let time = 0;
  const examine = async (one: number) => wrong(one, ++time);
  const ending = explore({ fc, results, cases: fc.integer({ min: 0, max: 1_000 }), seed: 1, runs: 50, examine });
  const error = await ending.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return { messages: results.findings.map(({ message }) => message), error };
}

describe('explore', () => {
  it('adds each failure in its smallest form, and searches for others', async () => {
    const { messages, error } = await exploreNumbers((one) => [
      ...(one >= 100 ? [{ ...finding('large'), message: `large ${one}` }] : []),
      ...(one <= 50 ? [{ ...finding('small'), message: `small ${one}` }] : []),
    ]);
    expect([messages.toSorted(), error]).toEqual([['large 100', 'small 0'], undefined]);
  });

  it('keeps the findings if an error stops it, and rejects with the error', async () => {
    const { messages, error } = await exploreNumbers((_, time) => {
      if (time > 1) throw new TypeError('unexpected');
      return [finding('first')];
    });
    expect(messages).toEqual(['first']);
    expect(error?.message).toBe('unexpected');
  });
});

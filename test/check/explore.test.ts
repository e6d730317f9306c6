import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explore } from '../../src/check/explore.ts';
import { CheckResults, type Finding } from '../../src/check/findings.ts';
import { shopContract } from '../support/harness/check.ts';

const [route] = shopContract.routes;
const operationId = route?.operationId ?? '';

function finding(title: string): Finding {
  return {
    check: 'input',
    operationId,
    status: '200',
    rule: 'model',
    title,
    message: title,
    pointer: '',
    exchanges: [],
  };
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

  it('describes a finding by test cases that report it although the results contain it', async () => {
    const results = new CheckResults(shopContract.routes);
    // Like the sequences of the shop, which ignore known findings except the target.
    const examine = async (one: number, target?: Finding) =>
      one >= 100 && (target || !results.has(finding('large')))
        ? [{ ...finding('large'), message: `large ${one}` }]
        : [];
    const describe = async ({ value, finding: smallest }: { value: number; finding: Finding }) => {
      const [again] = await examine(value, smallest);
      return { ...smallest, message: again ? `${again.message}, described` : 'not reproducible' };
    };
    const cases = fc.integer({ min: 0, max: 1_000 });
    await explore({ fc, results, cases, seed: 1, runs: 50, examine, describe });
    expect(results.findings.map(({ message }) => message)).toEqual(['large 100, described']);
  });

  it('keeps a finding that a test case in another sandbox has added meanwhile', async () => {
    const results = new CheckResults(shopContract.routes);
    const examine = async (one: number) => (one >= 100 ? [finding('large')] : []);
    const examineAgain = async (one: number) => {
      results.add({ ...finding('large'), message: 'from the other sandbox' });
      return examine(one);
    };
    const describe = async () => ({ ...finding('large'), message: 'not reproducible' });
    const cases = fc.integer({ min: 0, max: 1_000 });
    await explore({ fc, results, cases, seed: 1, runs: 50, examine, examineAgain, describe });
    expect(results.findings.map(({ message }) => message)).toEqual(['from the other sandbox']);
  });

  it('keeps the findings if an error stops it, and rejects with the error', async () => {
    const { messages, error } = await exploreNumbers((_, time) => {
      if (time > 1) throw new TypeError('unexpected');
      return [finding('first')];
    });
    expect(messages).toEqual(['first']);
    expect(error?.message).toBe('unexpected');
  });

  it.each<[about: string, change: Partial<Finding>]>([
    ['no response in time', { status: 'none', rule: 'model', title: 'responds' }],
    ['a refused valid request', { rule: 'model', title: 'accepts valid requests: body' }],
  ])('names %s as not checked if an error stops it before it is repeated', async (_, change) => {
    const results = new CheckResults(shopContract.routes);
    let time = 0;
    const examine = async () => {
      if (++time > 1) throw new TypeError('the time is up');
      return [{ ...finding('first'), ...change }];
    };
    await explore({ fc, results, cases: fc.nat(), seed: 1, runs: 5, examine }).catch(() => undefined);
    expect([results.findings, results.unchecked.length]).toEqual([[], 1]);
  });
});

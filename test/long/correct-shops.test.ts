import { describe, expect, it, onTestFinished } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { correctShopBehindProxy, type Defect, startDefective } from '../support/planted-defects/planted-defects.ts';
import { startOtherServer } from '../support/reference-servers/other-server.ts';
import { startPlainServer } from '../support/reference-servers/plain-server.ts';

/** The number of seeds. */
const SEEDS = 4;

/** Five times the default of the command: more random requests with one seed need less time than more seeds, each with the same other requests. */
const RUNS = 250;

describe.each([
  ['storefront', () => createStorefront({ host: '127.0.0.1', logTo: { write: () => {} } }), SEEDS],
  ['storefront behind the proxy of the planted defects', () => startDefective(correctShopBehindProxy), 1],
  ['the plain reference server', startPlainServer, SEEDS],
  ['the other reference server', startOtherServer, SEEDS],
] as const)('checkServer for a correct shop, %s,', (_, start, seeds) => {
  it.each(Array.from({ length: seeds }, (_, at) => at + 1))('finds nothing with seed %i', async (seed) => {
    const { url, close } = await start();
    onTestFinished(close);
    const verdict = await runCheck(url, { runs: RUNS, seed });
    expect(formatFindings(verdict.findings)).toEqual([]);
    expect([verdict.model, verdict.notes]).toEqual(['the shop', []]);
  });
});

/** The requests that a shop with a rate limit accepts in a second. */
const MAX_PER_SECOND = 60;

/** Limits the rate of requests, with status 429. */
const limitRate: NonNullable<Defect['tamper']> = () => {
  let startMs = 0;
  let count = 0;
  return async (request, pass) => {
    if (Date.now() - startMs > 1_000) [startMs, count] = [Date.now(), 0];
    if (++count <= MAX_PER_SECOND) return pass(request);
    return { status: 429, headers: [['Retry-After', '1']], body: Buffer.alloc(0) };
  };
};

// Most of the time of these tests is waiting.
it.concurrent.for([1, 2, 3])(
  'checkServer finishes the check of a correct shop that limits the rate, with seed %i',
  async (seed, test) => {
    const { url, close } = await startDefective({ ...correctShopBehindProxy, tamper: limitRate });
    test.onTestFinished(close);
    const { findings, unchecked } = await runCheck(url, { seed });
    test.expect([formatFindings(findings), unchecked]).toEqual([[], []]);
  },
);

import { describe, expect, it, onTestFinished } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { correctShopBehindProxy, startDefective } from '../support/planted-defects/planted-defects.ts';
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

import { describe, expect, it, onTestFinished } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { checked, told } from '../support/harness/check.ts';
import { soundBehindProxy, startDefective } from '../support/planted-defects/planted-defects.ts';
import { startOtherServer } from '../support/reference-servers/other-server.ts';
import { startPlainServer } from '../support/reference-servers/plain-server.ts';

/** As many as the command makes unless it says otherwise. */
const RUNS = 50;

describe.each([
  ['our own', () => createStorefront({ host: '127.0.0.1', logTo: { write: () => {} } }), 20],
  ['our own behind the proxy of the defects', () => startDefective(soundBehindProxy), 3],
  ['plain', startPlainServer, 20],
  ['other', startOtherServer, 20],
] as const)('a correct shop, %s', (_, start, seeds) => {
  it.each(Array.from({ length: seeds }, (_, at) => at + 1))('has nothing found in it with seed %i', async (seed) => {
    const { url, close } = await start();
    onTestFinished(close);
    const verdict = await checked(url, { runs: RUNS, seed });
    expect(told(verdict.findings)).toEqual([]);
    expect([verdict.kind, verdict.notes]).toEqual(['shop', []]);
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultHooks, runDredd } from '../../tools/dredd/dredd.ts';
import { contractFile, documented, getFailures, startShop, writeContract } from '../support/harness/dredd.ts';
import { folderWith } from '../support/harness/folder-with.ts';

/** The content of the response with the payment summary in openapi.yaml. */
const SUMMARY = 'application/json:\n              schema: { $ref: "#/components/schemas/PaymentSummary" }';

describe('a problem of the run itself, which runDredd reports separately,', () => {
  it('is a hook file that cannot be loaded, and then no transaction passes', async () => {
    const folder = await folderWith({ 'hooks.cjs': "throw new Error('not loaded');" });
    const hooks = [join(folder, 'hooks.cjs')];
    const { transactions, errors: faults } = await runDredd({ url: await startShop(), contractFile, hooks });
    expect(faults).toEqual([expect.stringContaining(`${documented.length} transactions ran without hooks`)]);
    expect(transactions.filter(({ isPassed }) => isPassed)).toEqual([]);
  });

  it('is a skipped transaction', async () => {
    const text = "require('hooks').beforeEach((one) => { one.skip = one.origin.actionName === 'GET /api/orders'; });";
    const hooks = [defaultHooks, join(await folderWith({ 'skip.cjs': text }), 'skip.cjs')];
    const { errors: faults } = await runDredd({ url: await startShop(), contractFile, hooks });
    expect(faults).toEqual(['3 transactions were skipped: GET /api/orders 200, …']);
  });

  it.each([
    ['a warning', SUMMARY, SUMMARY.replace('application/json', '"*/*"'), /^dredd's parser warns: .*\*\/\*/],
    ['an error', '  version: 2.0.0', '  version: 2.0', /^dredd stopped: .*'version' is not a string/],
  ])('%s of the parser', async (_what, from, to, message) => {
    const { errors: faults } = await runDredd({ url: await startShop(), contractFile: await writeContract(from, to) });
    expect(faults[0]).toMatch(message);
  });

  it('is a documented response for which dredd creates no transaction', async () => {
    const file = await writeContract('/api/orders/{orderId}:', '/api/orders/{}:');
    const verdict = await runDredd({ url: await startShop(), contractFile: file });
    expect(verdict.errors).toContain(
      `4 of ${documented.length} documented responses were not requested: GET /api/orders/{} 200, …`,
    );
    expect(getFailures(verdict)).toHaveLength(documented.length - 4);
  });

  it('is a documented response that was not tested', async () => {
    const hooks = [defaultHooks, join(await folderWith({ 'lose.cjs': LOSE }), 'lose.cjs')];
    const { errors: faults } = await runDredd({ url: await startShop(), contractFile, hooks });
    expect(faults).toContain(`1 of ${documented.length} documented responses were not requested: POST /api/orders 201`);
  });

  it('a server that is not there', async () => {
    const { transactions, errors: faults } = await runDredd({ url: 'http://127.0.0.1:9', contractFile });
    expect({ transactions, faults }).toEqual({
      transactions: [],
      faults: [expect.stringMatching(/^No server responds at http:\/\/127.0.0.1:9 \(.+\)\. Start it first\.$/)],
    });
  });
});

/** Hooks that delete the result of one transaction. */
const LOSE = `require('hooks').afterEach((one) => {
  if (one.id.startsWith('POST (201) /api/orders')) delete one.test;
});`;

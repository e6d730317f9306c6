import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createApiDocument, createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  schema: { type: 'string' },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
};

it('the check sends another Idempotency-Key with each request if the contract documents the header', async () => {
  const payment = createObject({ id: { type: 'string', readOnly: true }, 'cents!': { type: 'integer', minimum: 1 } });
  const document = JSON.parse(createApiDocument(createResourcePaths('/payments/{id}', payment)));
  document.paths['/payments'].post.parameters = [KEY];
  const contractPath = join(await folderWith({ 'openapi.json': JSON.stringify(document) }), 'openapi.json');
  const { url } = await startStorefront({ contract: contractPath, data: undefined });
  const contract = await loadContract({ path: contractPath, strict: false });
  const { findings, results } = await runCheck(url, { contract, model: undefined, runs: 20, only: ['postPayments'] });
  expect(formatFindings(findings)).toEqual([]);
  expect(results.getCount('input', 'postPayments', '201')?.seen).toBeGreaterThan(10);
});

import { expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createObject, type Paths } from '../support/fixtures/api-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';

const NAME = createObject({ 'name!': { type: 'string' } });
const HABIT = createObject({ 'id!': { type: 'string' }, 'name!': { type: 'string' } });

it('The check finds nothing in operations that document only errors: a 501, and a 404 of a created resource', async () => {
  const paths: Paths = {
    '/habits': { post: { status: 201, request: NAME, response: HABIT } },
    '/habits/{id}': { get: { status: 404 }, delete: { status: 204 } },
    '/export': { post: { status: 501 } },
  };
  const { port } = await startApi({ paths });
  const contract = await loadContract({ path: await writeApi({ paths }), strict: false });
  const verdict = await runCheck(`http://127.0.0.1:${port}`, { contract, model: undefined, isFresh: false });
  expect(formatFindings(verdict.findings)).toEqual([]);
  expect(verdict.results.getStatuses('postExport')).toContain('501');
});

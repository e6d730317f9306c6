import { join } from 'node:path';
import { expect, it } from 'vitest';
import { explain } from '../../src/server/explain.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const PATHS = 4_000;

/** Returns a document with 4,000 paths that end with a parameter, and an operation to read and one to replace an entry for each. */
function createDocument(): string {
  const schema = { type: 'object', properties: { id: { type: 'string' } } };
  const content = { 'application/json': { schema } };
  const responses = { 200: { description: 'OK', content } };
  const parameters = ['a', 'id'].map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const paths = Array.from({ length: PATHS }, (_, index) => [
    `/t${index % 40}/{a}/u${index}/{id}`,
    { parameters, get: { responses }, put: { requestBody: { content }, responses } },
  ]);
  return JSON.stringify({ openapi: '3.0.3', info: { title: 'Test', version: '1' }, paths: Object.fromEntries(paths) });
}

// Comparing each path with all others took 85 s of CPU.
it('The explanation of 4,000 paths with parameters names a resource for each operation', {
  timeout: 120_000,
}, async () => {
  const folder = await folderWith({ 'openapi.json': createDocument() });
  const { text: table } = await explain({ contract: join(folder, 'openapi.json') });
  expect(table).toContain(`${2 * PATHS} operations: ${2 * PATHS} real, 0 mocked`);
});

import { expect, it } from 'vitest';
import { createObject } from '../support/fixtures/api-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Pet = createObject({ id: { type: 'string' } });
const Problem = createObject({ type: { type: 'string' }, title: { type: 'string' } });

it('A documented problem document can have more properties than its schema', async () => {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const found = { description: 'The pet', content: { 'application/json': { schema: Pet } } };
  const missing = { description: 'No pet', content: { 'application/problem+json': { schema: Problem } } };
  const document = {
    openapi: '3.0.3',
    info: { title: 'Test', version: '1' },
    paths: {
      '/pets': { post: { requestBody: { content: found.content }, responses: { 201: found } } },
      '/pets/{id}': { parameters, get: { responses: { 200: found, 404: missing } } },
    },
  };
  const folder = await folderWith({ 'openapi.json': JSON.stringify(document) });
  const { ask } = await startStorefront({ contract: `${folder}/openapi.json` });
  expect(await ask('GET', '/pets/none')).toMatchObject({ status: 404, body: { detail: 'no pet has the id none' } });
});

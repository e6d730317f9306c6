import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { explain } from '../../src/server/explain.ts';
import { createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const status = { enum: ['draft', 'active'] };
const named = createObject({ 'name!': TEXT });
const schemas = {
  List: createObject({ 'id!': { type: 'integer' }, 'name!': TEXT }),
  Article: createObject({ 'id!': { type: 'integer' }, 'name!': TEXT, status }),
};

/** Writes an API in which lists have articles. `conflict`: what the 409 of the deletion of a list says. */
async function writeLists({ conflict, summary = 'Delete a list' }: { conflict: string; summary?: string }) {
  const paths: Paths = {
    ...createResourcePaths('/lists/{listId}', refer('List'), named),
    ...createResourcePaths(
      '/lists/{listId}/articles/{articleId}',
      refer('Article'),
      createObject({ 'name!': TEXT, status }),
    ),
  };
  const contract = await writeApi({ paths, schemas });
  const document = JSON.parse(await readFile(contract, 'utf8'));
  const operation = document.paths['/lists/{listId}'].delete;
  operation.summary = summary;
  operation.parameters = [{ name: 'force', in: 'query', schema: { type: 'boolean' } }];
  operation.responses['409'] = { description: conflict };
  await writeFile(contract, JSON.stringify(document));
  return contract;
}

/** Starts a server with a list that has an article. */
async function start(contract: string, article: Readonly<Record<string, unknown>> = {}) {
  const { ask } = await startStorefront({ contract });
  await ask('POST', '/lists', { name: 'Kitchen' });
  await ask('POST', '/lists/1/articles', { name: 'Pan', ...article });
  return ask;
}

describe('DELETE of an entry with other entries below its path', () => {
  it.each([
    ['names them', 'The list still has articles', undefined],
    ['names one of them', 'An article is on the list', undefined],
    ['says that the list must be empty', 'The list is not empty', undefined],
    ['says this in another language', 'Liste non vide ou déjà validée', undefined],
    ['is conditional in the summary', 'Conflict', 'Delete a list, only possible if it has no articles'],
    ['says in the summary that the list must be empty', 'Conflict', 'Delete a list if the list is empty'],
  ])('is refused if the document %s', async (_, conflict, summary) => {
    const ask = await start(await writeLists({ conflict, ...(summary && { summary }) }));
    const refused = await ask('DELETE', '/lists/1');
    expect([refused.status, refused.body.detail]).toEqual([409, 'the list still has an article: delete it first']);
    expect((await ask('DELETE', '/lists/1/articles/1')).status).toBe(204);
    expect((await ask('DELETE', '/lists/1')).status).toBe(204);
  });

  it.each([
    ['names none of them', 'The list is locked', undefined],
    ['says that they are deleted too', 'The list is locked', 'Delete a list and all its articles'],
    ['says it with a condition for something else', 'Locked', 'Delete a list and all its articles, if the user may'],
    ['speaks of an empty response', 'Returns an empty body if the list is locked', undefined],
  ])('deletes them if the document %s', async (_, conflict, summary) => {
    const ask = await start(await writeLists({ conflict, ...(summary && { summary }) }));
    expect((await ask('DELETE', '/lists/1')).status).toBe(204);
    expect((await ask('GET', '/lists/1/articles/1')).status).toBe(404);
  });

  it('deletes them if the query parameter force is true', async () => {
    const ask = await start(await writeLists({ conflict: 'The list still has articles' }));
    expect((await ask('DELETE', '/lists/1?force=false')).status).toBe(409);
    expect((await ask('DELETE', '/lists/1?force=true')).status).toBe(204);
  });

  it.each([
    ['draft', 204],
    ['active', 409],
  ])('is refused only for entries in the state that the 409 names: %s gets %d', async (own, expected) => {
    const ask = await start(await writeLists({ conflict: 'The list has active articles' }), { status: own });
    expect((await ask('DELETE', '/lists/1')).status).toBe(expected);
  });

  it.each([
    ['The list still has articles', 'refuses if it has: articles'],
    ['The list has active articles', 'refuses if it has: articles (status active)'],
    ['The list is locked', 'also deletes: articles'],
  ])('is explained: %s', async (conflict, expected) => {
    const { operations } = await explain({ contract: await writeLists({ conflict }) });
    const operation = operations.find(({ method, path }) => method === 'DELETE' && path === '/lists/{listId}');
    expect(operation?.explanation).toContain(expected);
  });
});

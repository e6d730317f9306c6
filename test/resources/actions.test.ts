import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const schemas = {
  Recipe: createObject({ 'id!': { ...INTEGER, readOnly: true }, 'title!': TEXT, 'author!': TEXT }),
  NewRecipe: createObject({ 'title!': TEXT }),
  Step: createObject({ 'id!': { ...INTEGER, readOnly: true }, 'text!': TEXT }),
};

const PATHS = {
  ...createResourcePaths('/recipes/{id}', refer('Recipe'), refer('NewRecipe')),
  ...createResourcePaths('/recipes/{recipeId}/steps/{id}', refer('Step')),
  '/recipes/{recipe}/publish': { post: { response: createObject({ recipe: refer('Recipe') }) } },
  '/recipes/{recipe}/steps/{step}/skip': { post: { response: refer('Step') } },
  '/recipes/{recipe}/origin': { get: { response: refer('Recipe') } },
  '/recipes/{recipe}/rate': { post: { response: createObject({ 'stars!': INTEGER }) } },
};

/** Starts a server with one recipe, which has one step. */
async function startRecipes() {
  const server = await startApi({ paths: PATHS, schemas });
  await server.ask('POST', '/recipes', { title: 'Soup' });
  await server.ask('POST', '/recipes/1/steps', { text: 'Boil' });
  return server;
}

describe('An action below an entry', () => {
  it('is mocked', async () => {
    const { ask } = await startRecipes();
    const { status, headers, body } = await ask('POST', '/recipes/1/rate');
    expect({ status, mocked: headers.get('x-mocked') }).toEqual({ status: 200, mocked: 'operation' });
    expect(body).toEqual({ stars: expect.any(Number) });
  });

  it('returns the stored entry if the response is the entry', async () => {
    const { ask } = await startRecipes();
    const { body: recipe } = await ask('GET', '/recipes/1');
    const published = await ask('POST', '/recipes/1/publish');
    expect(published).toMatchObject({ status: 200, body: { recipe } });
    expect(published.headers.get('x-mocked')).toBe('operation');
    expect((await ask('POST', '/recipes/1/steps/1/skip')).body).toEqual({ id: 1, text: 'Boil' });
    expect(await ask('GET', '/recipes/1/origin')).toMatchObject({ status: 200 });
  });

  it('needs the entries in its path', async () => {
    const { ask } = await startRecipes();
    const requests = [
      ['POST', '/recipes/7/rate', 'no recipe has the id 7'],
      ['POST', '/recipes/7/publish', 'no recipe has the id 7'],
      ['GET', '/recipes/7/origin', 'no recipe has the id 7'],
      ['POST', '/recipes/1/steps/7/skip', 'no step has the id 7'],
    ] as const;
    for (const [method, path, detail] of requests)
      expect(await ask(method, path)).toMatchObject({ status: 404, body: { detail } });
  });

  it('needs no entry for a parameter with a single value', async () => {
    const paths = {
      ...PATHS,
      '/recipes/{recipeId}/rating': {
        get: { response: createObject({ 'count!': INTEGER }) },
        parameters: { recipeId: { const: '~' } },
      },
    };
    const { ask } = await startApi({ paths, schemas });
    expect((await ask('GET', '/recipes/~/rating')).status).toBe(200);
  });

  it('finds the entry by the property that its path names', async () => {
    const Group = createObject({ 'id!': { ...INTEGER, readOnly: true }, 'name!': TEXT });
    const paths = { ...createResourcePaths('/groups/{id}', Group), '/groups/{name}/ping': { post: { status: 204 } } };
    const { ask } = await startApi({ paths });
    await ask('POST', '/groups', { name: 'Red' });
    for (const [key, status] of Object.entries({ Red: 204, 1: 204, Blue: 404 }))
      expect((await ask('POST', `/groups/${key}/ping`)).status).toBe(status);
  });

  it('finds the entry of the resource whose path has the same parameter', async () => {
    const Group = createObject({ 'id!': INTEGER, title: TEXT });
    const paths = {
      '/groups': { get: { response: createList(Group) } },
      '/groups/{id}': { put: { request: Group, response: Group } },
      '/groups/{name}': { get: { response: createObject({ 'name!': TEXT, 'size!': INTEGER }) } },
      '/groups/{id}/ping': { post: { status: 204 } },
      '/groups/{from}/{to}': { get: { response: createObject({ ok: TEXT }) } },
    };
    const { ask } = await startApi({ paths });
    const { body } = await ask('GET', '/groups');
    const [group] = Object(body);
    expect((await ask('POST', `/groups/${group.id}/ping`)).status).toBe(204);
    expect((await ask('GET', '/groups/a/b')).status).toBe(200);
  });

  it('needs no entry if the request or the user prefers the mock', async () => {
    const { ask } = await startRecipes();
    expect((await ask('POST', '/recipes/7/rate', undefined, { Prefer: 'code=200' })).status).toBe(200);
    const mocked = await startApi({ paths: PATHS, schemas }, { mock: true });
    expect((await mocked.ask('POST', '/recipes/7/rate')).status).toBe(200);
  });
});

it.each(['fork', 'check', 'preview', 'notify'])('The action %s does not change an entry to its body', async (verb) => {
  const body = createObject({ 'title!': TEXT });
  const { ask } = await startApi({
    schemas,
    paths: { ...PATHS, [`/recipes/{recipe}/${verb}`]: { post: { request: body, response: refer('Recipe') } } },
  });
  await ask('POST', '/recipes', { title: 'Soup' });
  const response = await ask('POST', `/recipes/1/${verb}`, { title: 'Stew' });
  expect(response.headers.get('x-mocked')).toBe('operation');
  expect((await ask('GET', '/recipes/1')).body.title).toBe('Soup');
});

import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type OperationParts,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const REQUEST = createObject({ reason: { type: 'string' } });
const Ban = createObject({ 'user_id!': { type: 'string' }, reason: { type: 'string' } });

/** Returns an API of guilds and their bans. `put`: the operation that creates a ban. */
function createBans(put: OperationParts) {
  const Guild = createObject({ 'id!': { type: 'integer', readOnly: true }, name: { type: 'string' } });
  return {
    paths: {
      ...createResourcePaths('/guilds/{guild_id}', Guild),
      '/guilds/{guild_id}/bans': { get: { response: createList(Ban) } },
      '/guilds/{guild_id}/bans/{user_id}': {
        get: { response: Ban },
        put: { request: REQUEST, response: Ban, ...put },
        delete: { status: 204 },
      },
    },
  };
}

const ITEM = '/guilds/1/bans/7';

it.each<[string, OperationParts]>([
  ['its only success is 201', { status: 201, errorTexts: { 409: 'User is already banned' } }],
  ['its only success is 201 and the entry exists', { status: 201, errorTexts: { 409: 'The ban already exists' } }],
])('PUT refuses the id of an entry that exists if %s', async (_what, put) => {
  const api = createBans(put);
  const { ask } = await startApi(api);
  await ask('POST', '/guilds', {});
  expect((await ask('PUT', ITEM, { reason: 'a' })).status).toBe(201);
  const refused = await ask('PUT', ITEM, { reason: 'b' });
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    'a ban with the user_id 7 already exists: delete it first',
  ]);
  expect((await ask('GET', ITEM)).body).toEqual({ user_id: '7', reason: 'a' });
  await ask('DELETE', ITEM);
  expect((await ask('PUT', ITEM, {})).status).toBe(201);
  expect((await explainApi(api))['PUT /guilds/{guild_id}/bans/{user_id}']).toBe(
    'real: creates a ban of /guilds/{guild_id} (refuses an existing one)',
  );
});

it.each<[string, OperationParts]>([
  ['no 409 is documented', { status: 201 }],
  ['the 409 says something else', { status: 201, errorTexts: { 409: 'The guild is archived' } }],
  ['the 409 is about an entry that does not exist', { status: 201, errorTexts: { 409: 'The user does not exist' } }],
  ['the 409 is about a property', { status: 201, errorTexts: { 409: 'A ban with this reason already exists' } }],
  [
    'the 409 names a property in its second line',
    { status: 201, errorTexts: { 409: 'A ban already exists\nwith this reason' } },
  ],
  ['it can respond with 200', { status: 200, alsoStatus: [201], errorTexts: { 409: 'User is already banned' } }],
  ['it can respond only with 200', { status: 200, errorTexts: { 409: 'The ban already exists' } }],
])('PUT replaces an entry that exists if %s', async (_what, put) => {
  const api = createBans(put);
  const { ask } = await startApi(api);
  await ask('POST', '/guilds', {});
  await ask('PUT', ITEM, { reason: 'a' });
  expect((await ask('PUT', ITEM, { reason: 'b' })).status).toBeLessThan(300);
  expect((await ask('GET', ITEM)).body).toEqual({ user_id: '7', reason: 'b' });
  expect((await explainApi(api))['PUT /guilds/{guild_id}/bans/{user_id}']).toContain('replaces a ban');
});

describe.each([
  ['Set or update a rating', 9],
  ['Поставить или обновить рейтинг', 9],
  ['Rate a movie', undefined],
])('POST with the summary "%s" and the id of an entry that exists', (summary, score) => {
  const Rating = createObject({
    'movieId!': { type: 'integer' },
    'score!': { type: 'integer' },
    note: { type: 'string' },
  });
  const request = createObject({
    'movieId!': { type: 'integer' },
    'score!': { type: 'integer' },
    note: { type: 'string' },
  });
  const paths = {
    '/shelves/{shelfId}/ratings': {
      get: { response: createList(Rating) },
      post: { summary, request, response: Rating, status: 201 },
    },
    '/shelves/{shelfId}/ratings/{movieId}': { delete: { status: 204 }, parameters: { movieId: { type: 'integer' } } },
  };

  it(score === undefined ? 'is refused' : 'changes the properties in the body', async () => {
    const { ask } = await startApi({ paths });
    await ask('POST', '/shelves/1/ratings', { movieId: 1, score: 7, note: 'good' });
    const { status } = await ask('POST', '/shelves/1/ratings', { movieId: 1, score: 9 });
    expect(status).toBe(score === undefined ? 409 : 201);
    const rating = { movieId: 1, score: score ?? 7, note: 'good' };
    expect((await ask('GET', '/shelves/1/ratings')).body).toEqual([rating]);
  });

  it('is explained', async () => {
    const { 'POST /shelves/{shelfId}/ratings': text } = await explainApi({ paths });
    expect(text).toContain(score === undefined ? 'creates a rating' : 'creates or updates a rating');
  });
});

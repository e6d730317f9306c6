import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT, 'token!': TEXT, 'bio!': TEXT }),
  Post: createObject({
    'id!': INTEGER,
    'title!': TEXT,
    'tags!': createList(TEXT),
    'slug!': TEXT,
    'mood!': TEXT,
    authorId: INTEGER,
  }),
};
const PATHS = {
  '/register': { post: { isPublic: true, request: credentials, response: refer('User'), status: 201 } },
  '/login': { post: { isPublic: true, request: credentials, response: createObject({ 'token!': TEXT }) } },
  '/me': {
    get: { response: refer('User') },
    patch: { request: createObject({ bio: TEXT }), response: refer('User') },
  },
  ...createResourcePaths(
    '/posts/{postId}',
    refer('Post'),
    createObject({ 'title!': TEXT, tags: createList(TEXT), mood: TEXT }),
  ),
  '/stats': { get: { response: createObject({ 'postCount!': INTEGER, 'load!': INTEGER, note: TEXT }) } },
};

describe('the explanation of an operation', () => {
  it('names the values that are set from the token, generated or left out', async () => {
    const lines = await explainApi({ paths: PATHS, schemas, needsToken: true });
    expect(lines['POST /posts']).toBe(
      'real: creates a post (sets to the user who sends the request: authorId; generates: slug; generates if missing: mood)',
    );
    expect(lines['GET /posts']).toContain('generates: slug');
    expect(lines['GET /me']).toBe('real: reads the user who sends the request (generates if missing: bio)');
    expect(lines['GET /stats']).toBe('real: counts: postCount; generates: load; leaves out: note');
  });

  it('agrees with the responses', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas, needsToken: true });
    const { body: user } = await ask('POST', '/register', { email: 'ann@example.com', password: 'x' });
    const headers = { Authorization: `Bearer ${user.token}` };
    const created = await ask('POST', '/posts', { title: 'a' }, headers);
    expect(created.headers.get('x-mocked')).toBe('/slug, /mood');
    expect(created.body).toMatchObject({ authorId: user.id, tags: [] });
    const own = await ask('GET', '/me', undefined, headers);
    expect(own.headers.get('x-mocked')).toBe('/bio');
    const stats = await ask('GET', '/stats', undefined, headers);
    expect(stats.headers.get('x-mocked')).toBe('/load');
    expect(stats.body).not.toHaveProperty('note');
  });

  it('names the objects in requests that a list without a POST also has', async () => {
    const Tag = createObject({ 'id!': INTEGER, 'name!': TEXT });
    const tags = createList(refer('Tag'));
    const Recipe = createObject({ 'id!': INTEGER, 'title!': TEXT, tags });
    const paths = {
      ...createResourcePaths('/recipes/{recipeId}', refer('Recipe'), createObject({ 'title!': TEXT, tags })),
      '/tags': { get: { response: tags } },
    };
    const lines = await explainApi({ paths, schemas: { Tag, Recipe } });
    expect(lines['GET /tags']).toBe(
      'real: lists tags (with those of: recipes.tags; starts with examples or generated entries)',
    );
    const { ask } = await startApi({ paths, schemas: { Tag, Recipe } });
    const { body: before } = await ask('GET', '/tags');
    const hot = { id: 901, name: 'hot' };
    const { body } = await ask('POST', '/recipes', { title: 'Soup', tags: [hot, before[0]] });
    await ask('POST', '/recipes', { title: 'Stew', tags: [{ id: 902, name: 'hot' }] });
    expect(body.tags).toEqual([hot, before[0]]);
    expect((await ask('GET', '/tags')).body).toEqual([...before, hot]);
  });

  it('names the objects in requests that a list without a POST lacks', async () => {
    const Tag = createObject({ 'id!': INTEGER, 'name!': TEXT });
    const NewTag = createObject({ id: INTEGER, 'name!': TEXT });
    const tags = createList(refer('Tag'));
    const body = createObject({ 'title!': TEXT, tags: createList(refer('NewTag')) });
    const Recipe = createObject({ 'id!': INTEGER, 'title!': TEXT, tags: createList(refer('NewTag')) });
    const paths = {
      ...createResourcePaths('/recipes/{recipeId}', refer('Recipe'), body),
      '/tags': { get: { response: tags } },
    };
    const lines = await explainApi({ paths, schemas: { Tag, NewTag, Recipe } });
    expect(lines['GET /tags']).toContain('lacks those of: recipes.tags');
  });

  it('says that a profile is one for everyone if the document has no users', async () => {
    const response = createObject({ city: TEXT });
    const lines = await explainApi({
      paths: { '/profile': { get: { response }, patch: { request: response, response } } },
    });
    expect(lines['GET /profile']).toBe('real: reads profile (one for everyone, because the document has no users)');
  });
});

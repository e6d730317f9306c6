import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, type Paths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const TIME = { type: 'string', format: 'date-time' };

const NewArticle = createObject({ 'title!': TEXT, price: INTEGER, options: createObject({ color: TEXT }) });
const schemas = {
  Shelf: createObject({ 'id!': INTEGER, 'name!': TEXT }),
  Article: createObject({
    ...{ 'id!': INTEGER, 'title!': TEXT, price: INTEGER, options: createObject({ color: TEXT }) },
    status: { type: 'string', enum: ['draft', 'published'] },
    ...{ publishedAt: TIME, created_at: TIME, updatedAt: TIME },
  }),
};

const ITEM = '/shelves/{shelfId}/articles/{articleId}';
const copied = { response: refer('Article'), status: 201 };

/** `copy`: the operation that copies an article. `verb`: the last segment of its path. */
function createApi(copy: Paths[string], verb = 'duplicate') {
  return {
    paths: {
      ...createResourcePaths('/shelves/{shelfId}', refer('Shelf'), createObject({ 'name!': TEXT })),
      ...createResourcePaths(ITEM, refer('Article'), NewArticle),
      [`${ITEM}/publish`]: { post: { response: refer('Article') } },
      [`${ITEM}/${verb}`]: copy,
    },
    schemas,
  };
}

/** Starts a server with two shelves, and an article with the id 1 on the first one. */
async function start(copy: Paths[string], verb?: string, nowMs = Date.now) {
  const server = await startApi(createApi(copy, verb), { nowMs });
  await server.ask('POST', '/shelves', { name: 'a' });
  await server.ask('POST', '/shelves', { name: 'b' });
  await server.ask('POST', '/shelves/1/articles', { title: 'Lamp', price: 5, options: { color: 'red' } });
  return server;
}

describe('an action that copies an entry', () => {
  it.each(['duplicate', 'copy', 'clone', 'dupliquer', 'duplicar'])('%s creates another entry', async (verb) => {
    const { ask } = await start({ post: copied }, verb);
    const { status, body, headers } = await ask('POST', `/shelves/1/articles/1/${verb}`);
    expect(status).toBe(201);
    expect(headers.get('x-mocked')).toBeNull();
    expect(body).toMatchObject({ id: 2, title: 'Lamp', price: 5, options: { color: 'red' }, status: 'draft' });
    expect((await ask('GET', '/shelves/1/articles/2')).body).toEqual(body);
    expect((await ask('GET', '/shelves/1/articles')).body).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect((await ask('GET', '/shelves/2/articles')).body).toEqual([]);
    expect((await ask('GET', '/shelves/1/articles/1')).body).toMatchObject({ id: 1, title: 'Lamp' });
  });

  it('starts in the first state, with its own times', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    const { ask } = await start({ post: copied }, 'duplicate', () => now);
    const { body: published } = await ask('POST', '/shelves/1/articles/1/publish');
    expect(published).toMatchObject({ status: 'published', publishedAt: expect.any(String) });
    now += 86_400_000;
    const { body } = await ask('POST', '/shelves/1/articles/1/duplicate');
    expect(published.created_at).toMatch(/^2030-01-01/);
    expect(body).toMatchObject({ status: 'draft', created_at: expect.stringMatching(/^2030-01-02/) });
    expect(body.publishedAt).toBeUndefined();
  });

  it('responds with 404 if the entry does not exist at its path', async () => {
    const { ask } = await start({ post: copied });
    expect((await ask('POST', '/shelves/1/articles/7/duplicate')).status).toBe(404);
    expect((await ask('POST', '/shelves/2/articles/1/duplicate')).status).toBe(404);
  });

  it('gives the copy the properties in the body', async () => {
    const { ask } = await start({ post: { ...copied, request: createObject({ title: TEXT, note: TEXT }) } });
    const { body } = await ask('POST', '/shelves/1/articles/1/duplicate', { title: 'Lamp 2', note: 'x' });
    expect(body).toMatchObject({ id: 2, title: 'Lamp 2', price: 5 });
    expect(body.note).toBeUndefined();
    expect((await ask('GET', '/shelves/1/articles/1')).body.title).toBe('Lamp');
  });

  it('keeps the parent that is not in its path', async () => {
    const Loan = createObject({ 'id!': INTEGER, 'reader!': TEXT });
    const loans = createResourcePaths('/books/{bookId}/loans/{loanId}', Loan, createObject({ 'reader!': TEXT }));
    const paths = {
      ...createResourcePaths('/books/{bookId}', createObject({ 'id!': INTEGER, 'name!': TEXT }), schemas.Shelf),
      '/books/{bookId}/loans': { ...loans['/books/{bookId}/loans'] },
      '/loans/{loanId}': { get: { response: Loan } },
      '/loans/{loanId}/copy': { post: { response: Loan } },
    };
    const { ask } = await startApi({ paths });
    await ask('POST', '/books', { id: 3, name: 'a' });
    await ask('POST', '/books/3/loans', { reader: 'ann' });
    expect(await ask('POST', '/loans/1/copy')).toMatchObject({ status: 200, body: { id: 2, reader: 'ann' } });
    expect((await ask('GET', '/books/3/loans')).body).toHaveLength(2);
  });

  it('is explained', async () => {
    expect((await explainApi(createApi({ post: copied })))[`POST ${ITEM}/duplicate`]).toBe(
      'real: creates a copy of an article of /shelves/{shelfId} (sets to the current time: created_at, updatedAt)',
    );
  });

  it.each<[why: string, copy: Schema]>([
    ['the response is something else', { response: createObject({ 'jobId!': TEXT }), status: 202 }],
    ['the body requires something else', { ...copied, request: createObject({ 'targetShelf!': INTEGER }) }],
    ['the response has no body', { status: 204 }],
  ])('is mocked if %s', async (_why, post) => {
    expect((await explainApi(createApi({ post })))[`POST ${ITEM}/duplicate`]).toContain('mocked');
    expect((await explainApi(createApi({ post }, 'dupliquer')))[`POST ${ITEM}/dupliquer`]).toContain('mocked');
  });
});

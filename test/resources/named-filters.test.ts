import { join } from 'node:path';
import { expect, it } from 'vitest';
import { explain } from '../../src/server/explain.ts';
import { createList, createObject } from '../support/fixtures/api-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ID = { type: 'integer' };
const TIME = { type: 'string', format: 'date-time' };
const Visit = createObject({ id: { type: 'integer' }, start: TIME, isPaid: { type: 'boolean' }, createdAt: TIME });

/** Starts a server with two visits. */
async function startVisits() {
  const query = { since: TIME, until: TIME, paid: { type: 'boolean' } };
  const post = { request: createObject({ start: TIME, isPaid: { type: 'boolean' } }), response: Visit, status: 201 };
  const { ask } = await startApi({ paths: { '/visits': { get: { query, response: createList(Visit) }, post } } });
  await ask('POST', '/visits', { start: '2030-01-01T08:00:00Z', isPaid: true });
  await ask('POST', '/visits', { start: '2030-02-01T08:00:00Z', isPaid: false });
  return async (search: string) =>
    (await ask('GET', `/visits?${search}`)).body.map(({ id }: { readonly id: number }) => id);
}

it.each([
  ['paid=true', [1]],
  ['paid=false', [2]],
  ['since=2030-01-15T00:00:00Z', [2]],
  ['until=2030-01-15T00:00:00Z', [1]],
])('a list with the query %s has the visits %j', async (search, expected) => {
  const list = await startVisits();
  expect(await list(search)).toEqual(expected);
});

it.each([
  ['the only time by its name, without a format', { id: ID, ts: ID }, [{ ts: 10 }, { ts: 20 }], '', '15'],
  [
    'the time in the description, if an entry has several',
    { id: ID, createdAt: TIME, publishAt: TIME, expireAt: TIME },
    [{ publishAt: '2030-01-01T00:00:00Z' }, { publishAt: '2030-01-03T00:00:00Z' }],
    'Only posts to publish after this time',
    '2030-01-02T00:00:00Z',
  ],
])('since selects entries by %s', async (_title, properties, sent, description, since) => {
  const Post = createObject(properties);
  const get = { query: { since: {} }, descriptions: { since: description }, response: createList(Post) };
  const { ask } = await startApi({
    paths: { '/posts': { get, post: { status: 201, request: Post, response: Post } } },
  });
  for (const body of sent) await ask('POST', '/posts', body);
  expect((await ask('GET', `/posts?since=${since}`)).body).toMatchObject(sent.slice(1));
});

const SEARCHED = `
openapi: 3.2.0
info: { title: Books, version: 1.0.0 }
paths:
  /books:
    get:
      parameters:
        - name: search
          in: querystring
          content:
            application/x-www-form-urlencoded:
              schema: { type: object, properties: { q: { type: string }, author: { type: string }, limit: { type: integer } } }
      responses: { 200: { description: d, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } } } }
    post:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
      responses: { 201: { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } } }
    query:
      operationId: findBooks
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { 200: { description: d, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } } } }
  /books/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { 200: { description: d, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } } }
components:
  schemas:
    Book: { type: object, properties: { id: { type: integer, readOnly: true }, title: { type: string }, author: { type: string } } }
`;

it.each([
  ['q=kit', [1]],
  ['author=Bo', [2]],
  ['author=Bo&q=kit', []],
  ['limit=1', [1]],
])('a list whose query string is one parameter has the books for %s', async (search, expected) => {
  const contract = join(await folderWith({ 'books.yaml': SEARCHED }), 'books.yaml');
  const { ask } = await startStorefront({ contract });
  await ask('POST', '/books', { title: 'The Kite', author: 'Ann' });
  await ask('POST', '/books', { title: 'Seas', author: 'Bo' });
  const { body } = await ask('GET', `/books?${search}`);
  expect(body.map(({ id }: { readonly id: number }) => id)).toEqual(expected);
});

const QUERIED = SEARCHED.replace(
  'schema: { type: object }',
  `schema: { type: object, properties: {
        q: { type: string }, author: { type: array, items: { type: string } },
        filter: { type: object, properties: { title: { type: string } } },
        sort: { type: string }, limit: { type: integer }, color: { type: string } } }`,
);

it.each([
  [{ q: 'kit' }, [1]],
  [{ author: ['Bo', 'Cy'] }, [2, 3]],
  [{ filter: { title: 'Seas' } }, [2]],
  [{ author: null, filter: null }, 400],
  [{ sort: '-title', limit: 2 }, [1, 2]],
  [{ color: 'red' }, [1, 2, 3]],
  [{ limit: 'two' }, 400],
  [{}, [1, 2, 3]],
])('a QUERY with the body %j selects the books %j, as a GET with these parameters does', async (sent, expected) => {
  const contract = join(await folderWith({ 'books.yaml': QUERIED }), 'books.yaml');
  const { ask } = await startStorefront({ contract });
  for (const [title, author] of [
    ['The Kite', 'Ann'],
    ['Seas', 'Bo'],
    ['Air', 'Cy'],
  ])
    await ask('POST', '/books', { title, author });
  const { status, body } = await ask('QUERY', '/books', sent);
  expect(status === 200 ? body.map(({ id }: { readonly id: number }) => id) : status).toEqual(expected);
});

it('the properties of the body of a QUERY are explained', async () => {
  const contract = join(await folderWith({ 'books.yaml': QUERIED }), 'books.yaml');
  expect((await explain({ contract })).text).toMatch(
    /^QUERY +\/books +findBooks +real: lists books \(filters: .*sorts by: sort; pages by: limit; ignores: color\)$/m,
  );
});

it('a QUERY whose body has no known properties is mocked, with the reason', async () => {
  const contract = join(await folderWith({ 'books.yaml': SEARCHED }), 'books.yaml');
  expect((await explain({ contract })).text).toMatch(
    /^QUERY +\/books +findBooks +mocked: the document does not say how the request body selects books$/m,
  );
});

import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Line = createObject({ 'bookId!': TEXT, 'quantity!': INTEGER, price: INTEGER });
const NewInvoice = createObject({ 'items!': createList(createObject({ 'bookId!': TEXT, 'quantity!': INTEGER })) });
const schemas = {
  Book: createObject({ 'id!': TEXT, 'title!': TEXT, 'price!': INTEGER }),
  Invoice: createObject({ 'id!': TEXT, 'items!': createList(Line) }),
};

it.each([
  ['POST', '/invoices'],
  ['PUT', '/invoices/i7'],
])(
  'a new entry whose line names no entry gets the documented 422, and else keeps the price: %s',
  async (method, target) => {
    const invoice = { request: NewInvoice, response: refer('Invoice'), status: 201, alsoStatus: [422] };
    const { ask } = await startApi({
      schemas,
      paths: {
        ...createResourcePaths('/books/{bookId}', refer('Book')),
        '/invoices': { get: { response: createList(refer('Invoice')) }, post: invoice },
        '/invoices/{invoiceId}': { get: { response: refer('Invoice') }, put: invoice },
      },
    });
    const { body: book } = await ask('POST', '/books', { id: 'b1', title: 'Emma', price: 900 });
    expect((await ask(method, target, { items: [{ bookId: 'x', quantity: 1 }] })).status).toBe(422);
    expect((await ask('GET', '/invoices')).body).toEqual([]);
    const { status, body } = await ask(method, target, { items: [{ bookId: book.id, quantity: 2 }] });
    expect([status, body.items]).toEqual([201, [{ bookId: book.id, quantity: 2, price: 900 }]]);
  },
);

describe('The id of an entry that does not exist', () => {
  const Genre = createObject({ 'id!': TEXT, 'name!': TEXT });
  const request = createObject({ 'title!': TEXT, 'genreId!': TEXT });
  const Song = createObject({ 'id!': TEXT, 'title!': TEXT, 'genreId!': TEXT });

  /** Starts a server with genres and songs. Returns the response to a song whose genre does not exist. */
  async function create(song: Schema, errors: readonly number[]) {
    const api = {
      schemas: { Genre, Song: song },
      paths: {
        ...createResourcePaths('/genres/{genreId}', refer('Genre')),
        '/songs': {
          get: { response: createList(refer('Song')) },
          post: { request, response: refer('Song'), status: 201, errors },
        },
      },
    };
    const { ask } = await startApi(api);
    const explained = (await explainApi(api))['POST /songs'];
    const response = await ask('POST', '/songs', { title: 'A', genreId: 'unknown' });
    return { response, list: (await ask('GET', '/songs')).body, explained };
  }

  const Shown = createObject({ 'id!': TEXT, 'title!': TEXT, 'genreId!': TEXT, 'genre!': refer('Genre') });

  it.each([
    ['404', Song, [404], 404],
    ['404 and an object that shows the entry', Shown, [404], 404],
    ['422 and an object that shows the entry', Shown, [422], 422],
    ['422', Song, [422], 422],
    ['404 and 422', Song, [404, 422], 422],
  ] as const)('is refused if the document has %s', async (_, song, errors, status) => {
    const { response, list, explained } = await create(song, errors);
    expect([response.status, response.body.detail, list]).toEqual([
      status,
      'genreId unknown: no genre has this id',
      [],
    ]);
    expect(explained).not.toContain('accepts unknown ids');
  });

  it.each([
    ['400', Shown, [400]],
    ['no status for it', Song, []],
  ] as const)('is stored if the document has %s, and what is shown of the entry is marked', async (_, song, errors) => {
    const { response, list, explained } = await create(song, errors);
    expect(explained).toBe('real: creates a song (accepts unknown ids in: genreId)');
    expect([response.status, response.body.genreId]).toEqual([201, 'unknown']);
    expect(response.headers.get('x-mocked')).toBe(song === Shown ? '/genre/name' : null);
    expect(list).toEqual([response.body]);
  });
});

describe('The id of an entry that does not exist, if only requests have the id', () => {
  const Genre = createObject({ 'id!': TEXT, 'name!': TEXT });
  const request = createObject({ 'title!': TEXT, genreId: TEXT });
  const Song = createObject({ 'id!': TEXT, 'title!': TEXT });
  const Shown = createObject({ 'id!': TEXT, 'title!': TEXT, genre: refer('Genre') });

  /** Starts a server with genres, and songs of albums. `described`: the error responses of POST and PUT. */
  async function start(song: Schema, described: Readonly<Record<string, string>>) {
    const item = '/albums/{albumId}/songs/{songId}';
    const contract = await writeApi({
      schemas: { Genre, Song: song, Album: createObject({ 'id!': TEXT, 'name!': TEXT }) },
      paths: {
        ...createResourcePaths('/genres/{genreId}', refer('Genre')),
        ...createResourcePaths('/albums/{albumId}', refer('Album')),
        ...createResourcePaths(item, refer('Song'), request),
      },
    });
    const document = JSON.parse(await readFile(contract, 'utf8'));
    for (const { responses } of [document.paths['/albums/{albumId}/songs'].post, document.paths[item].put]) {
      delete responses['4XX'];
      for (const [status, description] of Object.entries(described)) responses[status] = { description };
    }
    await writeFile(contract, JSON.stringify(document));
    const { ask } = await startStorefront({ contract });
    await ask('POST', '/genres', { id: 'g1', name: 'Jazz' });
    await ask('POST', '/albums', { id: 'a1', name: 'Blue' });
    return ask;
  }

  it.each([
    ['422', Song, { 422: 'Invalid' }, 422],
    ['a 404 that names the entry', Song, { 404: 'Genre not found' }, 404],
    ['a 404 that names both entries', Song, { 404: 'Album or genre not found' }, 404],
    ['a 400 that says it', Song, { 400: 'The title is empty, or the genre does not exist' }, 400],
    ['a 409 that says it', Shown, { 409: 'Unknown genre' }, 409],
  ])('is refused if the document has %s', async (_, song, described, status) => {
    const ask = await start(song, described);
    const refused = await ask('POST', '/albums/a1/songs', { title: 'A', genreId: 'g2' });
    expect([refused.status, refused.body.detail]).toEqual([status, 'genreId g2: no genre has this id']);
    expect((await ask('GET', '/albums/a1/songs')).body).toEqual([]);
    const { body } = await ask('POST', '/albums/a1/songs', { title: 'A', genreId: 'g1' });
    const target = `/albums/a1/songs/${body.id}`;
    expect((await ask('PUT', target, { title: 'B', genreId: 'g2' })).status).toBe(status);
    expect((await ask('PUT', target, { title: 'B', genreId: 'g1' })).status).toBe(200);
  });

  it.each([
    ['a 404 for the path', Song, { 404: 'Album not found' }],
    ['a 400 for something else', Shown, { 400: 'The title is invalid' }],
    ['a 409 for another state', Shown, { 409: 'The genre is full' }],
  ])('is accepted if the document has only %s', async (_, song, described) => {
    const ask = await start(song, described);
    expect((await ask('POST', '/albums/a1/songs', { title: 'A', genreId: 'g2' })).status).toBe(201);
  });
});

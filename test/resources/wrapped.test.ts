import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const PET = refer('Pet');
const Pet = createObject({ 'id!': { ...INTEGER, readOnly: true }, 'name!': TEXT });
const NewPet = createObject({ 'name!': TEXT });
const PETS = createList(PET);

/** The paths of pets with the bodies of a list, of an entry and of a request. */
function createPaths({ list = PETS, entry = PET, request = refer('NewPet') }: Readonly<Record<string, Schema>>): Paths {
  return {
    '/pets': { get: { response: list }, post: { status: 201, request, response: entry } },
    '/pets/{petId}': { get: { response: entry }, put: { request, response: entry }, delete: { status: 204 } },
  };
}

const REX = { id: 1, name: 'Rex' };

/** Schemas of lists, and the lists with one pet. */
const lists: readonly (readonly [name: string, list: Schema, expected: unknown])[] = [
  ['an array', PETS, [REX]],
  ['{data}', createObject({ 'data!': PETS }), { data: [REX] }],
  ['{items, total}', createObject({ 'items!': PETS, 'total!': INTEGER }), { items: [REX], total: 1 }],
  ['{results, count}', createObject({ 'results!': PETS, 'count!': INTEGER }), { results: [REX], count: 1 }],
  ['{pets, petsCount}', createObject({ 'pets!': PETS, 'petsCount!': INTEGER }), { pets: [REX], petsCount: 1 }],
  [
    '{_embedded: {pets}}',
    createObject({ '_embedded!': createObject({ 'pets!': PETS }) }),
    { _embedded: { pets: [REX] } },
  ],
  [
    '{data, meta: {total}}',
    createObject({ 'data!': PETS, 'meta!': createObject({ 'total!': INTEGER }) }),
    { data: [REX], meta: { total: 1 } },
  ],
  [
    'several arrays, one of which has the name of the resource',
    createObject({ 'errors!': createList(createObject({ text: TEXT })), 'pets!': PETS }),
    { errors: expect.any(Array), pets: [REX] },
  ],
  [
    'an allOf of a page and the array',
    { allOf: [createObject({ 'total!': INTEGER }), createObject({ 'data!': PETS })] },
    { data: [REX], total: 1 },
  ],
];

it('Several new entries can be shown in objects with the status of each', async () => {
  const paths = createPaths({});
  const response = createList(createObject({ 'pet!': PET, status: INTEGER }));
  const post = { status: 201, request: createObject({ pets: PETS }), response };
  const { ask } = await startApi({
    paths: { ...paths, '/pets': { ...paths['/pets'], post } },
    schemas: { Pet, NewPet },
  });
  const created = await ask('POST', '/pets', { pets: [{ name: 'Rex' }, { name: 'Tom' }] });
  expect(created.body).toEqual([{ pet: REX }, { pet: { id: 2, name: 'Tom' } }]);
  expect((await ask('GET', '/pets')).body).toEqual([REX, { id: 2, name: 'Tom' }]);
});

describe('A list', () => {
  it.each(lists)('can be wrapped as %s', async (_name, list, expected) => {
    const { ask } = await startApi({ paths: createPaths({ list }), schemas: { Pet, NewPet } });
    await ask('POST', '/pets', { name: 'Rex' });
    expect((await ask('GET', '/pets')).body).toEqual(expected);
  });

  it('can have shorter entries than the item path', async () => {
    const list = createList(createObject({ 'name!': TEXT }));
    const { ask } = await startApi({ paths: createPaths({ list }), schemas: { Pet, NewPet } });
    await ask('POST', '/pets', { name: 'Rex' });
    expect((await ask('GET', '/pets')).body).toEqual([{ name: 'Rex' }]);
    expect((await ask('GET', '/pets/1')).body).toEqual(REX);
  });
});

describe('An entry', () => {
  const inPet = createObject({ 'pet!': PET });
  const inData = createObject({ 'data!': PET, 'status!': TEXT });

  it.each([
    ['pet', inPet],
    ['data', inData],
  ])('can be wrapped as {%s} in responses', async (name, entry) => {
    const { ask } = await startApi({ paths: createPaths({ entry }), schemas: { Pet, NewPet } });
    expect((await ask('POST', '/pets', { name: 'Rex' })).body).toMatchObject({ [name]: REX });
    expect((await ask('GET', '/pets/1')).body).toMatchObject({ [name]: REX });
    expect((await ask('PUT', '/pets/1', { name: 'Max' })).body).toMatchObject({ [name]: { id: 1, name: 'Max' } });
  });

  it('can be wrapped in requests', async () => {
    const request = createObject({ 'pet!': refer('NewPet') });
    const { ask } = await startApi({ paths: createPaths({ request }), schemas: { Pet, NewPet } });
    await ask('POST', '/pets', { pet: { name: 'Rex' } });
    expect((await ask('GET', '/pets/1')).body).toEqual(REX);
    await ask('PUT', '/pets/1', { pet: { name: 'Max' } });
    expect((await ask('GET', '/pets')).body).toEqual([{ id: 1, name: 'Max' }]);
  });

  it.each(['pet', 'animal'])('of wild pets can be wrapped as {%s} everywhere', async (name) => {
    const [entry, request] = [PET, refer('NewPet')].map((schema) => createObject({ [`${name}!`]: schema }));
    const list = createList(createObject({ id: INTEGER, name: TEXT }));
    const paths = createPaths({ list, entry: entry ?? {}, request: request ?? {} });
    const { ask } = await startApi({
      paths: { '/wild_pets': paths['/pets'] ?? {}, '/wild_pets/{petId}': paths['/pets/{petId}'] ?? {} },
      schemas: { Pet, NewPet },
    });
    expect((await ask('POST', '/wild_pets', { [name]: { name: 'Rex' } })).body).toEqual({ [name]: REX });
    await ask('PUT', '/wild_pets/1', { [name]: { name: 'Max' } });
    expect((await ask('GET', '/wild_pets/1')).body).toEqual({ [name]: { id: 1, name: 'Max' } });
    expect((await ask('GET', '/wild_pets')).body).toEqual([{ id: 1, name: 'Max' }]);
  });

  it('is created from a form that the document describes as its file', async () => {
    const paths = createPaths({ request: { type: 'string', format: 'binary' } });
    const post = { ...paths['/pets']?.post, requestType: 'multipart/form-data' };
    const { url, ask } = await startApi({
      paths: { ...paths, '/pets': { ...paths['/pets'], post } },
      schemas: { Pet, NewPet },
    });
    const body = new FormData();
    body.append('file', new Blob(['Rex']), 'rex.txt');
    expect((await fetch(`${url}/pets`, { method: 'POST', body })).status).toBe(201);
    expect((await ask('GET', '/pets/1')).body).toMatchObject({ id: 1 });
  });

  it('can be sent as a form', async () => {
    const paths = createPaths({});
    const post = { ...paths['/pets']?.post, requestType: 'application/x-www-form-urlencoded' };
    const { ask } = await startApi({
      paths: { ...paths, '/pets': { ...paths['/pets'], post } },
      schemas: { Pet, NewPet },
    });
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await ask('POST', '/pets', 'name=Rex', type)).body).toEqual(REX);
  });
});

describe('A document like that of RealWorld', () => {
  const Article = createObject({
    'slug!': { ...TEXT, readOnly: true },
    'title!': TEXT,
    'tagList!': createList(TEXT),
    'createdAt!': { type: 'string', format: 'date-time', readOnly: true },
    'favorited!': { type: 'boolean', readOnly: true },
  });
  const NewArticle = createObject({ 'title!': TEXT, tagList: createList(TEXT) });
  const single = createObject({ 'article!': refer('Article') });
  const request = createObject({ 'article!': refer('NewArticle') });
  const paths = {
    '/articles': {
      get: { response: createObject({ 'articles!': createList(refer('Article')), 'articlesCount!': INTEGER }) },
      post: { status: 201, request, response: single },
    },
    '/articles/{slug}': { get: { response: single }, put: { request, response: single }, delete: { status: 200 } },
  };

  it('has a life cycle', async () => {
    const { ask } = await startApi({ paths, schemas: { Article, NewArticle } });
    const article = { title: 'How to train', tagList: ['a'] };
    expect((await ask('POST', '/articles', { article })).body).toMatchObject({
      article: { ...article, slug: 'how-to-train', createdAt: '2025-06-01T12:00:00.000Z' },
    });
    expect((await ask('GET', '/articles')).body).toMatchObject({
      articles: [{ slug: 'how-to-train' }],
      articlesCount: 1,
    });
    await ask('PUT', '/articles/how-to-train', { article: { title: 'New', tagList: [] } });
    expect((await ask('GET', '/articles/how-to-train')).body).toMatchObject({ article: { title: 'New', tagList: [] } });
    expect((await ask('DELETE', '/articles/how-to-train')).status).toBe(200);
    expect((await ask('GET', '/articles')).body).toEqual({ articles: [], articlesCount: 0 });
  });
});

describe('A document like that of the pet store', () => {
  const StorePet = createObject({
    id: { ...INTEGER, format: 'int64' },
    'name!': TEXT,
    category: createObject({ id: INTEGER, name: TEXT }),
    'photoUrls!': createList(TEXT),
    tags: createList(createObject({ id: INTEGER, name: TEXT })),
    status: { ...TEXT, enum: ['available', 'pending', 'sold'] },
  });
  const pet = refer('StorePet');
  const list = createList(pet);
  const paths = {
    '/pet': { post: { request: pet, response: pet }, put: { request: pet, response: pet } },
    '/pet/findByStatus': { get: { query: { 'status!': { ...TEXT, enum: ['available', 'sold'] } }, response: list } },
    '/pet/findByTags': { get: { query: { tags: createList(TEXT) }, response: list } },
    '/pet/{petId}': {
      parameters: { petId: INTEGER },
      get: { response: pet },
      post: { query: { name: TEXT, status: TEXT }, response: pet },
      delete: { status: 200 },
    },
  };
  const start = () => startApi({ paths, schemas: { StorePet } });

  it('creates a pet without an id', async () => {
    const { ask } = await start();
    expect((await ask('POST', '/pet', { name: 'Rex', photoUrls: [] })).body).toEqual({
      id: 1,
      name: 'Rex',
      photoUrls: [],
    });
  });

  it('replaces the pet whose id is in the body', async () => {
    const { ask } = await start();
    await ask('POST', '/pet', { id: 10, name: 'Rex', photoUrls: [] });
    await ask('PUT', '/pet', { id: 10, name: 'Max', photoUrls: [] });
    expect((await ask('GET', '/pet/10')).body).toEqual({ id: 10, name: 'Max', photoUrls: [] });
    expect((await ask('PUT', '/pet', { id: 11, name: 'Max', photoUrls: [] })).status).toBe(404);
  });

  it('finds pets by their status, and by their tags', async () => {
    const { ask } = await start();
    await ask('POST', '/pet', { id: 1, name: 'Rex', photoUrls: [], status: 'sold' });
    await ask('POST', '/pet', {
      id: 2,
      name: 'Tom',
      photoUrls: [],
      status: 'available',
      tags: [{ id: 1, name: 'cat' }],
    });
    const getNames = async (path: string) => (await ask('GET', path)).body.map(({ name }: { name: string }) => name);
    expect(await getNames('/pet/findByStatus?status=sold')).toEqual(['Rex']);
    expect(await getNames('/pet/findByTags?tags=cat')).toEqual(['Tom']);
  });

  it('updates a pet by query parameters', async () => {
    const { ask } = await start();
    await ask('POST', '/pet', { id: 1, name: 'Rex', photoUrls: [] });
    expect((await ask('POST', '/pet/1?name=Max&status=sold')).body).toMatchObject({
      id: 1,
      name: 'Max',
      status: 'sold',
    });
  });
});

describe('A body with a list of entries', () => {
  const lists = createObject({ data: createList(refer('Note')) });
  const { '/notes': notes, '/notes/{id}': note } = createResourcePaths('/notes/{id}', refer('Note'));
  const post = { status: 201, request: lists, response: lists };
  const api = {
    paths: { '/notes': { ...notes, post }, '/notes/{id}': note ?? {} },
    schemas: { Note: createObject({ id: INTEGER, text: TEXT }) },
  };

  it('creates all of them, which are in the response', async () => {
    const { ask } = await startApi(api);
    const created = [
      { id: 1, text: 'a' },
      { id: 2, text: 'b' },
    ];
    const data = created.map(({ text }) => ({ text }));
    expect(await ask('POST', '/notes', { data })).toMatchObject({ status: 201, body: { data: created } });
    expect((await ask('GET', '/notes')).body).toEqual(created);
    expect((await ask('POST', '/notes', { data: [] })).body).toEqual({ data: [] });
  });

  it('creates none if one of them is refused', async () => {
    const { ask } = await startApi(api);
    expect((await ask('POST', '/notes', { data: [{ id: 1 }, { id: 1 }] })).status).toBe(409);
    expect((await ask('GET', '/notes')).body).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import {
  INTEGER,
  LISTS_PETS,
  OWNERS,
  PET,
  PETS,
  schemas,
  TEXT,
  TIME,
  withCollection,
} from '../support/fixtures/pet-documents.ts';
import { explainApi } from '../support/harness/explain-api.ts';

/** Path shapes, and what their operations do. */
const cases: readonly (readonly [name: string, paths: Paths, expected: Readonly<Record<string, string>>])[] = [
  [
    'paths can end with a slash',
    {
      '/owners/': OWNERS['/owners'] ?? {},
      '/owners/{ownerId}/': OWNERS['/owners/{ownerId}'] ?? {},
      '/owners/{ownerId}/pets/': { ...LISTS_PETS, post: { request: PET, response: PET, status: 201 } },
      '/owners/{ownerId}/pets/{petId}/': { get: { response: PET } },
      '/owners/{ownerId}/greet/': { post: {} },
    },
    {
      'GET /owners/': 'real: lists owners',
      'GET /owners/{ownerId}/': 'real: reads an owner (id: id)',
      'DELETE /owners/{ownerId}/': 'real: deletes an owner (also deletes: pets)',
      'POST /owners/{ownerId}/pets/': 'real: creates a pet of /owners/{ownerId}',
      'GET /owners/{ownerId}/pets/{petId}/': 'real: reads a pet of /owners/{ownerId} (id: id)',
    },
  ],
  [
    'a collection with an item path is a resource',
    PETS,
    {
      'GET /pets': 'real: lists pets',
      'POST /pets': 'real: creates a pet',
      'GET /pets/{petId}': 'real: reads a pet (id: id)',
      'PUT /pets/{petId}': 'real: replaces a pet',
      'PATCH /pets/{petId}': 'real: updates a pet',
      'DELETE /pets/{petId}': 'real: deletes a pet',
    },
  ],
  [
    'times come from the clock, and entries that are created below their parent are deleted with it, also with another path',
    {
      ...createResourcePaths(
        '/hives/{id}',
        createObject({ 'id!': INTEGER, created_at: TIME, updatedAt: TIME, seenAt: TIME }),
      ),
      '/hives/{id}/checks': { get: { response: createList(PET) }, post: { request: PET, response: PET, status: 201 } },
      '/checks/{checkId}': { get: { response: PET } },
    },
    {
      'POST /hives': 'real: creates a hive (sets to the current time: created_at, updatedAt)',
      'PATCH /hives/{id}': 'real: updates a hive (sets to the current time: updatedAt)',
      'DELETE /hives/{id}': 'real: deletes a hive (also deletes: checks)',
    },
  ],
  [
    'entries that are also created elsewhere stay when their parent is deleted',
    {
      ...createResourcePaths('/hives/{id}', createObject({ 'id!': INTEGER })),
      '/hives/{id}/checks': { get: { response: createList(PET) }, post: { request: PET, response: PET, status: 201 } },
      '/checks': { post: { request: PET, response: PET, status: 201 } },
      '/checks/{checkId}': { get: { response: PET } },
    },
    { 'DELETE /hives/{id}': 'real: deletes a hive (keeps: checks)' },
  ],
  [
    'a resource can have a prefix',
    createResourcePaths('/api/v2/animals/{id}', PET),
    { 'GET /api/v2/animals': 'real: lists animals', 'GET /api/v2/animals/{id}': 'real: reads an animal (id: id)' },
  ],
  [
    'a resource can be nested',
    {
      ...createResourcePaths('/owners/{ownerId}', refer('Owner')),
      ...createResourcePaths('/owners/{ownerId}/pets/{petId}', PET),
    },
    {
      'GET /owners': 'real: lists owners',
      'GET /owners/{ownerId}/pets': 'real: lists pets of /owners/{ownerId}',
      'DELETE /owners/{ownerId}/pets/{petId}': 'real: deletes a pet of /owners/{ownerId}',
    },
  ],
  [
    'a resource can be listed below a parent too',
    {
      ...PETS,
      ...createResourcePaths('/owners/{ownerId}', refer('Owner')),
      '/owners/{ownerId}/pets': LISTS_PETS,
    },
    { 'GET /owners/{ownerId}/pets': 'real: lists pets of /owners/{ownerId}' },
  ],
  [
    'a path below a collection filters it by a required query parameter',
    {
      ...PETS,
      '/pets/findByStatus': { get: { query: { 'status!': TEXT }, response: createList(PET) } },
    },
    { 'GET /pets/findByStatus': 'real: lists pets (filters: status)' },
  ],
  [
    'a PUT or PATCH on the collection changes the entry whose id is in the body',
    withCollection({ put: { request: PET, response: PET }, patch: { request: PET, response: PET } }),
    { 'PUT /pets': 'real: replaces a pet', 'PATCH /pets': 'real: updates a pet' },
  ],
  [
    'a DELETE on the collection deletes all entries',
    withCollection({ delete: { status: 204 } }),
    { 'DELETE /pets': 'real: deletes all pets' },
  ],
  [
    'a DELETE on the collection deletes all entries if its summary says so',
    withCollection({ delete: { status: 204, summary: 'Delete every pet' } }),
    { 'DELETE /pets': 'real: deletes all pets' },
  ],
  [
    'a path that is read and replaced is a singleton',
    { '/settings': { get: { response: refer('Settings') }, put: { request: refer('Settings'), status: 204 } } },
    { 'GET /settings': 'real: reads settings', 'PUT /settings': 'real: replaces settings' },
  ],
  [
    'a PUT creates the entries of a path without a collection',
    { '/flags/{name}': { get: { response: refer('Settings') }, put: { request: refer('Settings'), status: 204 } } },
    {
      'GET /flags/{name}': 'real: reads a flag (the id is only in the path)',
      'PUT /flags/{name}': 'real: replaces a flag',
    },
  ],
  [
    'entries that no operation creates are generated',
    { '/pets': LISTS_PETS, '/pets/{petId}': { get: { response: PET } } },
    { 'GET /pets': 'real: lists pets (starts with examples or generated entries)' },
  ],
  [
    'a POST that returns a page of entries for other properties lists them',
    withCollection({
      post: {
        request: createObject({ filters: { type: 'object' }, limit: INTEGER }),
        response: createObject({ 'data!': createList(PET), limit: INTEGER }),
      },
    }),
    { 'POST /pets': 'real: lists pets (starts with examples or generated entries)' },
  ],
  [
    'a POST at the path of an entry without a response updates it if it sends properties of the entry',
    { ...PETS, '/pets/{petId}': { ...PETS['/pets/{petId}'], post: { request: PET, status: 204 } } },
    { 'POST /pets/{petId}': 'real: updates a pet' },
  ],
  [
    'a list below a parent has the entries that a path without the parent reads',
    {
      ...createResourcePaths('/owners/{ownerId}', refer('Owner')),
      '/owners/{ownerId}/pets': { ...LISTS_PETS, post: { status: 201, request: PET, response: PET } },
      '/pets/{petId}': { get: { response: PET } },
    },
    {
      'GET /owners/{ownerId}/pets': 'real: lists pets of /owners/{ownerId}',
      'POST /owners/{ownerId}/pets': 'real: creates a pet of /owners/{ownerId}',
      'GET /pets/{petId}': 'real: reads a pet (id: id)',
    },
  ],
  [
    'a list whose POST creates its entries needs no path for an entry',
    {
      ...createResourcePaths('/owners/{ownerId}', refer('Owner')),
      '/owners/{ownerId}/pets': { ...LISTS_PETS, post: { status: 201, request: PET, response: PET } },
    },
    {
      'GET /owners/{ownerId}/pets': 'real: lists pets of /owners/{ownerId}',
      'POST /owners/{ownerId}/pets': 'real: creates a pet of /owners/{ownerId}',
    },
  ],
  [
    'a list below a parent has the entries that a path without the parent deletes',
    {
      ...createResourcePaths('/owners/{ownerId}', refer('Owner')),
      '/owners/{ownerId}/pets': { ...LISTS_PETS, post: { status: 201, request: PET, response: PET } },
      '/pets/{petId}': { patch: { request: PET, response: PET }, delete: { status: 204 } },
    },
    {
      'POST /owners/{ownerId}/pets': 'real: creates a pet of /owners/{ownerId}',
      'DELETE /pets/{petId}': 'real: deletes a pet',
    },
  ],
  [
    'entries that are removed from a parent without being its own are members',
    {
      ...PETS,
      '/clubs/{clubId}/pets': { ...LISTS_PETS, post: { request: createObject({ 'id!': INTEGER }), response: PET } },
      '/clubs/{clubId}/pets/{petId}': { delete: { status: 204 } },
    },
    {
      'GET /clubs/{clubId}/pets':
        'real: lists clubs.pets of /clubs/{clubId} (accepts each clubId: no operation lists or creates /clubs; generates: name)',
      'GET /pets': 'real: lists pets',
    },
  ],
  [
    'children can have the schema of their parents',
    { ...createResourcePaths('/pets/{petId}', PET), ...createResourcePaths('/pets/{petId}/kittens/{kittenId}', PET) },
    { 'POST /pets/{petId}/kittens': expect.stringMatching(/^real: creates a kitten/) },
  ],
  [
    'a path that ends with the parent of an entry lists the entries, and the path before it those of all parents',
    {
      '/pets': PETS['/pets'] ?? {},
      '/pets/{status}': { get: { response: createObject({ data: createList(PET) }) } },
      '/pets/{status}/{name}': { get: { response: PET } },
    },
    {
      'GET /pets': expect.stringMatching(/^real: lists pets/),
      'POST /pets': expect.stringMatching(/^real: creates a pet/),
      'GET /pets/{status}': expect.stringMatching(/^real: lists pets/),
      'GET /pets/{status}/{name}': expect.stringMatching(/^real: reads a pet.*id: name/),
    },
  ],
];

describe('The inference of resources', () => {
  it.each(cases)('%s', async (_name, paths, expected) => {
    expect(await explainApi({ paths, schemas })).toMatchObject(expected);
  });
});

it('The entries of a list are not what their own path shows, if both have no property in common', async () => {
  const invoice = createObject({ invoice_uuid: TEXT, amount: TEXT });
  const items = createObject({ invoice_items: { type: 'array', items: createObject({ product: TEXT }) } });
  const explained = await explainApi({
    paths: {
      '/invoices': { get: { response: createObject({ invoices: { type: 'array', items: invoice } }) } },
      '/invoices/{invoice_uuid}': { get: { response: items }, delete: { status: 204 } },
    },
  });
  expect(explained).toMatchObject({
    'GET /invoices': 'real: lists invoices (starts with examples or generated entries)',
    'GET /invoices/{invoice_uuid}': 'mocked: the response has no property of an invoice',
    'DELETE /invoices/{invoice_uuid}': 'real: deletes an invoice (starts with examples or generated entries)',
  });
});

it('POST creates no entry if neither its request nor its response has a property of one', async () => {
  const backup = createObject({ filename: TEXT, size: INTEGER });
  const start = {
    request: createObject({ with_uploads: TEXT }),
    response: createObject({ success: TEXT }),
    status: 200,
  };
  const explained = await explainApi({
    paths: {
      '/backups': { get: { response: createList(backup) }, post: start },
      '/backups/{filename}': { get: { response: backup }, delete: { status: 204 } },
    },
  });
  expect(explained['POST /backups']).toBe('mocked: neither the request nor the response has a property of a backup');
  expect(explained['GET /backups/{filename}']).toMatch(/^real: reads a backup/);
});

describe('The explanation of a list', () => {
  it('names the query parameters that filter, sort, page, and that are ignored', async () => {
    const query = { status: TEXT, sort: TEXT, limit: INTEGER, offset: INTEGER, verbose: { type: 'boolean' } };
    const paths = withCollection({ get: { query, response: createList(PET) } });
    const explained = await explainApi({ paths, schemas });
    expect(explained['GET /pets']).toBe(
      'real: lists pets (filters: status; sorts by: sort; pages by: limit, offset; ignores: verbose)',
    );
  });
});

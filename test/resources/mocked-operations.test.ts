import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { INTEGER, LISTS_PETS, PET, PETS, schemas, TEXT, withCollection } from '../support/fixtures/pet-documents.ts';
import { explainApi } from '../support/harness/explain-api.ts';

const REASON = 'mocked: :petId in the path is not a parameter: write {petId}';

const PERSON = createObject({ id: TEXT, name: TEXT });
/** A list of requests between users. */
const SENT = createList(createObject({ id: TEXT, sender: PERSON, receiver: PERSON, status: TEXT }));

/** Path shapes with operations that are mocked, or that change no list. */
const cases: readonly (readonly [name: string, paths: Paths, expected: Readonly<Record<string, string>>])[] = [
  [
    'an action is mocked',
    { ...PETS, '/pets/{petId}/feed': { post: { status: 204 } } },
    { 'POST /pets/{petId}/feed': 'mocked: an action: the document does not say what the action changes' },
  ],
  [
    'a list whose POST responds with something else is mocked',
    { '/pets': { ...LISTS_PETS, post: { request: PET, response: refer('Settings') } } },
    { 'GET /pets': 'mocked: a list without a path for its entries' },
  ],
  [
    'a PUT without a body is an action where a POST creates entries, else it adds a member',
    {
      ...PETS,
      '/backups': PETS['/pets'] ?? {},
      '/backups/{id}': { get: { response: PET }, put: { status: 204 } },
      '/teams/{team}/members': LISTS_PETS,
      '/teams/{team}/members/{id}': { put: { status: 204 }, delete: { status: 204 } },
    },
    {
      'PUT /backups/{id}': 'mocked: an action on backup: the document does not say what the action changes',
      'PUT /teams/{team}/members/{id}': 'real: adds a member of /teams/{team}',
      'DELETE /pets/{petId}': 'real: deletes a pet (also deletes: members)',
    },
  ],
  [
    'a POST below a collection is an action, also where a GET lists entries',
    {
      ...PETS,
      '/pets/walk': {
        get: { query: { status: TEXT }, response: createList(PET) },
        post: { request: PET, response: PET },
      },
    },
    {
      'GET /pets/walk': 'real: lists pets (filters: status)',
      'POST /pets/walk': 'mocked: an action: the document does not say what the action changes',
    },
  ],
  [
    'a PUT is an action if nothing reads or creates entries',
    { '/owners/pets': { put: { request: PET } }, '/owners/pets/{petId}': { put: { request: PET } } },
    { 'PUT /owners/pets/{petId}': 'mocked: an action: the document does not say what the action changes' },
  ],
  [
    'a POST at a path like that of an entry is an action',
    { ...PETS, '/pets/{ownerId}': { post: { request: PET, response: PET } } },
    {
      'GET /pets/{petId}': 'real: reads a pet (id: id)',
      'POST /pets/{ownerId}': 'mocked: an action: the document does not say what the action changes',
    },
  ],
  [
    'an object that a query parameter selects is no singleton',
    { '/visitor': { get: { query: { 'booth!': TEXT }, response: PET }, put: { request: PET } } },
    { 'GET /visitor': 'mocked: no operation changes the returned object' },
  ],
  [
    'an object without a property of the request is no singleton',
    { '/migration': { get: { response: PET }, put: { request: createObject({ source: TEXT }), status: 204 } } },
    { 'GET /migration': 'mocked: no operation changes the returned object' },
  ],
  [
    'an entry with a list, and a page of this list, are no list and no entry of a list',
    {
      '/threads/{threadId}': {
        get: { response: createObject({ info: refer('Owner'), pets: createList(PET) }) },
        delete: { status: 204 },
      },
      '/threads/{threadId}/{page}': { get: { response: createObject({ pets: createList(PET) }) } },
    },
    {
      'GET /threads/{threadId}': 'mocked: no operation creates or lists the returned object',
      'DELETE /threads/{threadId}': 'mocked: an action: the document does not say what the action changes',
      'GET /threads/{threadId}/{page}': 'mocked: no operation creates or lists the returned object',
    },
  ],
  [
    'an entry with a list is no list, also beside a path with another parameter',
    {
      '/owners/{owner}': { get: { response: createObject({ id: INTEGER, pets: createList(PET) }) } },
      '/owners/{owner}/{pet}': { get: { response: PET } },
    },
    { 'GET /owners/{owner}': 'mocked: no operation creates or lists the returned object' },
  ],
  [
    'a DELETE on the collection with a query is an action',
    withCollection({ delete: { status: 204, query: { name: TEXT } } }),
    { 'DELETE /pets': 'mocked: an action on pets: the document does not say what the action changes' },
  ],
  [
    'a DELETE on the collection that names one entry is an action',
    withCollection({ delete: { status: 204, summary: 'Delete a pet and all its photos' } }),
    { 'DELETE /pets': 'mocked: an action on pets: the document does not say what the action changes' },
  ],
  [
    'a PATCH on the collection with a list of entries is an action',
    withCollection({ patch: { request: createObject({ 'pets!': createList(PET) }), status: 204 } }),
    { 'PATCH /pets': 'mocked: the request body is not an object with the properties of a pet' },
  ],
  [
    'a list whose entries nothing identifies, or that needs a value that no entry has, is mocked',
    {
      '/pets': { get: { response: createList(createObject({ count: { type: 'integer' } })) } },
      '/dogs': { get: { query: { 'day!': TEXT }, response: createList(PET) } },
    },
    {
      'GET /pets': 'mocked: a list without a path for its entries',
      'GET /dogs': 'mocked: a list without a path for its entries',
    },
  ],
  [
    'an object that no operation changes is mocked',
    { '/status': { get: { response: refer('Settings') } } },
    { 'GET /status': 'mocked: no operation changes the returned object' },
  ],
  [
    'an item that no operation creates or lists is mocked',
    { '/pets/{petId}': { get: { response: PET } } },
    { 'GET /pets/{petId}': 'mocked: no operation creates or lists the returned object' },
  ],
  [
    'a POST that responds with the parent creates nothing',
    {
      ...createResourcePaths('/pets/{petId}', PET),
      '/pets/{petId}/keepers': { post: { request: createObject({ keepers: createList(TEXT) }), response: PET } },
      '/pets/{petId}/keepers/{keeper}': { get: { status: 204 } },
    },
    { 'POST /pets/{petId}/keepers': 'mocked: an action: the document does not say what the action changes' },
  ],
  [
    'a list by a parameter that no entry has is mocked',
    {
      '/reports': { post: { status: 201, request: PET, response: createObject({}) } },
      '/reports/{digest}': { get: { response: createObject({ reports: createList(PET) }) } },
    },
    { 'GET /reports/{digest}': expect.stringMatching(/^mocked/) },
  ],
  [
    'a request body that is not an object is mocked',
    withCollection({ post: { status: 201, request: createList(TEXT), response: createList(TEXT) } }),
    { 'POST /pets': 'mocked: the request body is not an object with the properties of a pet' },
  ],
  [
    'lists of the requests that another path sends to a user are mocked',
    {
      '/friends/request': { post: { request: createObject({ receiverId: TEXT }) } },
      '/friends/request/{id}': { delete: {} },
      ...Object.fromEntries(['sent', 'pending'].map((name) => [`/friends/${name}`, { get: { response: SENT } }])),
    },
    {
      'GET /friends/sent': 'mocked: the document does not say which entries are sent',
      'GET /friends/pending': 'mocked: the document does not say which entries are pending',
    },
  ],
  [
    'a path with a parameter as in Express is mocked',
    { '/pets/:petId': { get: { response: PET }, delete: { status: 204 } } },
    { 'GET /pets/:petId': REASON, 'DELETE /pets/:petId': REASON },
  ],
];

describe('The inference of operations without a resource', () => {
  it.each(cases)('%s', async (_name, paths, expected) => {
    expect(await explainApi({ paths, schemas })).toMatchObject(expected);
  });
});

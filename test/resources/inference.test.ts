import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const TIME = { type: 'string', format: 'date-time' };

const Pet = createObject({ 'id!': INTEGER, 'name!': TEXT, status: TEXT });
const Owner = createObject({ 'id!': INTEGER, 'name!': TEXT });
const schemas = { Pet, Owner, Settings: createObject({ theme: TEXT }) };

const PET = refer('Pet');
const LISTS_PETS = { get: { response: createList(PET) } };

const PETS = createResourcePaths('/pets/{petId}', PET);

/** Returns the paths of pets with other operations on the collection. */
function withCollection(operations: Paths[string]): Paths {
  return { ...PETS, '/pets': { ...PETS['/pets'], ...operations } };
}

const OWNERS = createResourcePaths('/owners/{ownerId}', refer('Owner'));

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
    'times come from the clock, and entries with another path stay when their parent is deleted',
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
      'DELETE /hives/{id}': 'real: deletes a hive (keeps: checks)',
    },
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
    'an action is mocked',
    { ...PETS, '/pets/{petId}/feed': { post: { status: 204 } } },
    { 'POST /pets/{petId}/feed': 'mocked: an action: the document does not say what the action changes' },
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
    'an object that a query parameter selects is no singleton',
    { '/visitor': { get: { query: { 'id!': TEXT }, response: PET }, put: { request: PET } } },
    { 'GET /visitor': 'mocked: no operation changes the returned object' },
  ],
  [
    'an object without a property of the request is no singleton',
    { '/migration': { get: { response: PET }, put: { request: createObject({ source: TEXT }), status: 204 } } },
    { 'GET /migration': 'mocked: no operation changes the returned object' },
  ],
  [
    'a DELETE on the collection with a query is an action',
    withCollection({ delete: { status: 204, query: { name: TEXT } } }),
    { 'DELETE /pets': 'mocked: an action on pets: the document does not say what the action changes' },
  ],
  [
    'a PATCH on the collection with a list of entries is an action',
    withCollection({ patch: { request: createObject({ 'pets!': createList(PET) }), status: 204 } }),
    { 'PATCH /pets': 'mocked: the request body is not an object with the properties of a pet' },
  ],
  [
    'entries that are removed from a parent without being its own are members',
    {
      ...PETS,
      '/clubs/{clubId}/pets': { ...LISTS_PETS, post: { request: createObject({ 'id!': INTEGER }), response: PET } },
      '/clubs/{clubId}/pets/{petId}': { delete: { status: 204 } },
    },
    { 'GET /clubs/{clubId}/pets': 'real: lists clubs.pets of /clubs/{clubId}', 'GET /pets': 'real: lists pets' },
  ],
  [
    'a list without a path for its entries is mocked',
    { '/pets': LISTS_PETS },
    { 'GET /pets': 'mocked: a list without a path for its entries' },
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
    withCollection({ post: { status: 201, request: createList(PET), response: createList(PET) } }),
    { 'POST /pets': 'mocked: the request body is not an object with the properties of a pet' },
  ],
];

describe('The inference of resources', () => {
  it.each(cases)('%s', async (_name, paths, expected) => {
    expect(await explainApi({ paths, schemas })).toMatchObject(expected);
  });
});

/** Path parameters, the properties of the entries, and the property that is found as the id. */
const ids: readonly (readonly [parameter: string, properties: readonly string[], id: string])[] = [
  ['petId', ['id', 'name'], 'id: id'],
  ['id', ['name', 'id'], 'id: id'],
  ['petId', ['id', 'petId'], 'id: petId'],
  ['pet_id', ['petId', 'name'], 'id: petId'],
  ['pet', ['id', 'name'], 'id: id'],
  ['petName', ['id', 'name'], 'id: name'],
  ['slug', ['id', 'slug'], 'id: slug'],
  ['petUuid', ['uuid', 'name'], 'id: uuid'],
  ['owner_pet_tag', ['tag', 'pet_tag'], 'id: pet_tag'],
  ['key', ['color', 'size'], 'the id is only in the path'],
  ['id', ['name', 'key'], 'id: key'],
  ['uidOrName', ['name', 'uid'], 'id: uid or name'],
  ['pet_id_or_name', ['name', 'id'], 'id: id or name'],
  ['pet_id_or_name', ['id'], 'id: id'],
  ['ownerPetId', ['name', 'favoritePetId'], 'id: favoritePetId'],
];

describe('The id of an entry', () => {
  it.each(ids)('is found for {%s} and the properties %j', async (parameter, properties, id) => {
    const schema = createObject(Object.fromEntries(properties.map((name) => [name, TEXT])));
    const explained = await explainApi({ paths: createResourcePaths(`/pets/{${parameter}}`, schema) });
    expect(explained[`GET /pets/{${parameter}}`]).toBe(`real: reads a pet (${id})`);
  });

  it('has the type of the path parameter, if two properties could be the id', async () => {
    const schema = createObject({ petId: TEXT, id: INTEGER });
    const paths = createResourcePaths('/pets/{petId}', schema);
    const typed = { ...paths, '/pets/{petId}': { ...paths['/pets/{petId}'], parameters: { petId: INTEGER } } };
    expect((await explainApi({ paths: typed }))['GET /pets/{petId}']).toBe('real: reads a pet (id: id)');
  });
});

it('The id of an entry is the property with the format of the path parameter, if this is an address', async () => {
  const ADDRESS = { type: 'string', format: 'ipv6' };
  const paths = createResourcePaths('/reserved_ipv6/{reserved_ipv6}', createObject({ ip: ADDRESS, region: TEXT }));
  const item = '/reserved_ipv6/{reserved_ipv6}';
  const typed = { ...paths, [item]: { ...paths[item], parameters: { reserved_ipv6: ADDRESS } } };
  expect((await explainApi({ paths: typed }))[`GET ${item}`]).toMatch(/\(id: ip\)$/);
});

it('The id of an entry is in the object that the path parameter names', async () => {
  const schema = createObject({ role: TEXT, organization: createObject({ id: INTEGER, login: TEXT }) });
  const explained = await explainApi({ paths: createResourcePaths('/memberships/orgs/{org}', schema) });
  expect(explained['GET /memberships/orgs/{org}']).toBe('real: reads an org (id: organization.login)');
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

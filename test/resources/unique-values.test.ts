import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const sent = { 'name!': TEXT, code: TEXT, status: { enum: ['open', 'done'] }, color: TEXT_OR_NULL };
const schemas = {
  Tag: createObject({ 'id!': { type: 'integer' }, ...sent, note: TEXT, lastUsedAt: TEXT_OR_NULL }),
};

/** Starts a server for tags. `description`: that of the response 409 of POST and PUT. */
async function start(description: string, collection = '/tags') {
  const contract = await writeApi({
    paths: createResourcePaths(`${collection}/{tagId}`, refer('Tag'), createObject(sent)),
    schemas,
  });
  const document = JSON.parse(await readFile(contract, 'utf8'));
  document.paths[collection].post.responses['409'] = { description };
  document.paths[`${collection}/{tagId}`].put.responses['409'] = { description };
  await writeFile(contract, JSON.stringify(document));
  return (await startStorefront({ contract })).ask;
}

it.each(['A tag with this name exists', 'The tag already exists', 'Name is already taken'])(
  'A name that another entry has is refused if the 409 of the operation says: %s',
  async (description) => {
    const ask = await start(description);
    expect((await ask('POST', '/tags', { name: 'a' })).status).toBe(201);
    const refused = await ask('POST', '/tags', { name: 'a' });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'a tag with the name "a" already exists: use another name',
    ]);
    const { body } = await ask('POST', '/tags', { name: 'b' });
    expect((await ask('PUT', `/tags/${body.id}`, { name: 'a' })).status).toBe(409);
    expect((await ask('PUT', `/tags/${body.id}`, { name: 'b', code: 'x' })).status).toBe(200);
  },
);

it.each(['Conflict', 'The status is already done', 'The tag is in use'])(
  'An equal name is accepted if the 409 says: %s',
  async (description) => {
    const ask = await start(description);
    for (const _ of [1, 2]) expect((await ask('POST', '/tags', { name: 'a', status: 'done' })).status).toBe(201);
  },
);

const french = {
  ...{ 'nom!': TEXT, lieu: TEXT, courriel: { type: 'string', format: 'email' }, debut: TEXT },
  ...{ jour: { type: 'string', format: 'date' }, statut: { enum: ['ouvert', 'clos'] }, motCle: TEXT },
};

/** Starts a server for editions whose properties have French names. `description`: that of the 409 of POST. */
async function startFrench(description: string) {
  const contract = await writeApi({
    paths: createResourcePaths('/editions/{editionId}', refer('Edition'), createObject(french)),
    schemas: { Edition: createObject({ 'id!': { type: 'integer' }, ...french }) },
  });
  const document = JSON.parse(await readFile(contract, 'utf8'));
  document.paths['/editions'].post.responses['409'] = { description };
  await writeFile(contract, JSON.stringify(document));
  return (await startStorefront({ contract })).ask;
}

const edition = {
  ...{ nom: 'a', lieu: 'b', courriel: 'a@example.com', debut: 'c', jour: '2030-01-01', statut: 'ouvert', motCle: 'd' },
};

it.each([
  ['An edition with this nom already exists', 'nom'],
  ['Duplicate lieu', 'lieu'],
  ['The mot cle is already used by another edition', 'motCle'],
  ["Nom d'édition déjà utilisé", 'nom'],
  ['Une édition avec ce nom existe déjà', 'nom'],
  ['Courriel déjà utilisé', 'courriel'],
])('Any text of a request must be unique if it is the only one that the 409 names: %s', async (description, name) => {
  const ask = await startFrench(description);
  expect((await ask('POST', '/editions', edition)).status).toBe(201);
  expect((await ask('POST', '/editions', { ...edition, [name]: 'z@example.com' })).status).toBe(201);
  const others = Object.fromEntries(Object.keys(french).map((own) => [own.replace('!', ''), undefined]));
  const refused = await ask('POST', '/editions', { ...others, nom: 'y', [name]: edition[name as 'nom'] });
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    `an edition with the ${name} "${edition[name as 'nom']}" already exists: use another ${name}`,
  ]);
});

it.each([
  'An edition with this nom and lieu already exists',
  'An edition for this lieu already exists',
  'Une édition pour ce lieu existe déjà',
  'An edition on this jour already exists',
  'The statut is already clos',
  'The lieu is closed, and the edition is already done',
  'This lieu does not exist',
])('Equal values are accepted if the 409 says: %s', async (description) => {
  const ask = await startFrench(description);
  for (const _ of [1, 2]) expect((await ask('POST', '/editions', edition)).status).toBe(201);
});

it('Only the property that the 409 names must be unique', async () => {
  const ask = await start('Another tag has this code already');
  for (const code of ['x', 'y']) expect((await ask('POST', '/tags', { name: 'a', code })).status).toBe(201);
  expect((await ask('POST', '/tags', { name: 'b', code: 'x' })).status).toBe(409);
});

it('Names must only be unique below the same parent', async () => {
  const ask = await start('A tag with this name exists', '/teams/{teamId}/tags');
  expect((await ask('POST', '/teams/1/tags', { name: 'a' })).status).toBe(201);
  expect((await ask('POST', '/teams/2/tags', { name: 'a' })).status).toBe(201);
  expect((await ask('POST', '/teams/1/tags', { name: 'a' })).status).toBe(409);
});

it('Properties that a request can have are null in a new entry if they can be null, and others are missing', async () => {
  const ask = await start('Conflict');
  expect((await ask('POST', '/tags', { name: 'a' })).body).toEqual({ id: 1, name: 'a', color: null });
});

it('A value is refused that another entry has if the description of its property says that it is unique', async () => {
  const sku = { ...TEXT, description: 'Required, unique across items' };
  const skus = { 'name!': TEXT, 'sku!': sku, price: { type: 'integer' } };
  const Item = createObject({ 'id!': { type: 'integer' }, ...skus });
  const contract = await writeApi({ paths: createResourcePaths('/items/{itemId}', Item, createObject(skus)) });
  const document = JSON.parse(await readFile(contract, 'utf8'));
  document.paths['/items'].post.responses['409'] = { description: 'Item already exists with same name and price' };
  await writeFile(contract, JSON.stringify(document));
  const { ask } = await startStorefront({ contract });
  expect((await ask('POST', '/items', { name: 'a', sku: 'x', price: 1 })).status).toBe(201);
  expect((await ask('POST', '/items', { name: 'a', sku: 'y', price: 2 })).status).toBe(201);
  expect((await ask('POST', '/items', { name: 'a', sku: 'z', price: 2 })).status).toBe(409);
  expect((await ask('POST', '/items', { name: 'b', sku: 'x', price: 3 })).status).toBe(409);
});

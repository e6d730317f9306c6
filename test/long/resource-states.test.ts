import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createApiDocument,
  createList,
  createObject,
  createResourcePaths,
  refer,
} from '../support/fixtures/api-document.ts';
import { eventually, getWarnings } from '../support/harness/edited-file.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient, startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const ID = { type: 'integer', readOnly: true };
const Pet = createObject({ 'id!': ID, 'name!': TEXT, tag: { ...TEXT, enum: ['cat', 'dog'] } });
const Owner = createObject({ 'id!': ID, 'name!': TEXT });

const API = {
  paths: {
    ...createResourcePaths('/owners/{ownerId}', refer('Owner')),
    ...createResourcePaths('/owners/{ownerId}/pets/{petId}', refer('Pet')),
  },
  schemas: { Pet, Owner },
};

const STATE = {
  owners: [{ id: 1, name: 'Ada' }],
  pets: [{ $path: { ownerId: '1' }, id: 1, name: 'Rex' }],
};

/** Sends requests that create an owner with a pet. */
async function createEntries(ask: Awaited<ReturnType<typeof startApi>>['ask']) {
  await ask('POST', '/owners', { name: 'Ada' });
  await ask('POST', '/owners/1/pets', { name: 'Rex' });
}

describe('The state', () => {
  it('has a list for each resource', async () => {
    const { ask, port } = await startApi(API);
    await createEntries(ask);
    expect((await createControlClient({ port })('GET', '/default/state')).body).toEqual(STATE);
  });

  it('is replaced by PUT, and read by the operations', async () => {
    const { ask, port } = await startApi(API);
    expect((await createControlClient({ port })('PUT', '/default/state', STATE)).status).toBe(204);
    expect((await ask('GET', '/owners/1/pets')).body).toEqual([{ id: 1, name: 'Rex' }]);
  });

  it.each([
    ['an invalid property', { owners: [{ id: 1, name: 7 }] }, '/owners/0/name'],
    ['an invalid enum', { pets: [{ $path: { ownerId: '1' }, id: 1, tag: 'cow' }] }, '/pets/0/tag'],
    ['a missing id', { owners: [{ name: 'Ada' }] }, '/owners/0/id'],
    ['an empty parent', { pets: [{ $path: { ownerId: '' }, id: 1 }] }, '/pets/0/$path/ownerId'],
    ['a missing parent', { pets: [{ id: 1, name: 'Rex' }] }, '/pets/0/$path/ownerId'],
    ['a parent that is an object', { pets: [{ $path: { ownerId: {} }, id: 1 }] }, '/pets/0/$path/ownerId'],
    ['an id that another entry has', { owners: [{ id: 1 }, { id: 1 }] }, '/owners/1/id'],
  ])('is refused with %s', async (_name, state, pointer) => {
    const { port } = await startApi(API);
    expect(await createControlClient({ port })('PUT', '/default/state', { ...STATE, ...state })).toMatchObject({
      status: 409,
      text: expect.stringContaining(pointer),
    });
  });

  it('is refused with the remedy for an invalid property', async () => {
    const { port } = await startApi(API);
    const pets = [{ ...STATE.pets[0], tag: 'cow' }];
    expect(await createControlClient({ port })('PUT', '/default/state', { ...STATE, pets })).toMatchObject({
      body: { violations: [{ pointer: '/pets/0/tag', rule: 'enum', remedy: 'use "cat" or "dog"' }] },
    });
  });

  it('can have entries without properties that a response requires', async () => {
    const { ask, port } = await startApi(API);
    await createControlClient({ port })('PUT', '/default/state', { owners: [{ id: 1 }] });
    expect((await ask('GET', '/owners/1')).body).toEqual({ id: 1, name: expect.any(String) });
  });

  it('is isolated in each sandbox', async () => {
    const server = await startApi(API);
    const [one, two] = ['one', 'two'].map((id) => createSandboxClient(server, id));
    await one?.('POST', '/owners', { name: 'Ada' });
    await two?.('POST', '/owners', { name: 'Bob' });
    expect((await one?.('GET', '/owners'))?.body).toEqual([{ id: 1, name: 'Ada' }]);
    expect((await two?.('GET', '/owners'))?.body).toEqual([{ id: 1, name: 'Bob' }]);
    expect((await server.ask('GET', '/owners')).body).toEqual([]);
  });

  it('is stored in snapshots and restored from them', async () => {
    const { ask, port } = await startApi(API);
    const control = createControlClient({ port });
    await createEntries(ask);
    await control('PUT', '/default/snapshots/mine');
    await ask('DELETE', '/owners/1');
    await control('POST', '/default/snapshots/mine/restore');
    expect((await control('GET', '/default/state')).body).toEqual(STATE);
  });

  it('has no built-in snapshots, which the message about an unknown snapshot says', async () => {
    const { port } = await startApi(API);
    expect((await createControlClient({ port })('POST', '/default/snapshots/paid/restore')).body.detail).toMatch(
      /Save the snapshot in this sandbox, or add it to the folder of --snapshots\.$/,
    );
  });

  it('does not change if one of many requests at once is refused', async () => {
    const { ask } = await startApi({ paths: createResourcePaths('/badges/{code}', createObject({ 'code!': TEXT })) });
    const requests = Array.from({ length: 20 }, (_, index) => ask('POST', '/badges', { code: `b${index % 10}` }));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    expect((await ask('GET', '/badges')).body).toHaveLength(10);
  });

  it('gives each of many new entries at once its own id', async () => {
    const { ask } = await startApi(API);
    const requests = Array.from({ length: 20 }, () => ask('POST', '/owners', { name: 'Ada' }));
    const ids = (await Promise.all(requests)).map(({ body }) => body.id);
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });
});

describe('The data file', () => {
  it('has the entries after each response', async () => {
    const { ask, dataFile, flush } = await startApi(API);
    await createEntries(ask);
    await flush();
    expect(JSON.parse(await readFile(dataFile ?? '', 'utf8'))).toEqual(STATE);
  });

  it('keeps the entries over a restart', async () => {
    const folder = await folderWith({});
    const data = join(folder, 'db.json');
    const contract = await writeApi(API);
    const first = await startStorefront({ contract, data });
    await createEntries(first.ask);
    await first.close();
    const { ask } = await startStorefront({ contract, data });
    expect((await ask('GET', '/owners/1/pets/1')).body).toEqual({ id: 1, name: 'Rex' });
  });

  it('keeps the entries when the server is killed', async (context) => {
    const contract = await writeApi(API);
    const data = join(await folderWith({}), 'db.json');
    const args = ['--contract', contract, '--data', data, '--port', '0'];
    const first = await startProgram(context, args);
    const ask = createFetchClient(await first.url());
    await createEntries(ask);
    first.child.kill('SIGKILL');
    await first.ended;
    const { ask: askAgain } = await startStorefront({ contract, data });
    expect((await askAgain('GET', '/owners/1/pets')).body).toEqual([{ id: 1, name: 'Rex' }]);
  });

  it('keeps the entries of a path with the name of an internal list', async () => {
    const contract = await writeApi({ paths: createResourcePaths('/$sequences/{id}', Pet) });
    const data = join(await folderWith({}), 'db.json');
    const first = await startStorefront({ contract, data });
    for (const name of ['Rex', 'Max']) await first.ask('POST', '/$sequences', { name });
    expect((await first.ask('DELETE', '/$sequences/2')).status).toBe(204);
    await first.close();
    const { ask } = await startStorefront({ contract, data });
    expect((await ask('GET', '/$sequences')).body).toEqual([{ id: 1, name: 'Rex' }]);
    expect((await ask('POST', '/$sequences', { name: 'Tom' })).body).toEqual({ id: 3, name: 'Tom' });
  });

  it('has ids that a changed contract shows in another type, and finds', async () => {
    const create = (id: typeof TEXT) =>
      createApiDocument(createResourcePaths('/pets/{petId}', createObject({ 'id!': id, 'name!': TEXT })));
    const folder = await folderWith({ 'openapi.json': create({ type: 'integer' }) });
    const server = await startStorefront({ contract: join(folder, 'openapi.json') });
    const { ask } = server;
    await ask('POST', '/pets', { id: 1, name: 'Rex' });
    await writeFile(join(folder, 'openapi.json'), create(TEXT));
    await eventually(async () => expect((await ask('GET', '/pets')).body).toEqual([{ id: '1', name: 'Rex' }]));
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: '1', name: 'Rex' });
    expect((await ask('PATCH', '/pets/1', { name: 'Max' })).body).toEqual({ id: '1', name: 'Max' });
  });

  it('is not loaded if an edit removes a list', async () => {
    const server = await startApi(API);
    const { ask, dataFile = '', flush } = server;
    await createEntries(ask);
    await flush();
    await writeFile(dataFile, '{}');
    await eventually(() => expect(getWarnings(server).join()).toContain('/owners is missing: add an array'));
    expect((await ask('GET', '/owners')).body).toEqual(STATE.owners);
  });

  it('is refused with the place of an invalid entry', async () => {
    const folder = await folderWith({
      'openapi.json': createApiDocument(API.paths, API.schemas),
      'db.json': JSON.stringify({ ...STATE, owners: [{ id: 'one', name: 'Ada' }] }),
    });
    const started = startStorefront({ contract: join(folder, 'openapi.json'), data: join(folder, 'db.json') });
    await expect(started).rejects.toThrow('/owners/0/id');
  });
});

describe('The data file after a request whose schema differs from that of the response', () => {
  const Shown = createObject({
    'id!': ID,
    size: { type: 'integer' },
    tags: createList(TEXT),
    home: createObject({ city: TEXT, zip: TEXT }),
  });
  const MIXED = { type: ['string', 'integer'] };
  const Sent = createObject({ size: TEXT, tags: createList(MIXED), home: createObject({ city: TEXT, zip: MIXED }) });
  const resource = createResourcePaths('/pets/{petId}', Shown, Sent);
  const item = { ...resource['/pets/{petId}'], patch: { request: Sent, response: Shown } };
  const paths = { ...resource, '/pets/{petId}': item };

  it.each([
    ['POST', '/pets', { size: 'large', tags: ['a', 7], home: { city: 'Rome', zip: 7 } }],
    ['PUT', '/pets/1', { size: 'large', tags: ['a', 7], home: { city: 'Rome', zip: 7 } }],
    ['PATCH', '/pets/1', { size: 'large', tags: ['a', 7], home: { city: 'Rome', zip: 7 } }],
  ])('of %s is accepted at the next start, and has what is valid', async (method, path, body) => {
    const contract = await writeApi({ paths });
    const data = join(await folderWith({}), 'db.json');
    const first = await startStorefront({ contract, data });
    if (method !== 'POST') await first.ask('POST', '/pets', {});
    expect((await first.ask(method, path, body)).status).toBeLessThan(300);
    await first.close();
    const { ask } = await startStorefront({ contract, data });
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1, tags: ['a'], home: { city: 'Rome' } });
  });
});

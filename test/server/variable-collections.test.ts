import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { startApplication } from '../../src/server/storefront.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { waitForLog } from '../support/harness/live-contract.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { createShelves, createShelvesContract } from '../support/reference-applications/shelves.ts';

type Shelves = Parameters<typeof createShelvesContract>[0];

/** The number of the log level of warnings. */
const WARN = 40;

const PETS = { seeds: [{ id: 'rex' }, { id: 'tom' }] };
const TOYS = { seeds: [{ id: 'ball' }] };

/** Starts an application whose collections depend on the contract. `data`: the content of the data file; undefined if there is none. */
async function startShelves(shelves: Shelves, data?: object, options: Parameters<typeof startStorefront>[0] = {}) {
  const files = { 'contract.json': createShelvesContract(shelves), ...(data && { 'db.json': JSON.stringify(data) }) };
  const folder = await folderWith(files);
  const [contract, file] = [join(folder, 'contract.json'), join(folder, 'db.json')];
  const start = (all: Parameters<typeof startApplication>[1]) => startApplication(createShelves(contract), all);
  const server = await startStorefront({ start, data: file, ...options });
  return {
    server,
    ask: server.ask,
    control: createControlClient(server),
    readData: async () => JSON.parse(await readFile(file, 'utf8')),
    save: (next: Shelves) => writeFile(contract, createShelvesContract(next)),
    list: async (name: string) => (await server.ask('GET', `/${name}`)).body,
  };
}

describe('The default data of an application whose collections depend on the contract', () => {
  it('is created from the contract, and restored by a reset', async () => {
    const { ask, list, control, readData } = await startShelves({ pets: PETS });
    await ask('POST', '/pets', { id: 'max' });
    expect(await list('pets')).toEqual([...PETS.seeds, { id: 'max' }]);
    await control('POST', '/default/reset');
    await control('POST', '/default/flush');
    expect([await list('pets'), await readData()]).toEqual([PETS.seeds, { pets: PETS.seeds }]);
  });

  it('is the file of --default-data if there is one', async () => {
    const folder = await folderWith({ 'default.json': '{"pets":[{"id":"own"}]}' });
    const { list } = await startShelves({ pets: PETS }, undefined, { defaultData: join(folder, 'default.json') });
    expect(await list('pets')).toEqual([{ id: 'own' }]);
  });

  it('is refused with its place if it violates the contract', async () => {
    await expect(startShelves({ pets: { seeds: [{ id: 7 }] } })).rejects.toThrow(
      'The default data of the contract does not contain a valid state: /pets/0/id ',
    );
  });
});

describe('A data file of another contract', () => {
  it('is refused with the names of both, and with the remedy', async () => {
    await expect(startShelves({ pets: PETS, toys: TOYS }, { books: [], loans: [] })).rejects.toThrow(
      /db\.json has the lists books, loans, but the contract has pets, toys: this is the data of another contract\. Use another file with --data FILE, or move this file to another folder\.$/,
    );
  });

  it('is refused by the shop', async () => {
    const data = join(await folderWith({ 'db.json': '{"pets":[]}' }), 'db.json');
    await expect(createStorefront({ data })).rejects.toThrow(
      'db.json has the lists pets, but the contract has products, deliveryOptions, cartItems, orders: this is the data',
    );
  });

  it('is kept and named in a warning, but not served, if it shares a list with the contract', async () => {
    const pets = [{ id: 'max' }];
    const { server, ask, control, readData } = await startShelves({ pets: PETS }, { books: [{ isbn: 1 }], pets });
    expect(server.log.filter(({ level }) => level === WARN).map(({ msg }) => msg)).toEqual([
      'These lists in db.json are not collections of the contract: books. The server keeps them, but does not serve them.',
    ]);
    expect((await control('GET', '/default/state')).body).toEqual({ pets });
    expect((await control('GET', '/default')).body.counts).toEqual({ pets: 1 });
    await ask('POST', '/pets', { id: 'ben' });
    for (const change of ['/default/reset', '/default/snapshots/none/restore']) await control('POST', change);
    await control('PUT', '/default/state', { pets });
    await control('POST', '/default/flush');
    expect(await readData()).toEqual({ pets, books: [{ isbn: 1 }] });
  });

  it('gets the default data of the lists that it lacks', async () => {
    const { list, control, readData } = await startShelves({ pets: PETS, toys: TOYS }, { pets: [] });
    expect([await list('pets'), await list('toys')]).toEqual([[], TOYS.seeds]);
    await control('POST', '/default/flush');
    expect(await readData()).toEqual({ pets: [], toys: TOYS.seeds });
  });
});

describe('A reload of a contract on which the collections depend', () => {
  it('keeps the data of a collection that is removed, and says so', async () => {
    const { server, save, control, list } = await startShelves({ pets: PETS, toys: TOYS });
    await server.ask('POST', '/toys', { id: 'bone' });
    await save({ pets: PETS });
    await waitForLog(
      server,
      'not collections of the contract: toys. The server keeps them, but does not serve them.',
      WARN,
    );
    expect((await control('GET', '/default/state')).body).toEqual({ pets: PETS.seeds });
    expect((await control('PUT', '/default/state', { toys: [] })).status).toBe(400);
    await control('POST', '/default/reset');
    await save({ pets: PETS, toys: TOYS });
    await waitForLog(server, 'new operations: list-toys');
    expect(await list('toys')).toEqual([...TOYS.seeds, { id: 'bone' }]);
  });

  it('adds the default data of a new collection to all sandboxes', async () => {
    const { server, save, control } = await startShelves({ pets: PETS });
    await control('PUT', '/w1/state', { pets: [] });
    await save({ pets: PETS, toys: TOYS });
    const message = await waitForLog(server, 'was reloaded');
    expect(message).toMatch(/new operations: list-toys, add-toys; new collections: toys$/);
    const states = await Promise.all(['default', 'w1'].map((id) => control('GET', `/${id}/state`)));
    expect(states.map(({ body }) => body)).toEqual([
      { pets: PETS.seeds, toys: TOYS.seeds },
      { pets: [], toys: TOYS.seeds },
    ]);
    expect((await control('PUT', '/w1/state', { toys: [{ id: 'bone' }] })).status).toBe(204);
  });

  it('serves a new list from its first response with the default data', async () => {
    const { server, save } = await startShelves({ pets: PETS });
    await save({ pets: PETS, toys: TOYS });
    let response = await server.ask('GET', '/toys');
    while (response.status === 404) response = await server.ask('GET', '/toys');
    expect(response.body).toEqual(TOYS.seeds);
  });

  it('keeps entries that violate the new schemas, and names them', async () => {
    const seeds = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }));
    const { server, save, list, control, ask } = await startShelves({ pets: { seeds }, toys: TOYS });
    await save({ pets: { required: ['name', 'age'] }, toys: TOYS });
    const warning = await waitForLog(server, 'violate the new contract', WARN);
    expect(warning).toMatch(
      /^5 entries violate the new contract: \/pets\/0\/\w+ is missing: add a string; \/pets\/1\/.*; \/pets\/2\/.*; and 2 more\. The server keeps these entries\. /,
    );
    expect(await list('pets')).toEqual(seeds);
    expect((await ask('POST', '/toys', { id: 'bone' })).status).toBe(201);
    expect((await control('PUT', '/default/state', { toys: [] })).status).toBe(204);
    expect((await control('PUT', '/default/state', { pets: [{ id: 'x' }] })).status).toBe(409);
  });

  it('lets the handlers of a user change the other entries', async () => {
    const handlers = {
      'add-toys': (_: unknown, { update }: { update: (change: (state: object) => object) => Promise<unknown> }) =>
        update((state) => ({ next: { ...state, toys: [{ id: 'bone' }] }, result: { body: { id: 'bone' } } })),
      'add-pets': (_: unknown, { update }: { update: (change: (state: object) => object) => Promise<unknown> }) =>
        update((state) => ({ next: { ...state, pets: [{ id: 'x' }] }, result: { body: { id: 'x' } } })),
    };
    const options = { handlers, errorsExpected: true };
    const { server, save, ask } = await startShelves({ pets: PETS, toys: TOYS }, undefined, options);
    await save({ pets: { required: ['name'] }, toys: TOYS });
    await waitForLog(server, 'violate the new contract', WARN);
    expect((await ask('POST', '/toys', { id: 'bone' })).body).toEqual({ id: 'bone' });
    expect((await ask('POST', '/pets', { id: 'x', name: 'x' })).body.detail).toContain(
      'returned an invalid state: /pets/0',
    );
  });
});

describe('A value that a handler of the application generates', () => {
  it('is listed in X-Mocked', async () => {
    const { ask } = await startShelves({ pets: PETS });
    expect((await ask('GET', '/pets')).headers.get('x-mocked')).toBe('/0/a%20b');
  });
});

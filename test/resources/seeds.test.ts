import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type OperationParts,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const Pet = createObject({ 'id!': { type: 'integer' }, 'name!': TEXT, tag: TEXT });
const PETS = createResourcePaths('/pets/{petId}', Pet);

const REX = { id: 1, name: 'Rex' };
const TOM = { id: 2, name: 'Tom' };

/** Returns the paths of pets with other parts of an operation. */
function withOperation(path: string, method: 'get' | 'post', parts: OperationParts): Paths {
  const { [path]: item } = PETS;
  return { ...PETS, [path]: { ...item, [method]: { ...item?.[method], ...parts } } };
}

/** Places of examples, and the entries at the start. */
const places: readonly (readonly [place: string, paths: Paths, expected: readonly object[]])[] = [
  ['no examples', PETS, []],
  ['the list', withOperation('/pets', 'get', { example: [REX, TOM] }), [REX, TOM]],
  ['named examples of the list', withOperation('/pets', 'get', { examples: { a: [REX], b: [TOM] } }), [REX, TOM]],
  ['the item', withOperation('/pets/{petId}', 'get', { example: REX }), [REX]],
  ['named examples of the item', withOperation('/pets/{petId}', 'get', { examples: { a: REX, b: TOM } }), [REX, TOM]],
  ['the created entry', withOperation('/pets', 'post', { example: TOM }), [TOM]],
  ['the schema', createResourcePaths('/pets/{petId}', { ...Pet, example: REX }), [REX]],
  ['the schema, with `examples`', createResourcePaths('/pets/{petId}', { ...Pet, examples: [REX] }), [REX]],
  [
    'the properties',
    createResourcePaths(
      '/pets/{petId}',
      createObject({ 'id!': { type: 'integer', example: 7 }, 'name!': { ...TEXT, example: 'Max' } }),
    ),
    [{ id: 7, name: 'Max' }],
  ],
];

describe('The entries at the start', () => {
  it.each(places)('come from the examples of %s', async (_place, paths, expected) => {
    const { ask } = await startApi({ paths });
    expect((await ask('GET', '/pets')).body).toEqual(expected);
  });

  it('contain each id once: that of the list is the first', async () => {
    const paths = {
      ...withOperation('/pets', 'get', { example: [REX] }),
      '/pets/{petId}': withOperation('/pets/{petId}', 'get', { example: { ...REX, name: 'Other' } })['/pets/{petId}'],
    } as Paths;
    const { ask } = await startApi({ paths });
    expect((await ask('GET', '/pets')).body).toEqual([REX]);
  });

  it('come from a wrapped list', async () => {
    const response = createObject({ 'data!': createList(Pet), 'total!': { type: 'integer' } });
    const { ask } = await startApi({
      paths: withOperation('/pets', 'get', { response, example: { data: [REX, TOM], total: 99 } }),
    });
    expect((await ask('GET', '/pets')).body).toEqual({ data: [REX, TOM], total: 2 });
  });

  it('get an id if the example has none', async () => {
    const paths = withOperation('/pets', 'get', { example: [{ name: 'Rex' }, { name: 'Tom' }] });
    const { ask } = await startApi({ paths });
    expect((await ask('GET', '/pets')).body).toEqual([REX, TOM]);
  });

  it('are the examples as they are written, also if they are not valid', async () => {
    const example = [{ id: 1, name: 7, tag: 'a' }];
    const contract = await writeApi({ paths: withOperation('/pets', 'get', { example }) });
    const { ask } = await startStorefront({ contract, verify: 'log' });
    expect((await ask('GET', '/pets')).body).toEqual(example);
  });

  it('are changed and deleted like others', async () => {
    const { ask } = await startApi({ paths: withOperation('/pets', 'get', { example: [REX, TOM] }) });
    await ask('PATCH', '/pets/1', { name: 'Max' });
    await ask('DELETE', '/pets/2');
    await ask('POST', '/pets', { id: 3, name: 'Ann' });
    expect((await ask('GET', '/pets')).body).toEqual([
      { id: 1, name: 'Max' },
      { id: 3, name: 'Ann' },
    ]);
  });

  it('belong to the first parent, if they have parents', async () => {
    const owners = createResourcePaths('/owners/{ownerId}', createObject({ 'id!': TEXT }));
    const pets = createResourcePaths('/owners/{ownerId}/pets/{petId}', Pet);
    const paths: Paths = {
      ...owners,
      ...pets,
      '/owners': { get: { response: createList(createObject({ 'id!': TEXT })), example: [{ id: 'ada' }] } },
      '/owners/{ownerId}/pets': { get: { response: createList(Pet), example: [REX] } },
    };
    const { ask } = await startApi({ paths });
    expect((await ask('GET', '/owners/ada/pets')).body).toEqual([REX]);
  });

  it('of a singleton come from its example', async () => {
    const Settings: Schema = createObject({ theme: TEXT });
    const get = { response: Settings, example: { theme: 'dark' } };
    const { ask } = await startApi({ paths: { '/settings': { get, put: { request: Settings, response: Settings } } } });
    expect((await ask('GET', '/settings')).body).toEqual({ theme: 'dark' });
  });
});

describe('A resource that no operation creates', () => {
  const paths: Paths = {
    '/pets': { get: { response: createList(Pet) } },
    '/pets/{petId}': { parameters: { petId: { type: 'integer' } }, get: { response: Pet } },
  };

  it('has generated entries, which can be read', async () => {
    const { ask } = await startApi({ paths });
    const { body: pets } = await ask('GET', '/pets');
    expect(pets).toHaveLength(3);
    for (const pet of pets) expect((await ask('GET', `/pets/${pet.id}`)).body).toEqual(pet);
  });

  it('has the same generated entries at each start', async () => {
    const [one, two] = [await startApi({ paths }), await startApi({ paths })];
    expect((await one.ask('GET', '/pets')).body).toEqual((await two.ask('GET', '/pets')).body);
  });

  it('has generated entries with users of the list of users, also without their ids', async () => {
    const User = createObject({ 'id!': TEXT, 'name!': TEXT });
    const Note = createObject({ 'id!': TEXT, 'user!': { $ref: '#/components/schemas/User' }, userId: TEXT });
    const own: Paths = {
      '/users': { get: { response: createList({ $ref: '#/components/schemas/User' }) } },
      ...Object.fromEntries(
        ['a', 'b', 'c'].map((name) => [`/${name}-notes`, { get: { response: createList(createNote(name)) } }]),
      ),
    };
    function createNote(name: string): Schema {
      return { ...Note, properties: { ...(Note.properties as object), [`${name}Text`]: TEXT } };
    }
    const { ask } = await startApi({ paths: own, schemas: { User } });
    const { body: users } = await ask('GET', '/users');
    expect(users).toHaveLength(3);
    for (const name of ['a', 'b', 'c'])
      for (const { user, userId } of (await ask('GET', `/${name}-notes`)).body) {
        expect(users).toContainEqual(user);
        expect(userId).toBe(user.id);
      }
  });

  it('has generated entries that show only entries of other lists', async () => {
    const Play = createObject({ 'id!': TEXT, 'title!': TEXT });
    const Show = createObject({ 'id!': TEXT, 'date!': TEXT, play: refer('Play') });
    const plays = createResourcePaths('/plays/{playId}', refer('Play'));
    const paths = { ...plays, '/shows': { get: { response: createList(refer('Show')) } } };
    const isLinked = async (plays: Paths) => {
      const { ask } = await startApi({ paths: { ...paths, ...plays }, schemas: { Play, Show } });
      const known = (await ask('GET', '/plays')).body;
      const shown = (await ask('GET', '/shows')).body.flatMap(({ play }: { readonly play?: object }) => play ?? []);
      for (const play of shown) expect(known).toContainEqual(play);
      return [known.length > 0, shown.length];
    };
    expect(await isLinked(plays)).toEqual([false, 0]);
    expect(
      await isLinked({
        '/plays': { get: { response: createList(refer('Play')) } },
        '/plays/{playId}': { get: { response: refer('Play') } },
      }),
    ).toEqual([true, 3]);
  });

  it('has generated entries for each parent', async () => {
    const Owner = createObject({ 'id!': TEXT });
    const { ask } = await startApi({
      paths: {
        '/owners': { get: { response: createList(Owner), example: [{ id: 'ada' }, { id: 'bob' }] } },
        '/owners/{ownerId}': { get: { response: Owner } },
        '/owners/{ownerId}/pets': { get: { response: createList(Pet) } },
        '/owners/{ownerId}/pets/{petId}': { get: { response: Pet } },
      },
    });
    for (const owner of ['ada', 'bob']) expect((await ask('GET', `/owners/${owner}/pets`)).body).toHaveLength(3);
  });
});

describe('A reset', () => {
  const paths = withOperation('/pets', 'get', { example: [REX, TOM] });

  it('restores the entries at the start', async () => {
    const { ask, port } = await startApi({ paths });
    await ask('DELETE', '/pets/1');
    await ask('POST', '/pets', { id: 3, name: 'Ann' });
    await createControlClient({ port })('POST', '/default/reset');
    expect((await ask('GET', '/pets')).body).toEqual([REX, TOM]);
  });

  it('restores the file of --default-data', async () => {
    const folder = await folderWith({ 'default.json': '{"pets":[{"id":9,"name":"Own"}]}' });
    const { ask, port } = await startApi({ paths }, { defaultData: join(folder, 'default.json') });
    expect((await ask('GET', '/pets')).body).toEqual([{ id: 9, name: 'Own' }]);
    await ask('DELETE', '/pets/9');
    await createControlClient({ port })('POST', '/default/reset');
    expect((await ask('GET', '/pets')).body).toEqual([{ id: 9, name: 'Own' }]);
  });

  it('restores the default values that the entries of the file of --default-data and of examples lack', async () => {
    const Tagged = createObject({ 'id!': { type: 'integer' }, name: TEXT, tag: { ...TEXT, default: 'new' } });
    const toys = createResourcePaths('/toys/{toyId}', Tagged);
    const list = { ...toys['/toys'], get: { ...toys['/toys']?.get, example: [REX] } };
    const api = { paths: { ...createResourcePaths('/pets/{petId}', Tagged), ...toys, '/toys': list } };
    const folder = await folderWith({ 'default.json': '{"pets":[{"id":9},{"id":10,"tag":"old"}]}' });
    const { port } = await startApi(api, { defaultData: join(folder, 'default.json') });
    const control = createControlClient({ port });
    await control('POST', '/default/reset');
    expect((await control('GET', '/default/state')).body).toEqual({
      pets: [
        { id: 9, tag: 'new' },
        { id: 10, tag: 'old' },
      ],
      toys: [{ ...REX, tag: 'new' }],
    });
  });

  it('restores the examples of lists that the file of --default-data lacks, below the parents in the file', async () => {
    const Owner = createObject({ 'id!': TEXT });
    const api = {
      paths: {
        ...paths,
        '/owners': { get: { response: createList(Owner), example: [{ id: 'ada' }] } },
        '/owners/{ownerId}': { get: { response: Owner } },
        '/owners/{ownerId}/toys': { get: { response: createList(Owner), example: [{ id: 'ball' }] } },
        '/owners/{ownerId}/toys/{toyId}': { get: { response: Owner } },
      },
    };
    const folder = await folderWith({ 'default.json': '{"owners":[{"id":"bob"}]}' });
    const { ask, port } = await startApi(api, { defaultData: join(folder, 'default.json') });
    await ask('DELETE', '/pets/1');
    await createControlClient({ port })('POST', '/default/reset');
    expect((await ask('GET', '/owners')).body).toEqual([{ id: 'bob' }]);
    expect((await ask('GET', '/owners/bob/toys')).body).toEqual([{ id: 'ball' }]);
    expect((await ask('GET', '/pets')).body).toEqual([REX, TOM]);
  });
});

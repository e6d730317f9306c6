import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Animal = createObject({ 'id!': { type: 'string', readOnly: true }, 'name!': { type: 'string', minLength: 1 } });

/** Returns the paths of a resource whose entries and lists are in the property `data`. */
function createWrappedPaths(name: string): Paths {
  const path = `/${name}`;
  const item = `${path}/{id}`;
  const { [path]: collection, [item]: entry } = createResourcePaths(item, refer('Animal'));
  const response = createObject({ 'data!': refer('Animal') });
  return {
    [path]: {
      get: { response: createObject({ 'data!': createList(refer('Animal')) }) },
      post: { ...collection?.post, response },
    },
    [item]: {
      get: { response },
      patch: { request: refer('Animal'), response },
      delete: { ...entry?.delete },
    },
  };
}

type Entries = readonly { readonly id: string; readonly name: string }[];
interface Sandbox {
  read(): Readonly<Record<string, Entries>>;
  newId(): string;
}

/** Handlers with one defect for each resource. */
function createDefects() {
  const everListed = new Map<string, Entries[number]>();
  return {
    postBirds: ({ body }: { body: Entries[number] }, { newId }: Sandbox) => ({
      body: { data: { id: newId(), name: body.name } },
    }),
    getCats: (_: unknown, { read }: Sandbox) => ({ body: { data: read().cats?.slice(0, -1) } }),
    patchDogsById: ({ body, path }: { body: Entries[number]; path: { id: string } }) => ({
      body: { data: { id: path.id, name: body.name } },
    }),
    deleteEelsById: () => ({ status: 204 }),
    getFoxes(_: unknown, { read }: Sandbox) {
      for (const fox of read().foxes ?? []) everListed.set(fox.id, fox);
      return { body: { data: [...everListed.values()] } };
    },
  };
}

describe('The check of an API whose entries are wrapped', () => {
  it('finds a defect in each part of the life cycle, and none in a correct resource', async () => {
    const names = ['ants', 'birds', 'cats', 'dogs', 'eels', 'foxes'];
    const paths = Object.assign({}, ...names.map(createWrappedPaths));
    const path = await writeApi({ paths, schemas: { Animal } });
    const { url } = await startStorefront({ contract: path, handlers: createDefects() });
    const contract = await loadContract({ path, strict: false });
    const only = ['getAnts', 'getBirdsById', 'getCats', 'getDogsById', 'getEelsById', 'getFoxes'];
    const { findings } = await runCheck(url, { contract, model: undefined, isFresh: false, only });
    expect(findings.map(({ operationId, title }) => `${operationId}: ${title}`).sort()).toEqual([
      'getBirdsById: created resources can be read',
      'getCats: created resources are listed',
      'getDogsById: changes are stored',
      'getEelsById: deleted resources cannot be read',
      'getFoxes: deleted resources are not listed',
    ]);
  });
});

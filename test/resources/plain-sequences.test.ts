import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Entry } from '../../src/store/state.ts';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { createCountingIds, startApi } from '../support/harness/start-api.ts';
import { type PlainCollection, PlainResources } from '../support/oracles/plain-resources.ts';

/** The number of requests in each sequence. */
const REQUESTS = 150;

const TEXT = { type: 'string' };
const STATUS = { type: 'string', enum: ['open', 'done'] };
const NUMBER = { type: 'integer' };

const slice = (entries: readonly Entry[], { offset = '0', limit }: Readonly<Record<string, string>>) =>
  entries.slice(Number(offset), limit === undefined ? undefined : Number(offset) + Number(limit));
const fillPage = (query: Readonly<Record<string, string>>) => ({ limit: '20', ...query });

const QUERY = { status: STATUS, sort: TEXT, order: TEXT, limit: NUMBER, offset: NUMBER };

/** Returns the paths of a resource whose list can be filtered, sorted and paged. `id`: the schema of ids. */
function createPaths(item: string, name: string, id: Schema, list: Schema): Paths {
  const paths = createResourcePaths(item, refer(name));
  const collection = item.slice(0, item.lastIndexOf('/'));
  const parameters = Object.fromEntries([...item.matchAll(/\{(\w+)\}/g)].map(([, own = '']) => [own, { ...id }]));
  const get = { query: QUERY, response: list };
  return {
    [collection]: {
      ...paths[collection],
      get,
      parameters: Object.fromEntries(Object.entries(parameters).slice(0, -1)),
    },
    [item]: { ...paths[item], parameters },
  };
}

const UUID = { type: 'string', format: 'uuid' };
const task = (id: Schema) => createObject({ 'id!': id, 'title!': TEXT, status: STATUS, size: NUMBER });
const envelope = {
  type: 'object',
  required: ['data', 'total'],
  properties: { data: createList(refer('Pet')), total: NUMBER },
};

/** The documents: integer ids in one list, and UUIDs in lists below parents, with pages in objects. */
const SHAPES = [
  {
    title: 'a list with integer ids',
    api: {
      paths: createPaths('/tasks/{taskId}', 'Task', NUMBER, createList(refer('Task'))),
      schemas: { Task: task({ ...NUMBER, readOnly: true }) },
    },
    collections: {
      tasks: { path: '/tasks', isNumbered: true, toPage: (entries, query) => slice(entries, fillPage(query)) },
    },
  },
  {
    title: 'lists below parents, with UUIDs and pages in objects',
    api: {
      paths: {
        ...createPaths('/owners/{ownerId}', 'Owner', UUID, createList(refer('Owner'))),
        ...createPaths('/owners/{ownerId}/pets/{petId}', 'Pet', UUID, envelope),
      },
      schemas: {
        Owner: task({ ...UUID, readOnly: true }),
        Pet: {
          ...task({ ...UUID, readOnly: true }),
          properties: { ...(task({ ...UUID, readOnly: true }).properties as Schema), ownerId: UUID },
        },
      },
    },
    collections: {
      owners: { path: '/owners', isNumbered: false, toPage: (entries, query) => slice(entries, fillPage(query)) },
      pets: {
        path: '/owners/{ownerId}/pets',
        isNumbered: false,
        parent: { property: 'ownerId', of: 'owners' },
        toPage: (entries, query) => ({ data: slice(entries, fillPage(query)), total: entries.length }),
      },
    },
  },
] as const satisfies readonly {
  title: string;
  api: object;
  collections: Readonly<Record<string, PlainCollection>>;
}[];

const aBody = fc.record({
  title: fc.string({ maxLength: 5 }),
  status: fc.constantFrom('open', 'done'),
  size: fc.nat(9),
});
const aRequest = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE'),
  pick: fc.nat(),
  isList: fc.boolean(),
  body: aBody,
  query: fc.record(
    {
      status: fc.constantFrom('open', 'done'),
      sort: fc.constantFrom('size', 'status'),
      order: fc.constantFrom('asc', 'desc'),
      limit: fc.integer({ min: 1, max: 30 }).map(String),
      offset: fc.nat(20).map(String),
    },
    { requiredKeys: [] },
  ),
});

it.each(SHAPES)(
  '$title: random requests get the responses of a server with plain arrays',
  async ({ api, collections }) => {
    for (const seed of [1, 2]) {
      const { ask } = await startApi(api);
      const plain = new PlainResources(collections, createCountingIds());
      const names = Object.keys(collections);
      const [requests = []] = fc.sample(fc.array(aRequest, { minLength: REQUESTS, maxLength: REQUESTS, size: 'max' }), {
        seed,
        numRuns: 1,
      });
      for (const { method, pick, isList, body, query } of requests) {
        const collection = names[pick % names.length] ?? '';
        const { path, parent } = (collections as Readonly<Record<string, PlainCollection>>)[collection] ?? { path: '' };
        const owners = parent ? (plain.lists[parent.of] ?? []) : [];
        const parentId = parent
          ? String(owners[pick % Math.max(1, owners.length)]?.id ?? '00000000-0000-4000-8000-0000000000ff')
          : undefined;
        const entries = plain.lists[collection] ?? [];
        const unknown = collection === 'tasks' ? 9_999 : '00000000-0000-4000-8000-0000000000ff';
        const isAll = method === 'POST' || (method === 'GET' && isList);
        const id = isAll ? undefined : String(entries[pick % (entries.length + 1)]?.id ?? unknown);
        const sent =
          method === 'GET' || method === 'DELETE' ? undefined : method === 'PATCH' ? { size: body.size } : body;
        const listQuery = isAll && method === 'GET' ? query : {};
        const url = `${path.replace('{ownerId}', parentId ?? '')}${id === undefined ? '' : `/${id}`}?${new URLSearchParams(listQuery)}`;
        const response = await ask(method, url.replace(/\?$/, ''), sent);
        const expected = plain.handle({
          method,
          collection,
          ...(parentId === undefined ? {} : { parentId }),
          ...(id === undefined ? {} : { id }),
          query: listQuery,
          ...(sent ? { body: sent } : {}),
        });
        expect(response.status, `${method} ${url}`).toBe(expected.status);
        if (expected.body !== undefined) expect(response.body, `${method} ${url}`).toEqual(expected.body);
      }
    }
  },
);

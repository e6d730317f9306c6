import fc from 'fast-check';
import { expect } from 'vitest';
import type { Entry } from '../../../src/store/state.ts';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../fixtures/api-document.ts';
import type { TestShop } from '../harness/start-storefront.ts';
import { type PlainCollection, type PlainRequest, PlainResources, STATUSES } from './plain-resources.ts';

const TEXT = { type: 'string' };
const STATUS = { type: 'string', enum: STATUSES };
const NUMBER = { type: 'integer' };

/** The ids that clients choose, few enough that they are used again. */
const CHOSEN_IDS = ['apple', 'banana', 'cherry', 'date', 'elder', 'fig', 'grape', 'hazel', 'iris', 'juniper'];

const slice = (entries: readonly Entry[], { offset = '0', limit }: Readonly<Record<string, string>>) =>
  entries.slice(Number(offset), limit === undefined ? undefined : Number(offset) + Number(limit));
const fillPage = (query: Readonly<Record<string, string>>) => ({ limit: '20', ...query });

/** Returns the page after the entry that the cursor names; undefined for an unknown cursor. */
const sliceAfter = (entries: readonly Entry[], { cursor, limit = '20' }: Readonly<Record<string, string>>) => {
  const index = entries.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && index === -1) return undefined;
  return entries.slice(index + 1, index + 1 + Number(limit));
};

const QUERY = { status: STATUS, sort: TEXT, order: TEXT, limit: NUMBER, offset: NUMBER };

/** Returns the paths of a resource whose list can be filtered, sorted and paged. `id`: the schema of ids. `list`: that of a page. */
function createPaths(
  item: string,
  name: string,
  {
    id,
    list,
    query = QUERY,
  }: { readonly id: Schema; readonly list: Schema; readonly query?: Readonly<Record<string, Schema>> },
): Paths {
  const paths = createResourcePaths(item, refer(name));
  const collection = item.slice(0, item.lastIndexOf('/'));
  const toParameters = (path: string) =>
    Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, id]));
  const get = { query, response: list };
  return {
    [collection]: { ...paths[collection], get, parameters: toParameters(collection) },
    [item]: { ...paths[item], parameters: toParameters(item) },
  };
}

const UUID = { type: 'string', format: 'uuid' };
const task = (id: Schema, more: Readonly<Record<string, Schema>> = {}) =>
  createObject({ 'id!': id, 'title!': TEXT, status: STATUS, size: NUMBER, ...more });
const envelope = {
  type: 'object',
  required: ['data', 'total'],
  properties: { data: createList(refer('Pet')), total: NUMBER },
};

/** Documents of several shapes, and how a plain server handles them. */
export const SHAPES = [
  {
    title: 'a list with integer ids',
    api: {
      paths: createPaths('/tasks/{taskId}', 'Task', { id: NUMBER, list: createList(refer('Task')) }),
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
        ...createPaths('/owners/{ownerId}', 'Owner', { id: UUID, list: createList(refer('Owner')) }),
        ...createPaths('/owners/{ownerId}/pets/{petId}', 'Pet', { id: UUID, list: envelope }),
      },
      schemas: {
        Owner: task({ ...UUID, readOnly: true }),
        Pet: task({ ...UUID, readOnly: true }, { ownerId: UUID }),
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
  {
    title: 'a list whose ids the client chooses, with cursors',
    api: {
      paths: createPaths('/fruits/{fruitId}', 'Fruit', {
        id: TEXT,
        list: createList(refer('Fruit')),
        query: { status: STATUS, sort: TEXT, order: TEXT, limit: NUMBER, cursor: TEXT },
      }),
      schemas: { Fruit: createObject({ id: TEXT, 'title!': TEXT, status: STATUS, size: NUMBER }) },
    },
    collections: { fruits: { path: '/fruits', isNumbered: false, hasChosenIds: true, toPage: sliceAfter } },
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
/** A random request, whose collection and entry are chosen from those that exist when it is sent. */
const aRequest = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE'),
  pick: fc.nat(),
  chosenId: fc.constantFrom(...CHOSEN_IDS),
  isList: fc.boolean(),
  body: aBody,
  query: fc.record(
    {
      status: fc.constantFrom('open', 'done'),
      sort: fc.constantFrom('size', 'status'),
      order: fc.constantFrom('asc', 'desc'),
      limit: fc.integer({ min: 1, max: 30 }).map(String),
      offset: fc.nat(20).map(String),
      cursor: fc.constantFrom(...CHOSEN_IDS),
    },
    { requiredKeys: [] },
  ),
});

export type RandomRequest = typeof aRequest extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns random requests. The same seed always gives the same requests. */
export function createRequests(seed: number, count: number): readonly RandomRequest[] {
  const [requests = []] = fc.sample(fc.array(aRequest, { minLength: count, maxLength: count, size: 'max' }), {
    seed,
    numRuns: 1,
  });
  return requests;
}

type Collections = Readonly<Record<string, PlainCollection>>;

/** A server with plain arrays, which expects another server to send the same responses. */
export class PlainServer {
  readonly #collections: Collections;
  readonly #plain: PlainResources;
  /** The id in the last response of the other server. */
  #lastId = '';

  /** `newId`: returns the id of a new entry. Default: the one that the other server has chosen. */
  constructor(collections: Collections, newId?: () => string) {
    this.#collections = collections;
    this.#plain = new PlainResources(collections, newId ?? (() => this.#lastId));
  }

  /** Sends a random request to the other server, and expects its response to be equal to that of this server. */
  async compare(ask: TestShop['ask'], random: RandomRequest): Promise<void> {
    const request = this.#createRequest(random);
    const { method, body } = request;
    const target = this.#toTarget(request);
    const response = await ask(method, target, body);
    this.#lastId = String((response.body as Entry | undefined)?.id ?? '');
    const expected = this.#plain.handle(request);
    expect(response.status, `${method} ${target}`).toBe(expected.status);
    if (expected.body !== undefined) expect(response.body, `${method} ${target}`).toEqual(expected.body);
  }

  /** Chooses a collection, a parent and an entry for a random request. The parent or the entry may not exist. */
  #createRequest({ method, pick, isList, query, body, chosenId }: RandomRequest): PlainRequest {
    const names = Object.keys(this.#collections);
    const collection = names[pick % names.length] ?? '';
    const { parent, isNumbered, hasChosenIds } = this.#getCollection(collection);
    const unknown = isNumbered ? '9999' : '00000000-0000-4000-8000-0000000000ff';
    const parents = parent ? this.#list(parent.of) : [];
    const parentId = parent ? String(parents[pick % Math.max(1, parents.length)]?.id ?? unknown) : undefined;
    const entries = this.#list(collection);
    const hasNoId = method === 'POST' || (method === 'GET' && isList);
    const id = hasNoId ? undefined : String(entries[pick % (entries.length + 1)]?.id ?? unknown);
    const { offset, cursor, ...others } = query;
    const page = { ...others, ...(hasChosenIds ? { cursor } : { offset }) };
    const created = hasChosenIds ? { ...body, id: chosenId } : body;
    const bodies = { POST: created, PUT: body, PATCH: { size: body.size }, GET: undefined, DELETE: undefined };
    return {
      method,
      collection,
      parentId,
      id,
      query: hasNoId && method === 'GET' ? removeUndefined(page) : {},
      body: bodies[method],
    };
  }

  #toTarget({ collection, parentId = '', id, query }: PlainRequest): string {
    const path = this.#getCollection(collection).path.replace('{ownerId}', parentId);
    return `${path}${id === undefined ? '' : `/${id}`}?${new URLSearchParams(query)}`.replace(/\?$/, '');
  }

  #getCollection(name: string): PlainCollection {
    return this.#collections[name] as PlainCollection;
  }

  #list(collection: string): readonly Entry[] {
    return this.#plain.lists[collection] ?? [];
  }
}

function removeUndefined(query: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

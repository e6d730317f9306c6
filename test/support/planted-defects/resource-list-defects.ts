import { createList, createObject, createResourcePaths, type Paths, refer } from '../fixtures/api-document.ts';
import { findDefects } from '../harness/check.ts';
import { writeApi } from '../harness/start-api.ts';

const INTEGER = { type: 'integer' };
const PARTS = {
  'name!': { type: 'string', minLength: 1, maxLength: 20 },
  'status!': { enum: ['open', 'closed', 'late'] },
  'ownerId!': { type: 'integer', minimum: 1, maximum: 30 },
  color: { type: 'string', minLength: 3, maxLength: 9 },
};
const Animal = createObject({ 'id!': { ...INTEGER, readOnly: true }, ...PARTS });
const schemas = { Animal };

/** Returns the paths of a resource whose list has pages, a total and filters. */
function createPaths(name: string, paging: object): Paths {
  const path = `/${name}`;
  const paths = createResourcePaths(`${path}/{id}`, refer('Animal'), createObject(PARTS));
  const query = { status: PARTS['status!'], ownerId: INTEGER, color: { type: 'string' }, ...paging };
  const response = createObject({
    'items!': createList(refer('Animal')),
    'total!': INTEGER,
    next_cursor: { type: 'string' },
    next: { type: 'string' },
  });
  return { ...paths, [path]: { ...paths[path], get: { query, response } } };
}

type Entry = Readonly<Record<string, unknown>>;
interface Input {
  readonly query: Readonly<Record<string, string | undefined>>;
}
interface Sandbox {
  read(): Readonly<Record<string, readonly Entry[]>>;
}

type Query = Input['query'];
interface Steps {
  readonly filter: (entries: readonly Entry[], query: Query) => readonly Entry[];
  readonly offset: (query: Query) => number;
  readonly limit: (query: Query) => number;
  readonly total: (found: readonly Entry[], page: readonly Entry[], all: readonly Entry[]) => number;
  /** Returns the link to the next page. */
  readonly next: (name: string, query: Query) => string;
}

/** The steps of a correct list. A defect replaces one of them. */
const CORRECT: Steps = {
  filter: (entries: readonly Entry[], { status, ownerId, color }: Input['query']) =>
    entries.filter(
      (entry) =>
        (status === undefined || entry.status === status) &&
        (ownerId === undefined || String(entry.ownerId) === String(ownerId)) &&
        (color === undefined || String(entry.color).includes(color)),
    ),
  offset: ({ page, limit }) => (Number(page ?? 1) - 1) * Number(limit ?? 20),
  limit: ({ limit }) => Number(limit ?? 20),
  total: (found) => found.length,
  next: (name, { page, limit }) => `/${name}?page=${Number(page ?? 1) + 1}&limit=${limit ?? 20}`,
};

function createListHandler(name: string, defect: Partial<Steps>) {
  const { filter, offset, limit, total, next } = { ...CORRECT, ...defect };
  return ({ query }: Input, { read }: Sandbox) => {
    const all = read()[name] ?? [];
    const found = filter(all, query);
    const start = offset(query);
    const items = found.slice(start, start + limit(query));
    const isLast = start + items.length >= found.length;
    const link = isLast ? {} : { next: next(name, query) };
    return { body: { items, total: total(found, items, all), ...link } };
  };
}

const DEFECTS: Readonly<Record<string, Partial<Steps>>> = {
  ants: {},
  bees: { limit: ({ limit }) => Number(limit ?? 20) + 1 },
  cats: { offset: () => 0 },
  dogs: { total: (_found, page) => page.length },
  eels: { filter: (entries) => entries },
  foxes: {
    filter: (entries, { ownerId, ...query }) =>
      CORRECT.filter(entries, query).filter(
        (entry) => ownerId === undefined || Number(entry.ownerId) >= Number(ownerId),
      ),
  },
  gnus: { filter: (entries, { color: _color, ...query }) => CORRECT.filter(entries, query) },
  hens: { filter: (entries, query) => (query.status === undefined ? CORRECT.filter(entries, query) : []) },
  ibises: { offset: (query) => CORRECT.offset(query) + (Number(query.page ?? 1) > 1 ? 1 : 0) },
  jays: { total: (_found, _page, all) => all.length },
  lemurs: { filter: (entries, query) => (Number(query.page ?? 1) > 1 ? entries : CORRECT.filter(entries, query)) },
  // The list also ignores its limit.
  moles: { limit: () => 100, total: (found) => Math.min(found.length, 1) },
  kites: { next: (name, query) => `/v2${CORRECT.next(name, query)}` },
};

const PAGED = { page: { ...INTEGER, minimum: 1, default: 1 }, limit: { ...INTEGER, minimum: 1, maximum: 100 } };

/** Checks the lists with the defects. Returns a line for each finding. `runs`: the number of random requests to each operation. */
export async function findListDefects(seed: number, runs?: number): Promise<readonly string[]> {
  const names = Object.keys(DEFECTS);
  const paths: Paths = Object.assign({}, ...names.map((name) => createPaths(name, PAGED)));
  const path = await writeApi({ paths, schemas });
  const toId = (name: string) => `get${name[0]?.toUpperCase()}${name.slice(1)}`;
  const handlers = Object.fromEntries(names.map((name) => [toId(name), createListHandler(name, DEFECTS[name] ?? {})]));
  return findDefects({ path, handlers, seed, runs, only: names.map(toId) });
}

export const LIST_FINDINGS = [
  'getBees: limit limits the entries',
  'getCats: page selects another page',
  'getDogs: total counts the entries of all pages',
  'getEels: color selects entries',
  'getEels: ownerId selects entries',
  'getEels: status selects entries',
  'getFoxes: ownerId selects entries',
  'getGnus: color selects entries',
  'getHens: status finds entries',
  'getIbises: page selects the next page',
  'getJays: total counts the selected entries',
  'getKites: next leads to a page',
  'getLemurs: ownerId selects entries',
  'getLemurs: status selects entries',
  'getMoles: limit limits the entries',
  'getMoles: total counts the entries of all pages',
  'getMoles: total counts the selected entries',
];

/** Checks lists with pages and with cursors, as the server itself answers them. Returns a line for each finding. */
export async function checkCorrectLists(): Promise<readonly string[]> {
  const cursors = { cursor: { type: 'string' }, limit: PAGED.limit };
  const paths = { ...createPaths('ants', PAGED), ...createPaths('bees', cursors) };
  return findDefects({ path: await writeApi({ paths, schemas }), handlers: {}, seed: 1, only: ['getAnts', 'getBees'] });
}

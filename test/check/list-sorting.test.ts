import { expect, it } from 'vitest';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

const PROPERTIES = {
  name: { type: 'string', minLength: 1, maxLength: 40 },
  city: { type: 'string', minLength: 1, maxLength: 40 },
  price: { type: 'integer', minimum: 0, maximum: 1000 },
};
const INPUT = {
  type: 'object',
  required: Object.keys(PROPERTIES),
  additionalProperties: false,
  properties: PROPERTIES,
};
const THING = {
  type: 'object',
  required: ['id', ...Object.keys(PROPERTIES)],
  properties: { id: { type: 'string', readOnly: true }, ...PROPERTIES },
};

type Thing = Readonly<Record<'id' | 'name' | 'city', string> & { price: number }>;

function toResponse(schema: object): object {
  return { description: '', content: { 'application/json': { schema } } };
}

/** Paths of things, and of a list with the given query parameters. */
function createPaths(parameters: readonly object[]): object {
  const requestBody = { required: true, content: { 'application/json': { schema: INPUT } } };
  const responses = { 201: toResponse(THING), 400: { description: '' } };
  const read = { operationId: 'getThing', responses: { 200: toResponse(THING), 404: { description: '' } } };
  const list = { 200: toResponse({ type: 'array', items: THING }), 400: { description: '' } };
  return {
    '/things': {
      get: { operationId: 'listThings', parameters, responses: list },
      post: { operationId: 'addThing', requestBody, responses },
    },
    '/things/{id}': { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }], get: read },
  };
}

function isValid(value: unknown): value is Omit<Thing, 'id'> {
  const { name, city, price, ...others } = (value ?? {}) as Record<string, unknown>;
  const isText = (one: unknown) => typeof one === 'string' && one !== '' && [...one].length <= 40;
  const isPrice = Number.isInteger(price) && Number(price) >= 0 && Number(price) <= 1000;
  return isText(name) && isText(city) && isPrice && Object.keys(others).length === 0;
}

/** Checks a server whose list is what `select` returns; undefined refuses the query. Returns the rules of findings. */
async function findRules(parameter: object, select: (things: Thing[], query: URLSearchParams) => Thing[] | undefined) {
  const things = new Map<string, Thing>();
  const respond = ({ method, path, query, json }: ReceivedRequest): SentResponse => {
    const id = path.slice('/things/'.length);
    if (method === 'GET' && id === '') {
      const body = select([...things.values()], query);
      return body ? { status: 200, body } : { status: 400 };
    }
    const known = things.get(id);
    if (method === 'GET') return known ? { status: 200, body: known } : { status: 404 };
    if (!isValid(json)) return { status: 400 };
    const thing = { ...json, id: `t${things.size + 1}` };
    things.set(thing.id, thing);
    return { status: 201, body: thing };
  };
  const { findings } = await checkApi({ paths: createPaths([{ in: 'query', ...parameter }]) }, respond, {
    runs: 1,
    only: ['listThings'],
  });
  return findings.map(({ operationId, rule }) => `${operationId} ${rule}`);
}

const SORT = { name: 'sort', schema: { type: 'string', enum: ['price', '-price', 'name'] } };

function sortThings(things: Thing[], query: URLSearchParams, sign = 1): Thing[] | undefined {
  const sort = query.get('sort');
  if (sort === null) return things;
  if (query.getAll('sort').length > 1 || !SORT.schema.enum.includes(sort)) return undefined;
  if (sort === 'name') return things.sort((one, other) => (one.name < other.name ? -1 : 1));
  return things.sort((one, other) => sign * (sort === 'price' ? 1 : -1) * (one.price - other.price));
}

it('the check finds a list that is not sorted as requested', async () => {
  expect(await findRules(SORT, (things, query) => sortThings([...things], query) && things)).toEqual([
    'listThings list-sorted',
  ]);
});

it.each([
  ['rises', 1],
  ['falls', -1],
])('the check accepts a list whose order by a number %s', async (_, sign) => {
  expect(await findRules(SORT, (things, query) => sortThings(things, query, sign))).toEqual([]);
});

it('the check finds that a value with a minus sign sorts in the same direction', async () => {
  const expected = ['listThings list-sorted'];
  const select = (things: Thing[], query: URLSearchParams) => {
    const sort = query.get('sort');
    const sorted = sortThings(things, query);
    return sort === '-price' ? sorted?.reverse() : sorted;
  };
  expect(await findRules(SORT, select)).toEqual(expected);
});

it.each<[string, (one: string, other: string) => number, string[]]>([
  ['their length', (one, other) => one.length - other.length, ['listThings list-sorted']],
  ['their code units', (one, other) => (one < other ? -1 : 1), []],
  ['the rules of a language', (one, other) => one.localeCompare(other, 'de'), []],
  ['their code units without case, in descending order', (one, other) => (fold(one) > fold(other) ? -1 : 1), []],
])('the check of a list that sorts texts by %s', async (_, compare, expected) => {
  const select = (things: Thing[], query: URLSearchParams) =>
    query.get('sort') === 'name'
      ? things.sort((one, other) => compare(one.name, other.name))
      : sortThings(things, query);
  expect(await findRules(SORT, select)).toEqual(expected);
});

const fold = (text: string) => text.toLowerCase();

/** Selects things by the start of their city. */
function selectByStart(things: Thing[], query: URLSearchParams): Thing[] | undefined {
  const city = query.get('city') ?? '';
  const isRefused = (query.has('city') && city === '') || query.getAll('city').length > 1 || [...city].length > 40;
  return isRefused ? undefined : things.filter((thing) => thing.city.startsWith(city));
}

it.each([
  ['Only things in exactly this city.', ['listThings filter-selects']],
  ['Only things in this city.', []],
  ['Only things in this city, not an exact match.', []],
])('the check of a filter by prefix with the description "%s" reports %j', async (description, expected) => {
  const parameter = { name: 'city', description, schema: PROPERTIES.city };
  expect(await findRules(parameter, selectByStart)).toEqual(expected);
});

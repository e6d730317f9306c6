import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Schema } from '../support/fixtures/api-document.ts';
import { describeCase, requestLists } from '../support/harness/list-cases.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const Pet = createObject({
  'id!': { ...INTEGER, readOnly: true },
  'name!': TEXT,
  age: INTEGER,
  isTame: { type: 'boolean' },
  tags: createList(TEXT),
  owner: createObject({ login: TEXT }),
  petStatus: TEXT,
});

const addIds = (pets: readonly object[]) => pets.map((pet, index) => ({ id: index + 1, ...pet }));

const PETS = addIds([
  { name: 'Rex', age: 10, isTame: true, tags: ['dog', 'big'], owner: { login: 'ada' }, petStatus: 'sold' },
  { name: 'Tom', age: 9, isTame: false, tags: ['cat'], owner: { login: 'bob' }, petStatus: 'new' },
  { name: 'Ann', age: 9, isTame: true, tags: ['dog'], petStatus: 'new' },
]);

/** Query parameters, a query, and the names of the pets in the list. */
type Row = readonly [query: Readonly<Record<string, Schema>>, search: string, names: readonly string[]];

/** Expects the lists of three pets to have the names in a table. */
async function expectNames(rows: readonly Row[], entries: readonly object[] = PETS) {
  const cases = rows.map(([query, search]) => ({ query, search }));
  const responses = await requestLists(cases, { entry: Pet, entries });
  const names = Object.entries(responses).map(([text, { body }]) => [
    text,
    body.map((pet: { readonly name: string }) => pet.name),
  ]);
  const expected = rows.map(([query, search, own]) => [describeCase({ query, search }), own]);
  expect(Object.fromEntries(names)).toEqual(Object.fromEntries(expected));
}

/** Query parameters, queries, and the names of the pets that are found. */
const filters: readonly (readonly [
  query: Readonly<Record<string, Schema>>,
  search: string,
  names: readonly string[],
])[] = [
  [{ name: TEXT }, 'name=Tom', ['Tom']],
  [{ name: TEXT }, 'name=tom', []],
  [{ age: INTEGER }, 'age=9', ['Tom', 'Ann']],
  [{ isTame: { type: 'boolean' } }, 'isTame=false', ['Tom']],
  [{ age: INTEGER, isTame: { type: 'boolean' } }, 'age=9&isTame=true', ['Ann']],
  [{ name: createList(TEXT) }, 'name=Rex&name=Ann', ['Rex', 'Ann']],
  [{ tags: createList(TEXT) }, 'tags=dog', ['Rex', 'Ann']],
  [{ 'tags[]': createList(TEXT) }, 'tags[]=cat', ['Tom']],
  [{ owner: TEXT }, 'owner=ada', ['Rex']],
  [{ pet_status: TEXT }, 'pet_status=new', ['Tom', 'Ann']],
  [{ color: TEXT }, 'color=red', ['Rex', 'Tom', 'Ann']],
  [{ name: TEXT }, '', ['Rex', 'Tom', 'Ann']],
];

describe('A list', () => {
  it('filters by the query parameters that are properties', () => expectNames(filters));
});

const SORT = { sort: TEXT };
const SORT_AND_ORDER = { sort_by: TEXT, order: TEXT };

/** Query parameters, queries, and the names of the pets in their order. */
const orders: readonly (readonly [
  query: Readonly<Record<string, Schema>>,
  search: string,
  names: readonly string[],
])[] = [
  [SORT, 'sort=name', ['Ann', 'Rex', 'Tom']],
  [SORT, 'sort=-name', ['Tom', 'Rex', 'Ann']],
  [SORT, 'sort=name:desc', ['Tom', 'Rex', 'Ann']],
  [SORT, 'sort=name,desc', ['Tom', 'Rex', 'Ann']],
  [SORT, 'sort=name%20desc', ['Tom', 'Rex', 'Ann']],
  [SORT, 'sort=name%20descending', ['Tom', 'Rex', 'Ann']],
  [SORT, 'sort=name:ascending', ['Ann', 'Rex', 'Tom']],
  [SORT, 'sort=name.desc', ['Tom', 'Rex', 'Ann']],
  [SORT, 'sort=%2Bname', ['Ann', 'Rex', 'Tom']],
  [SORT, 'sort=age', ['Tom', 'Ann', 'Rex']],
  [SORT, 'sort=age,-name', ['Tom', 'Ann', 'Rex']],
  [SORT, 'sort=age,name', ['Ann', 'Tom', 'Rex']],
  [SORT, 'sort=pet_status', ['Tom', 'Ann', 'Rex']],
  [SORT, 'sort=unknown', ['Rex', 'Tom', 'Ann']],
  [SORT_AND_ORDER, 'sort_by=name', ['Ann', 'Rex', 'Tom']],
  [SORT_AND_ORDER, 'sort_by=name&order=desc', ['Tom', 'Rex', 'Ann']],
  [SORT_AND_ORDER, 'sort_by=name&order=asc', ['Ann', 'Rex', 'Tom']],
  [{ orderBy: TEXT, direction: TEXT }, 'orderBy=age&direction=DESC', ['Rex', 'Tom', 'Ann']],
  [{ order: TEXT }, 'order=-name', ['Tom', 'Rex', 'Ann']],
  [{ sort: { type: 'array', items: TEXT } }, 'sort=age&sort=-name', ['Tom', 'Ann', 'Rex']],
];

describe('A list', () => {
  it('sorts by the properties that a parameter names', () => expectNames(orders));

  it('sorts by the default value of the parameter', () =>
    expectNames([
      [{ sort: { ...TEXT, default: '-name' } }, '', ['Tom', 'Rex', 'Ann']],
      [{ sort: { ...TEXT, default: '-name' } }, 'sort=name', ['Ann', 'Rex', 'Tom']],
    ]));

  it('does not filter by the default value of a parameter', () =>
    expectNames([[{ name: { ...TEXT, default: 'Rex' } }, '', ['Rex', 'Tom', 'Ann']]]));

  it('sorts entries without the property last, in both directions', () => {
    const pets = [{ name: 'Rex' }, { name: 'Tom', age: 2 }, { name: 'Ann', age: 1 }, { name: 'Old', age: 9 }];
    return expectNames(
      [
        [SORT, 'sort=age', ['Ann', 'Tom', 'Old', 'Rex']],
        [SORT, 'sort=-age', ['Old', 'Tom', 'Ann', 'Rex']],
      ],
      addIds(pets),
    );
  });

  it('filters, sorts and pages at once', () =>
    expectNames([
      [{ age: INTEGER, sort: TEXT, limit: INTEGER, offset: INTEGER }, 'age=9&sort=name&limit=1&offset=1', ['Tom']],
    ]));

  it('filters by the values that it shows, also by generated ones', async () => {
    const Shown = createObject({ 'id!': { ...INTEGER, readOnly: true }, 'name!': TEXT, 'rank!': INTEGER });
    const Sent = createObject({ 'name!': TEXT });
    const paths = createResourcePaths('/pets/{petId}', Shown, Sent);
    const get = { query: { rank: INTEGER }, response: createList(Shown) };
    const { ask } = await startApi({ paths: { ...paths, '/pets': { ...paths['/pets'], get } } });
    const { body } = await ask('POST', '/pets', { name: 'Rex' });
    expect((await ask('GET', `/pets?rank=${body.rank}`)).body).toEqual([body]);
    expect((await ask('GET', `/pets?rank=${body.rank + 1}`)).body).toEqual([]);
  });
});

it('A query parameter without effect is noted in the log once for each operation', async () => {
  const query = { color: TEXT, name: TEXT };
  const paths = createResourcePaths('/pets/{petId}', Pet);
  const list = { ...paths['/pets']?.get, query };
  const { ask, log } = await startApi({ paths: { ...paths, '/pets': { ...paths['/pets'], get: list } } });
  for (const search of ['?name=Rex', '?color=red&name=Rex', '?color=blue']) await ask('GET', `/pets${search}`);
  await expect.poll(() => log.filter(({ method }) => method === 'GET').length).toBe(3);
  expect(log.filter(({ method }) => method === 'GET').map(({ notes }) => notes)).toEqual([
    undefined,
    ['query parameter color has no effect: no property matches it'],
    undefined,
  ]);
});

import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const STATES = { type: 'string', enum: ['open', 'done'] };
const Cup = createObject({ 'id!': INTEGER, 'name!': TEXT, status: STATES, winner: TEXT });
const CUPS = [
  { id: 7, name: 'Winter cup', status: 'done', winner: 'Ann' },
  { id: 8, name: 'Summer cup', status: 'open' },
];

/** Returns the paths of cups that no operation creates, with the examples of a list and of an entry. */
function createPaths(list: unknown, read: unknown, cup: Schema = refer('Cup')): Paths {
  const page = createObject({ 'count!': INTEGER, 'results!': createList(cup) });
  return {
    '/cups': { get: { query: { status: STATES }, response: page, example: list } },
    '/cups/{id}': { get: { response: cup, example: read }, parameters: { id: INTEGER } },
  };
}

async function start(list: unknown, read?: unknown, cup?: Schema) {
  const { ask } = await startApi({ paths: createPaths(list, read, cup), schemas: { Cup } });
  return {
    ask,
    list: async (query = '') => (await ask('GET', `/cups${query}`)).body.results,
  };
}

const PAGE = { status: 'ok', data: { count: 2, next: null, previous: null, results: CUPS } };

describe('Examples in an envelope that the schema lacks', () => {
  it.each([
    ['around a page in the list', { count: 1, results: [PAGE] }, undefined],
    ['around the page', PAGE, undefined],
    ['around an entry', { count: 0, results: [] }, { status: 'ok', data: CUPS[0] }],
  ])('have the entries of the default data: %s', async (_title, list, read) => {
    const cups = await start(list, read);
    const expected = read === undefined ? CUPS : CUPS.slice(0, 1);
    expect(await cups.list()).toEqual(expected);
    expect((await cups.ask('GET', '/cups/7')).body).toEqual(CUPS[0]);
    expect(await cups.list('?status=done')).toEqual(CUPS.slice(0, 1));
    expect(await cups.list('?status=open')).toEqual(expected.slice(1));
  });

  it('have the properties of entries without a schema, which filter a list', async () => {
    const paths = createPaths({ count: 1, results: [PAGE] }, { status: 'ok', data: CUPS[0] }, { type: 'object' });
    const { ask } = await startApi({ paths });
    expect((await ask('GET', '/cups')).body).toEqual({ count: 2, results: CUPS });
    expect((await ask('GET', '/cups/8')).body).toEqual({ status: 'ok', data: CUPS[1] });
    expect((await ask('GET', '/cups?status=done')).body.results).toEqual(CUPS.slice(0, 1));
    expect((await explainApi({ paths }))['GET /cups']).toContain('filters: status;');
  });
});

describe('An example', () => {
  it.each([
    ['other properties', { code: 3, details: 'none' }],
    ['only an id', { id: 1, message: 'found', details: 'none' }],
    ['only a status', { status: 'ok', data: { details: 'none' } }],
  ])('with %s than the entries is no entry', async (_title, example) => {
    const { ask, list } = await start({ count: 1, results: [example] });
    const cups = await list();
    expect(cups).toHaveLength(3);
    expect(Object.keys(cups[0])).toEqual(expect.arrayContaining(['id', 'name']));
    expect((await ask('GET', `/cups/${cups[0].id}`)).body).toEqual(cups[0]);
  });

  it.each([
    ['some of their properties', { id: 9, name: 'Cup' }],
    ['more properties than the schema', { id: 9, name: 'Cup', city: 'Bonn', year: 2030, teams: 8, fee: 5 }],
    ['an object with properties of its own', { id: 9, name: 'Cup', data: { id: 3, name: 'Inner', status: 'open' } }],
  ])('with %s is an entry', async (_title, example) => {
    const { list } = await start({ count: 1, results: [example] });
    expect(await list()).toEqual([{ id: 9, name: 'Cup' }]);
  });

  it('of an entry without a schema is an entry, also with an object that has an id', async () => {
    const example = { name: 'Cup', owner: { id: 4, name: 'Ann' } };
    const { list } = await start({ count: 1, results: [example] }, undefined, { type: 'object' });
    expect(await list()).toMatchObject([example]);
  });
});

it('an example of a list in the order newest first stays in this order', async () => {
  const paths = createPaths({ count: 2, results: CUPS }, undefined);
  const get = { ...paths['/cups']?.get, summary: 'Lists cups, newest first' };
  const { ask } = await startApi({ paths: { ...paths, '/cups': { get } }, schemas: { Cup } });
  expect((await ask('GET', '/cups')).body.results).toEqual(CUPS);
});

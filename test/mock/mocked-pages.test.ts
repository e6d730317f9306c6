import { describe, expect, it } from 'vitest';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };
const things = { type: 'array', items: { type: 'object', properties: { title: text } } };
const nullable = { type: 'string', nullable: true };

const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  required,
  properties,
});

/** Returns a query parameter with a whole number. */
const parameter = (name: string, more: object = {}) => ({ name, in: 'query', schema: { ...whole, ...more } });

/** Starts a server that mocks `GET /search` with a schema, and returns a function that requests the path. */
async function startSearch(schema: object, parameters: readonly object[] = [], status = 200) {
  const get = {
    ...createOperation('search'),
    parameters,
    responses: { [status]: { description: 'd', content: { 'application/json': { schema } } } },
  };
  const { ask } = await startStorefront({ contract: await writeDocument({ paths: { '/search': { get } } }) });
  return async (query = '', headers: Record<string, string> = MOCKED) =>
    (await ask('GET', `/search${query}`, undefined, headers)).body;
}

/** A preference for a response of the mock. */
const MOCKED = { prefer: 'code=200' };

const DYNAMIC = [1, 2, 3, 4, 5].map((seed) => ({ prefer: `dynamic=true, seed=${seed}` }));

describe('A mocked page of a list', () => {
  it.each([
    ['null', object({ items: things, nextCursor: nullable }), null],
    ['absent', object({ items: things, nextCursor: text }, ['items']), undefined],
    ['empty', object({ items: things, nextCursor: text }), ''],
    ['null in an alternative', object({ items: things, nextCursor: { oneOf: [text, { type: 'null' }] } }), null],
    ['null beside an example', object({ items: things, nextCursor: { ...nullable, example: 'abc' } }), null],
  ])('has no next cursor: it is %s', async (_, schema, expected) => {
    const search = await startSearch(schema, [{ name: 'cursor', in: 'query', schema: text }]);
    for (const query of ['', '?cursor=abc']) expect((await search(query)).nextCursor).toBe(expected);
  });

  it.each([
    ['meta', (link: object) => object({ data: things, meta: object({ next_cursor: link }) }), 'next_cursor'],
    ['links', (link: object) => object({ data: things, links: object({ next: link }) }), 'next'],
    ['pagination', (link: object) => object({ data: things, pagination: object({ nextPage: link }) }), 'nextPage'],
  ])('has no link to a next page in its object %s', async (name, create, property) => {
    const search = await startSearch(create(nullable));
    expect((await search())[name][property]).toBeNull();
  });

  it('has numbers that agree with its list and with the request', async () => {
    const meta = object({ page: whole, per_page: whole, total_count: whole, total_pages: whole });
    const search = await startSearch(object({ data: things, meta }), [parameter('page'), parameter('per_page')]);
    for (const headers of DYNAMIC) {
      const { data, meta } = await search('?per_page=20', headers);
      expect(meta).toEqual({ page: 1, per_page: 20, total_count: data.length, total_pages: 1 });
    }
  });

  it('has at most as many entries as the request asks for', async () => {
    const schema = object({ data: { ...things, maxItems: 9 }, total: whole });
    const search = await startSearch(schema, [parameter('limit')]);
    for (const headers of DYNAMIC) {
      const { data, total } = await search('?limit=1', headers);
      expect([data.length, total]).toEqual([1, 1]);
    }
  });

  it('is empty after the first page', async () => {
    const schema = object({ data: things, page: whole, pageSize: whole, total: whole, hasMore: { type: 'boolean' } });
    const search = await startSearch(schema, [parameter('page'), parameter('pageSize', { default: 10 })]);
    const { total } = await search();
    expect(await search('?page=2')).toEqual({ data: [], page: 2, pageSize: 10, total, hasMore: false });
  });

  it('is empty after the first page also without an envelope', async () => {
    const search = await startSearch(things, [parameter('offset'), parameter('limit')]);
    expect((await search('?limit=10')).length).toBeGreaterThan(0);
    expect(await search('?limit=10&offset=10')).toEqual([]);
  });

  it('keeps the entries that its schema requires', async () => {
    const search = await startSearch(object({ data: { ...things, minItems: 2 }, total: whole }), [
      parameter('page'),
      parameter('limit'),
    ]);
    const { data, total } = await search('?limit=1&page=3');
    expect([data.length, total]).toEqual([2, 4]);
  });

  it('has the numbers of Spring', async () => {
    const flag = { type: 'boolean' };
    const schema = object({
      content: things,
      totalElements: whole,
      totalPages: whole,
      size: whole,
      number: whole,
      numberOfElements: whole,
      first: flag,
      last: flag,
    });
    const search = await startSearch(schema, [parameter('page', { default: 0 }), parameter('size')]);
    const { content, ...numbers } = await search('?size=5');
    const count = content.length;
    expect(numbers).toEqual({
      totalElements: count,
      totalPages: 1,
      size: 5,
      number: 0,
      numberOfElements: count,
      first: true,
      last: true,
    });
  });

  it('is an example of the contract as it is written', async () => {
    const example = { data: [], nextCursor: 'abc', total: 7 };
    const search = await startSearch({ ...object({ data: things, nextCursor: text, total: whole }), example });
    expect(await search()).toEqual(example);
  });
});

it('A forced error keeps its list of errors', async () => {
  const schema = object({ errors: { type: 'array', items: object({ field: text, message: text }) } });
  const search = await startSearch(schema, [parameter('page')], 400);
  expect((await search('?page=2', { prefer: 'code=400' })).errors).toEqual([
    { field: expect.any(String), message: expect.any(String) },
  ]);
});

describe('A mocked object that is no page', () => {
  it('keeps its states before and after a change', async () => {
    const search = await startSearch(
      object({ before: object({ title: text }), after: object({ tags: things }) }, ['after']),
    );
    expect((await search()).before).toEqual({ title: expect.any(String) });
  });

  it('keeps properties with the names of pages, if it has an id', async () => {
    const search = await startSearch(object({ id: text, tags: { type: 'array', items: text }, next: nullable }));
    const { next } = await search('', DYNAMIC[0]);
    expect(next).toEqual(expect.any(String));
  });
});

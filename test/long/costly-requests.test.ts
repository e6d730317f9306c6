import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** The time in which all requests of a test must get their responses, in ms. Without a limit, each of them took seconds or minutes. */
const GENEROUS_MS = 60_000;

/** Returns `count` different names. */
function createNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `a${index.toString(36).padStart(3, '0')}`);
}

const SUCCESS = { 200: { description: 'OK', content: { 'application/json': { schema: { type: 'object' } } } } };
const text = { type: 'string' } as const;

const FORM = 'application/x-www-form-urlencoded';

/** Starts a server for a document with these paths. */
async function startPaths(paths: object, schemas: object = {}) {
  const document = { openapi: '3.0.3', info: { title: 'Test', version: '1' }, paths, components: { schemas } };
  const folder = await folderWith({ 'openapi.json': JSON.stringify(document) });
  return startStorefront({ contract: join(folder, 'openapi.json') });
}

function createPost(schema: object) {
  return { post: { requestBody: { content: { 'application/json': { schema } } }, responses: SUCCESS } };
}

describe('a query', () => {
  it('with 1,000 parameters is handled, and one with more is rejected', async () => {
    const { ask } = await startStorefront();
    for (const path of ['/api/products', '/_control/sandboxes/default/requests']) {
      const rejected = await ask('GET', `${path}?${createNames(1_001).join('&')}`);
      expectProblem(rejected, 400, 'invalid-request');
      expect(rejected.body.detail).toBe('the query has more than 1000 parameters: send fewer parameters');
    }
    expect((await ask('GET', `/api/products?${createNames(1_000).join('&&')}&`)).status).toBe(200);
  });

  it('with 15,000 names is rejected quickly, by an operation, in the journal and by a verification', {
    timeout: GENEROUS_MS,
  }, async () => {
    const { ask } = await startStorefront();
    const query = createNames(12_000).join('&');
    for (let count = 0; count < 20; count++) expect((await ask('GET', `/api/products?${query}`)).status).toBe(400);
    const { body } = await ask('GET', '/_control/sandboxes/default/requests');
    expect(body).toHaveLength(20);
    expect(body[0].request.url).toHaveLength(8_001);
    const verify = (where: object, times: number) =>
      ask('POST', '/_control/sandboxes/default/requests/verify', { where, times });
    expect((await verify({ path: '/api/products' }, 20)).body).toMatchObject({ verified: true, count: 20 });
    const { body: undecided } = await verify({ query: { search: 'x' } }, 0);
    expect(undecided).toMatchObject({ verified: false, count: 0 });
    expect(undecided.message).toContain('the truncated queries of 20 requests cannot be compared');
  });

  it('sets 1,000 keys of an object in linear time, also if the keys have names of JavaScript', {
    timeout: GENEROUS_MS,
  }, async () => {
    const filter = { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object', maxProperties: 999 } };
    const { ask } = await startPaths({ '/things': { get: { parameters: [filter], responses: SUCCESS } } });
    const keys = [...createNames(996), 'constructor', '__proto__', 'toString'];
    const fields = keys.map((key) => `filter[${key}][x]=1`);
    for (let count = 0; count < 10; count++) expect((await ask('GET', `/things?${fields.join('&')}`)).status).toBe(200);
    const { body } = await ask('GET', `/things?${[...fields, 'filter[more]=1'].join('&')}`);
    expect(body.violations).toMatchObject([{ pointer: '/filter', rule: 'maxProperties' }]);
  });

  it('that sorts by 5,000 unknown names is handled', { timeout: GENEROUS_MS }, async () => {
    const entry = { type: 'object', properties: { id: { type: 'integer' }, name: text } };
    const list = { description: 'd', content: { 'application/json': { schema: { type: 'array', items: entry } } } };
    const created = { description: 'd', content: { 'application/json': { schema: entry } } };
    const { ask } = await startPaths({
      '/things': {
        get: { parameters: [{ name: 'sort', in: 'query', schema: text }], responses: { 200: list } },
        post: { ...createPost(entry).post, responses: { 201: created } },
      },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { responses: { 200: created, 404: { description: 'd' } } },
      },
    });
    for (let count = 0; count < 100; count++) await ask('POST', '/things', { name: `n${99 - count}` });
    const { body } = await ask('GET', `/things?sort=${createNames(5_000).join(',')},Name`);
    expect(body.map(({ name }: { readonly name: string }) => name).slice(0, 3)).toEqual(['n0', 'n1', 'n10']);
  });
});

describe('a path', () => {
  it('with more than 8,000 characters is rejected', async () => {
    const { ask } = await startStorefront();
    for (const path of ['/api/orders/', '/images/', '/_docs/', '/_control/sandboxes/', '/'])
      for (const part of ['a', '%', '%41'])
        expectProblem(await ask('GET', path + part.repeat(8_001)), 400, 'malformed-request', path);
    expectProblem(await ask('GET', `/api/${'a'.repeat(7_000)}`), 404, 'unknown-path');
  });

  it('with several parameters in a segment is matched in linear time', { timeout: GENEROUS_MS }, async () => {
    const path = '/files/{b}-{c}.{d}-{e}.json';
    const parameters = ['b', 'c', 'd', 'e'].map((name) => ({ name, in: 'path', required: true, schema: text }));
    const { ask } = await startPaths({ [path]: { get: { parameters, responses: SUCCESS } } });
    expect((await ask('GET', '/files/a-b.c-d.json')).status).toBe(200);
    for (const part of ['-', '.', '-.', '-a.'])
      for (const end of ['', '!', '.json']) {
        const { status } = await ask('GET', `/files/${part.repeat(7_900 / part.length)}${end}`);
        expect([200, 404]).toContain(status);
      }
  });
});

describe('a body', () => {
  it('in a form whose schemas refer to each other through oneOf and anyOf is handled', async () => {
    const names = createNames(40);
    const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = Object.fromEntries(
      names.map((name) => [name, { oneOf: names.slice(0, 20).map(refer), anyOf: names.slice(20).map(refer) }]),
    );
    const schema = { type: 'object', properties: { a: refer(names[0] ?? '') } };
    const { ask } = await startPaths(
      { '/forms': { post: { requestBody: { content: { [FORM]: { schema } } }, responses: SUCCESS } } },
      schemas,
    );
    expect((await ask('POST', '/forms', 'a=5', { 'content-type': FORM })).status).toBe(400);
  });

  it('with a long text for the format url is validated in linear time', { timeout: GENEROUS_MS }, async () => {
    const schema = { type: 'object', properties: { link: { type: 'string', format: 'url' } } };
    const { ask } = await startPaths({ '/links': createPost(schema) });
    for (const link of ['http://example.test', 'https://user:pass@word@a-b.example.test:80/x?y', 'ftp://1.2.3.4/'])
      expect((await ask('POST', '/links', { link })).status, link).toBe(200);
    for (const part of [':', '@', 'a', 'a-', 'a.', 'a@', ':a@', '/', '1.'])
      for (const start of ['http://', 'http://a@', 'http://a.test', ''])
        expect((await ask('POST', '/links', { link: `${start}${part.repeat(40_000 / part.length)} ` })).status).toBe(
          400,
        );
  });

  it('with many different arrays for uniqueItems is validated in linear time', { timeout: GENEROUS_MS }, async () => {
    const lists = { type: 'array', uniqueItems: true, items: { type: 'array' } };
    const { ask } = await startPaths({ '/lists': createPost(lists) });
    const list = Array.from({ length: 9_000 }, (_, index) => [index]);
    for (let count = 0; count < 10; count++) expect((await ask('POST', '/lists', list)).status).toBe(200);
    const rejected = await ask('POST', '/lists', [...list, [7]]);
    expect(rejected.body.detail).toContain('use different entries: the entries 7 and 9000 are equal');
  });

  it('with 1,900 invalid values gets the first 1,000 violations', async () => {
    const { ask } = await startPaths({ '/numbers': createPost({ type: 'array', items: { type: 'integer' } }) });
    const { status, body } = await ask('POST', '/numbers', `[${'"",'.repeat(1_899)}""]`);
    expect(status).toBe(400);
    expect(body.violations).toHaveLength(1_000);
    expect(body.detail).toMatch(/; and 1895 more$/);
  });
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { findJsonIssues } from '../../src/util/limits.ts';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const MAX_DEPTH = 100;

/** The digits of an integer that is too large. An integer in a parameter has no exponent. */
const HUGE = `1${'0'.repeat(400)}`;

const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('findJsonIssues', () => {
  it.each([
    ['an object of 100 levels', objects(MAX_DEPTH), []],
    ['an array of 100 levels', arrays(MAX_DEPTH), []],
    ['an object of 101 levels', objects(MAX_DEPTH + 1), [{ rule: 'depth', path: ['a', 'a'] }]],
    ['an array of 101 levels', arrays(MAX_DEPTH + 1), [{ rule: 'depth', path: ['0', '0'] }]],
    ['an array of 100,000 levels', arrays(100_000), [{ rule: 'depth', path: ['0', '0'] }]],
    ['the largest number', '1.7976931348623157e308', []],
    [
      'numbers in an object that are too large',
      '{"a":[1,1e400,{"b":-1e309}]}',
      [{ path: ['a', '1'] }, { path: ['a', '2', 'b'] }],
    ],
    ['a number that is too large', '1e400', [{ rule: 'finite', path: [''] }]],
  ])('returns the issues of %s', (_, json, issues) => {
    expect(findJsonIssues(JSON.parse(json))).toMatchObject(issues);
  });
});

/** Requests with a body, in which `%` stands for a value. */
const BODIES: readonly [string, string, string][] = [
  ['PUT', '/_control/sandboxes/w1/state', '%'],
  ['PUT', '/_control/sandboxes/w1/state', '{"products":%}'],
  ['PUT', '/_control/sandboxes/w1/state', '{"products":[{"id":%}]}'],
  ['POST', '/_control/sandboxes/w1/faults', '{"code":500,"where":{"body":{"a":%}}}'],
  ['POST', '/_control/sandboxes/w1/faults', '{"code":500,"where":{"body":{"a":{"$not":%}}}}'],
  ['PUT', '/_control/sandboxes/w1/clock', '{"now":%}'],
  ['POST', '/_control/sandboxes/default/requests/count', '{"where":{"body":%}}'],
  ['POST', '/_control/sandboxes/default/requests/verify', '{"where":{"body":%}}'],
  ['POST', '/api/cart-items', '%'],
  ['POST', '/api/cart-items', `{"productId":"${KETTLE}","quantity":%}`],
  ['POST', '/api/cart-items', `{"productId":"${KETTLE}","quantity":1,"colour":%}`],
];

describe('a body that is nested deeper than 100 levels', () => {
  it.each(BODIES)('is refused, and changes nothing: %s %s %s', async (method, path, body) => {
    const shop = await startStorefront({ durability: 'memory' });
    for (const depth of [MAX_DEPTH + 1, 2_000, 10_000]) {
      for (const value of [objects(depth), arrays(depth)]) {
        const reply = await shop.ask(method, path, body.replace('%', value));
        expectProblem(reply, 400, 'invalid-request', `${depth}`);
        expect(reply.body.detail).toContain('is nested deeper than 100 levels: reduce the nesting');
        expect(reply.body.violations).toMatchObject([{ in: 'body', rule: 'depth' }]);
      }
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('GET', '/_control/sandboxes/default/requests')).status).toBe(200);
  });
});

describe('a body of 100 levels', () => {
  it('is validated', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('POST', '/api/cart-items', arrays(MAX_DEPTH))).body.violations).toMatchObject([
      { in: 'body', pointer: '', rule: 'type' },
    ]);
  });
});

describe('a number that JavaScript cannot represent', () => {
  it.each(BODIES)('is refused, and changes nothing: %s %s %s', async (method, path, body) => {
    const shop = await startStorefront({ durability: 'memory' });
    for (const value of ['1e400', '-1e400', '[1e400]']) {
      const reply = await shop.ask(method, path, body.replace('%', value));
      expectProblem(reply, 400, 'invalid-request', value);
      expect(reply.body.violations.length).toBeGreaterThan(0);
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('is a violation in body, query and path if the contract has no maximum', async () => {
    const folder = await folderWith({ 'contract.yaml': CONTRACT });
    const shop = await startStorefront({ contract: join(folder, 'contract.yaml'), mock: true, verify: 'off' });
    const ask = (path: string, body?: string) => shop.ask(body === undefined ? 'GET' : 'POST', path, body);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const [reply, violation] of [
      [await ask(`/things/${HUGE}`), { in: 'path', pointer: '/id' }],
      [await ask(`/things/1?count=${HUGE}`), { in: 'query', pointer: '/count' }],
      [await ask(`/things/1?count=-${HUGE}`), { in: 'query', pointer: '/count' }],
      [await ask('/things/1?price=1e400'), { in: 'query', pointer: '/price' }],
      [await ask('/things/1?filter={"a":1e400}'), { in: 'query', pointer: '/filter/a' }],
      [await ask('/things', '{"count":1e400}'), { in: 'body', pointer: '/count' }],
      [await ask('/things', '{"any":{"n":[1e400]}}'), { in: 'body', pointer: '/any/n/0' }],
      [await shop.ask('POST', '/forms', `count=${HUGE}`, form), { in: 'body', pointer: '/count' }],
    ] as const) {
      expectProblem(reply, 400, 'invalid-request', violation.pointer);
      expect(reply.body.violations).toMatchObject([violation]);
      expect(reply.body.detail).toContain('is a number too large to be represented');
    }
    expect((await ask('/things/1?price=1e300')).status).toBe(200);
    expect((await ask('/things', '{"count":1e300}')).status).toBe(200);
  });

  it('is a violation in JSON in a query that is too deep, and a name with too many keys is unknown', async () => {
    const folder = await folderWith({ 'contract.yaml': CONTRACT });
    const shop = await startStorefront({
      contract: join(folder, 'contract.yaml'),
      strict: true,
      mock: true,
      verify: 'off',
    });
    const deep = await shop.ask('GET', `/things/1?filter=${arrays(10_000)}`);
    expect(deep.body.violations).toMatchObject([{ in: 'query', pointer: '/filter', rule: 'depth' }]);
    const keys = await shop.ask('GET', `/things/1?deep${'[a]'.repeat(15_000)}=1`);
    expect(keys.status).toBe(400);
    expect((await shop.ask('GET', `/things/1?deep${'[a]'.repeat(MAX_DEPTH - 2)}=1`)).status).toBe(200);
  });
});

describe('a file that is nested deeper than 100 levels', () => {
  const data = (depth: number) => JSON.stringify({ ...defaults, products: ['%'] }).replace('"%"', objects(depth));

  it('is refused as data', async () => {
    for (const depth of [MAX_DEPTH + 1, 2_000, 100_000]) {
      const folder = await folderWith({ 'db.json': data(depth) });
      await expect(createStorefront({ data: join(folder, 'db.json') })).rejects.toThrow(
        /\/products\/0 is nested deeper than 100 levels: reduce the nesting/,
      );
    }
  });

  it('is refused as a snapshot', async () => {
    for (const depth of [MAX_DEPTH + 1, 2_000, 100_000]) {
      const folder = await folderWith({});
      await mkdir(join(folder, 'snapshots'));
      await writeFile(join(folder, 'snapshots', 'deep.json'), data(depth));
      await expect(createStorefront({ snapshots: join(folder, 'snapshots') })).rejects.toThrow(
        /deep\.json .*\/products\/0 is nested deeper than 100 levels: reduce the nesting/,
      );
    }
  });
});

const CONTRACT = `
openapi: 3.0.3
info: { title: Things, version: 1.0.0 }
paths:
  /things/{id}:
    get:
      operationId: getThing
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: count, in: query, schema: { type: integer } }
        - { name: price, in: query, schema: { type: number } }
        - { name: deep, in: query, style: deepObject, schema: { type: object } }
        - { name: filter, in: query, content: { application/json: { schema: {} } } }
      responses: { "200": { description: A thing } }
  /things:
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
      responses: { "200": { description: Added } }
  /forms:
    post:
      operationId: sendForm
      requestBody:
        content: { application/x-www-form-urlencoded: { schema: { $ref: "#/components/schemas/Thing" } } }
      responses: { "200": { description: Sent } }
components:
  schemas:
    Thing: { type: object, properties: { count: { type: integer }, any: {} } }
`;

import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXIT_CODES, runCheck, writeReports } from '../../src/check/command.ts';
import type { PactStates } from '../../src/check/hooks.ts';
import { compareWithPact } from '../../src/check/pact-matching.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const CART = '/api/cart-items';
const PRODUCT = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';

interface VerifyOptions {
  readonly url: string;
  readonly states?: PactStates;
  readonly allowWrites?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Verifies interactions with the built-in contract. */
async function verify(
  interactions: readonly object[],
  { headers = {}, allowWrites = false, ...options }: VerifyOptions,
) {
  const folder = await folderWith({});
  const pact = join(folder, 'pact.json');
  await writeFile(pact, JSON.stringify({ interactions }));
  const command = { states: {}, wait: 0, runs: 1, pact, headers, allowWrites, ...options };
  const contract = projectFile('openapi.yaml');
  const print = () => {};
  const start = () => Promise.reject(new Error('no server is needed'));
  const report = await runCheck(command, { contract, model: shopModel, start, print, seed: 7, nowMs: 0 });
  const findings = report.failures.map(({ operationId, status, title }) => `${operationId} ${status} ${title}`);
  return { exit: writeReports(report, command, print), findings, report };
}

/** Starts a server that responds to each request with an empty list, and returns the requests. */
async function startServer() {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('content-type', 'application/json').end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Imports a configuration of the examples, without the function that gives it a type. */
async function importConfig(name: string): Promise<{ readonly check: { readonly states: PactStates } }> {
  const text = await readFile(projectFile(`test/examples/config/${name}`), 'utf8');
  const plain = text.replace(/^import .*/, 'const defineConfig = (config) => config;');
  return (await import(`data:text/javascript,${encodeURIComponent(plain)}`)).default;
}

const readCart = (items: readonly object[], more: object = {}) => ({
  description: 'a request for the cart',
  request: { method: 'GET', path: CART },
  response: { status: 200, body: items, matchingRules: { '$.body[*].quantity': { match: 'integer' } } },
  ...more,
});

describe('storefront check URL --pact with provider states', () => {
  it('sends each interaction in the snapshot of its provider state, and leaves other sandboxes unchanged', async () => {
    const { url, ask } = await startStorefront({ durability: 'memory' });
    await ask('PUT', '/_control/sandboxes/default/snapshots/initial', undefined);
    for (const { productId } of (await ask('GET', CART)).body) await ask('DELETE', `${CART}/${productId}`);
    await ask('PUT', '/_control/sandboxes/default/snapshots/empty', undefined);
    const add = { method: 'POST', path: CART, body: { productId: PRODUCT, quantity: 1 } };
    const states = { 'the cart is empty': 'empty', 'the cart has items': 'initial' };
    const added = { request: add, response: { status: 201 }, providerStates: [{ name: 'the cart is empty' }] };
    const empty = readCart([], { providerState: 'the cart is empty' });
    const passed = await verify([added, empty], { url, states });
    expect([passed.exit, passed.findings, passed.report.unchecked]).toEqual([EXIT_CODES.passed, [], []]);
    expect(passed.report.title).toContain('Checked 2 of 2');
    const failed = await verify([readCart([], { providerState: 'the cart has items' })], { url, states });
    expect([failed.exit, failed.findings]).toEqual([EXIT_CODES.failed, ['listCartItems 200 pact: body length']]);
    expect(failed.report.failures[0]?.message).toContain('(a request for the cart)');
    const sandboxes: readonly { readonly id: string }[] = (await ask('GET', '/_control/sandboxes')).body;
    expect(sandboxes.map(({ id }) => id)).toEqual(['default']);
    expect((await ask('GET', CART)).body).toEqual([]);
  });

  it('calls a function in the sandbox of the interaction', async () => {
    const { url, ask } = await startStorefront({ durability: 'memory' });
    for (const { productId } of (await ask('GET', CART)).body) await ask('DELETE', `${CART}/${productId}`);
    await ask('PUT', '/_control/sandboxes/default/snapshots/empty-cart', undefined);
    const { states } = (await importConfig('pact.config.mjs')).check;
    const providerStates = [{ name: 'the cart is empty' }, { name: 'the cart has a product', params: { id: PRODUCT } }];
    const { exit, findings } = await verify([readCart([{ quantity: 4 }], { providerStates })], { url, states });
    expect([exit, findings]).toEqual([EXIT_CODES.passed, []]);
    expect((await ask('GET', CART)).body).toEqual([]);
  });

  it('does not send an interaction with an unknown provider state, and is incomplete', async () => {
    const { url } = await startStorefront({ durability: 'memory' });
    const { exit, report } = await verify([readCart([], { providerState: 'the moon is full' })], { url });
    expect(exit).toBe(EXIT_CODES.incomplete);
    expect(report.unchecked).toEqual([
      'a request for the cart: the provider state "the moon is full" is missing in check.states of the configuration',
    ]);
  });

  it('calls functions of states on any server, which gets the headers of the command', async () => {
    const { url, requests } = await startServer();
    const calls: unknown[] = [];
    const states: PactStates = { 'a user exists': ({ params }) => void calls.push(params) };
    const providerStates = [{ name: 'a user exists', params: { name: 'Ann' } }];
    const request = { method: 'GET', path: CART, headers: { Authorization: 'Bearer example' } };
    const interaction = readCart([], { providerStates, request });
    await expect(verify([interaction], { url, states })).rejects.toThrow('add --allow-writes');
    const headers = { authorization: 'Bearer real' };
    const { findings } = await verify([interaction], { url, states, headers, allowWrites: true });
    expect([findings, calls]).toEqual([[], [{ name: 'Ann' }]]);
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer real');
  });

  it('refuses snapshots of a server without a control API', async () => {
    const { url } = await startServer();
    const states = { 'the cart is empty': 'empty' };
    const interaction = readCart([], { providerState: 'the cart is empty' });
    const passed = verify([interaction], { url, states });
    await expect(passed).rejects.toThrow('Use functions in check.states');
  });
});

const JSON_TYPE = { 'content-type': 'application/json' };

/** Compares two JSON bodies. Returns the titles of the mismatches. */
function compare(expected: unknown, actual: unknown, matchingRules: unknown = {}) {
  const toResponse = (body: unknown) => {
    return { status: 200, headers: JSON_TYPE, text: JSON.stringify(body), body, jsonError: undefined };
  };
  const rules = { matchingRules, expectsNoBody: false };
  const { mismatches, unsupported } = compareWithPact(toResponse(expected), toResponse(actual), rules);
  return [...mismatches.map(({ title }) => title.replace('pact: ', '')), ...unsupported];
}

/** Returns a matching rule of version 3. */
const one = (path: string, ...matchers: readonly object[]) => ({ body: { [path]: { matchers } } });

describe('compareWithPact', () => {
  it.each<[string, unknown, unknown, unknown, readonly string[]]>([
    ['equal values with other properties', { a: 1 }, { a: 1, b: 2 }, {}, []],
    ['another value', { a: 1 }, { a: 2 }, {}, ['body/a equality']],
    ['a missing property', { a: { b: 1 } }, { a: {} }, {}, ['body/a/b required']],
    ['a longer list', [1], [1, 1], {}, ['body length']],
    ['a type', { a: { b: 'x' } }, { a: { b: 'y' } }, { '$.body.a': { match: 'type' } }, []],
    [
      'another type below a matcher',
      { a: { b: 'x' } },
      { a: { b: 1 } },
      { '$.body.a': { match: 'type' } },
      ['body/a/b type'],
    ],
    [
      'a list by its example',
      [{ id: 1 }],
      [{ id: 2 }, { id: 3 }],
      { '$.body': { min: 1 }, '$.body[*].id': { match: 'type' } },
      [],
    ],
    ['a wrong item', [{ id: 1 }], [{ id: 2 }, { id: 'x' }], one('$', { match: 'type', min: 1 }), ['body/*/id type']],
    ['too few items', [1], [], one('$', { match: 'type', min: 1 }), ['body type']],
    ['the minimum only for its own list', [[1]], [[]], one('$', { match: 'type', min: 1 }), []],
    ['a regular expression', { a: 'ab' }, { a: 'xb' }, one('$.a', { match: 'regex', regex: 'x.' }), []],
    [
      'a part that matches an expression',
      { a: 'x' },
      { a: 'xyz' },
      { '$.body.a': { match: 'regex', regex: 'x' } },
      ['body/a regex'],
    ],
    ['an integer', [1], [1.5], one('$[0]', { match: 'integer' }), ['body/* integer']],
    [
      'the more precise path',
      { a: { b: 1 } },
      { a: { b: 2 } },
      { body: { ...one('$.a', { match: 'type' }).body, ...one('$.a.b', { match: 'equality' }).body } },
      ['body/a/b equality'],
    ],
    ['a name in brackets', { 'a.b': 1 }, { 'a.b': 2 }, one("$['a.b']", { match: 'number' }), []],
    ['entries of a map', { x: { n: 1 } }, { y: { n: 2 }, z: { n: 'q' } }, one('$', { match: 'values' }), []],
    [
      'one of two matchers',
      { a: 1 },
      { a: null },
      { body: { '$.a': { combine: 'OR', matchers: [{ match: 'type' }, { match: 'null' }] } } },
      [],
    ],
    [
      'a matcher that is not applied',
      { a: '2020-01-01' },
      { a: 'x' },
      one('$.a', { match: 'date', date: 'yyyy-MM-dd' }),
      ['date'],
    ],
  ])('compares %s', (_, expected, actual, rules, result) => {
    expect(compare(expected, actual, rules)).toEqual(result);
  });

  it('compares headers and statuses, also by matchers', () => {
    const none = { text: '', body: undefined, jsonError: undefined };
    const expected = {
      ...none,
      status: 200,
      headers: { 'content-type': 'text/html; charset=UTF-8', etag: 'x', link: 'a' },
    };
    const actual = { ...none, status: 204, headers: { 'content-type': 'text/html;charset=utf-8', etag: 'y' } };
    const titles = (matchingRules: object) =>
      compareWithPact(expected, actual, { matchingRules, expectsNoBody: false }).mismatches.map(({ title }) => title);
    expect(titles({})).toEqual(['pact: status equality']);
    const status = { $: { matchers: [{ match: 'statusCode', status: 'success' }] } };
    expect(titles({ status: status.$ })).toEqual(['pact: header/etag equality', 'pact: header/link required']);
    const etag = { matchers: [{ match: 'regex', regex: '[a-z]' }] };
    expect(titles({ status: status.$, header: { ETag: etag } })).toEqual(['pact: header/link required']);
  });
});

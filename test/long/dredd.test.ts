import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AnyAnswer, type AnyHandler, createStorefront, type Options } from '../../src/index.ts';
import { handlers as own } from '../../src/shop/operations/index.ts';
import { type DreddVerdict, ownHooks, runDredd } from '../../tools/dredd/dredd.ts';
import type { DreddTransaction } from '../../tools/dredd/transaction.ts';
import { documentedOperations } from '../support/fixtures/contract-document.ts';
import { defaults, defaultText, projectFile } from '../support/fixtures/default-data.ts';
import { run } from '../support/harness/commands.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const contractFile = projectFile('openapi.yaml');

/** All answers with a status of their own, and one for each path with a method that it doesn't have. */
const documented: readonly string[] = [
  ...documentedOperations.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((name) => /^\d+$/.test(name))
      .map((status) => `${operationId} ${status}`),
  ),
  ...[...new Set(documentedOperations.map(({ path }) => path))].map((path) => `${path} 405`),
].sort();

function nameOf({ operationId, path, status }: DreddTransaction): string {
  return `${operationId ?? path} ${status}`;
}

/** What failed, each with why. */
function failuresOf({ transactions }: DreddVerdict): readonly (readonly [name: string, message: string])[] {
  return transactions.filter(({ isPassed }) => !isPassed).map((one) => [nameOf(one), one.failure]);
}

/** A shop for one test, which looks at no answer itself. */
async function shopWith(options: Options = {}): Promise<string> {
  const shop = await createStorefront({ verify: 'off', logTo: { write: () => {} }, ...options });
  onTestFinished(() => shop.close());
  return shop.url;
}

async function judged(options: Options = {}): Promise<DreddVerdict> {
  return runDredd({ url: await shopWith(options), contractFile });
}

/** A shop that does one operation as this handler does. */
function doing(operationId: keyof typeof own, handler: AnyHandler): Options {
  return { handlers: { [operationId]: handler } };
}

/** A shop that does one operation as it should, but for a change of the answer. */
function changed(operationId: keyof typeof own, change: (answer: AnyAnswer) => AnyAnswer): Options {
  const right = own[operationId] as AnyHandler;
  return doing(operationId, async (input, shop) => change(await right(input, shop)));
}

/** An answer with another body. */
function withBody(change: (body: never) => unknown): (answer: AnyAnswer) => AnyAnswer {
  return (answer) => ({ ...answer, body: change(answer.body as never) });
}

/** The file of a contract that is ours but for a change of its text. */
async function contractWith(from: string, to: string): Promise<string> {
  const text = await readFile(contractFile, 'utf8');
  if (!text.includes(from)) throw new Error(`openapi.yaml has no ${from}`);
  return join(await folderWith({ 'openapi.yaml': text.replace(from, to) }), 'openapi.yaml');
}

/** The address of a server that passes on what a shop answers, its headers changed. */
async function behind(url: string, change: (headers: Record<string, string>) => void): Promise<string> {
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const headers = { 'content-type': req.headers['content-type'] ?? '' };
    const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {};
    const answer = await fetch(url + req.url, { method: req.method ?? 'GET', headers, ...body });
    const told = Object.fromEntries(answer.headers);
    change(told);
    res.writeHead(answer.status, told).end(Buffer.from(await answer.arrayBuffer()));
  });
  return listening(server);
}

/** The address of a server that ends with the test. */
async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('dredd', () => {
  it('finds every documented answer of the shop as documented', async () => {
    const { transactions, errors: faults } = await judged();
    expect(transactions.map(nameOf).sort()).toEqual(documented);
    expect(transactions.filter(({ isPassed }) => !isPassed)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('finds the same twice, whatever it has left behind', async () => {
    const url = await shopWith();
    await runDredd({ url, contractFile });
    expect(failuresOf(await runDredd({ url, contractFile }))).toEqual([]);
  });

  it.each([
    ['other data', {}],
    ['other data, with nothing in the cart and no orders', { cartItems: [], orders: [] }],
    [
      'other data, with one way of delivery',
      { deliveryOptions: [{ id: 'slow', deliveryDays: 9, priceCents: 0 }], cartItems: [], orders: [] },
    ],
  ])('judges a server with %s by its own ids', async (_what, change) => {
    const text = defaultText.replaceAll(/\b(\w{8}-\w{4}-4\w{3}-\w{4}-\w{10})(\w\w)\b/g, '$100');
    const folder = await folderWith({ 'other.json': JSON.stringify({ ...JSON.parse(text), ...change }) });
    expect(text).not.toContain(defaults.products[0]?.id);
    const { transactions, errors: faults } = await judged({ defaultData: join(folder, 'other.json') });
    expect(transactions).toHaveLength(documented.length);
    expect({ failures: failuresOf({ transactions, errors: faults }), faults }).toEqual({ failures: [], faults: [] });
  });

  it.each([
    [
      'body',
      'value: { quantity: 20, deliveryOptionId: 2 }',
      'value: { quantity: 21, deliveryOptionId: 2 }',
      '"quantity":21',
    ],
    ['refused body', 'value: { quantity: 0 }', 'value: { quantity: -1 }', '"quantity":-1'],
    ['query', 'value: kettle', 'value: socks & more', '?search=socks%20%26%20more'],
  ])('asks with the %s that the document has under the name of the answer', async (_what, from, to, sent) => {
    const url = await shopWith();
    const verdict = await runDredd({ url, contractFile: await contractWith(from, to) });
    expect(failuresOf(verdict)).toEqual([]);
    expect(verdict.transactions.filter(({ curl }) => curl?.includes(sent))).toHaveLength(1);
  });

  it('takes a content type with parameters for what it is', async () => {
    const url = await behind(await shopWith(), (headers) => {
      if (headers['content-type']) headers['content-type'] += '; charset=utf-8';
    });
    expect(failuresOf(await runDredd({ url, contractFile }))).toEqual([]);
  });
});

describe('a defect that dredd finds is', () => {
  it.each<[string, Options, string, string]>([
    [
      'a value of another type',
      changed(
        'getPaymentSummary',
        withBody((body: object) => ({ ...body, taxCents: '1080' })),
      ),
      'getPaymentSummary 200',
      "body: At '/taxCents' Invalid type: string (expected integer)",
    ],
    [
      'a field that is not documented',
      changed(
        'listOrders',
        withBody((body: object[]) => body.map((order) => ({ ...order, note: '' }))),
      ),
      'listOrders 200',
      'body: data/0 should NOT have additional properties, at /0/note',
    ],
    [
      'a field that is missing',
      changed(
        'updateCartItem',
        withBody(({ deliveryOptionId, ...item }: Record<string, unknown>) => item),
      ),
      'updateCartItem 200',
      "body: At '/deliveryOptionId' Missing required property: deliveryOptionId",
    ],
    [
      'an id that is no uuid',
      changed(
        'addCartItem',
        withBody((body: object) => ({ ...body, productId: 'kettle' })),
      ),
      'addCartItem 201',
      'body: data/productId should match format "uuid"',
    ],
    [
      'a number out of its range',
      changed(
        'listDeliveryOptions',
        withBody((body: object[]) => body.map((one) => ({ ...one, priceCents: -1 }))),
      ),
      'listDeliveryOptions 200',
      'body: data/0/priceCents should be >= 0',
    ],
    [
      'another status',
      changed('removeCartItem', () => ({ status: 200, body: {} })),
      'removeCartItem 204',
      'Status 200 instead of 204',
    ],
    [
      'a refusal that does not come',
      doing('getOrder', () => ({ body: defaults.orders[0] })),
      'getOrder 404',
      'Status 200 instead of 404',
    ],
    [
      'a Location that leads nowhere',
      changed('createOrder', (answer) => ({ ...answer, headers: { Location: '/api/order/1' } })),
      'createOrder 201',
      'Location /api/order/1 leads to status 404',
    ],
    [
      'a Location that leads to something else',
      changed('createOrder', (answer) => ({ ...answer, headers: { Location: '/api/orders' } })),
      'createOrder 201',
      'Location /api/orders leads to a different body',
    ],
    [
      'a Location that is missing',
      changed('createOrder', ({ body }) => ({ body })),
      'createOrder 201',
      "headers: At '/location' Missing required property: location",
    ],
  ])('%s', async (_what, options, name, message) => {
    const verdict = await judged(options);
    expect(failuresOf(verdict)).toContainEqual([name, expect.stringContaining(message)]);
    expect(verdict.errors).toEqual([]);
  });

  it('a content type that is not documented', async () => {
    const url = await behind(await shopWith(), (headers) => {
      if (headers['content-type'] === 'application/problem+json') headers['content-type'] = 'application/json';
    });
    const failed = failuresOf(await runDredd({ url, contractFile })).map(([name]) => name);
    expect(failed).toContain('getOrder 404');
    expect(failed).not.toContain('getOrder 200');
  });

  it('an Allow that names other methods than the path has', async () => {
    const url = await behind(await shopWith(), (headers) => {
      if (headers.allow) headers.allow = 'GET, PUT, OPTIONS';
    });
    const failures = failuresOf(await runDredd({ url, contractFile }));
    expect(failures).toContainEqual([
      '/api/orders 405',
      'Allow is "GET, PUT, OPTIONS", but the path supports GET, POST',
    ]);
  });

  it('told with the commands that show it again, and what was answered', async () => {
    const verdict = await judged(changed('removeCartItem', () => ({ status: 200, body: { id: 1 } })));
    const failed = verdict.transactions.find(({ isPassed }) => !isPassed);
    expect(failed?.response).toBe('200 application/json\n{"id":1}');
    const shown = await run('sh', ['-c', failed?.curl ?? ''], { cwd: projectFile('.') });
    expect(shown.output).toContain('{"id":1}');
  });

  it('a reset that fails, in every transaction', async () => {
    const failures = failuresOf(await judged(doing('resetData', () => ({ status: 500, body: {} }))));
    expect(failures).toHaveLength(documented.length);
    expect(failures[0]?.[1]).toBe('The preceding request POST /api/reset received status 500: {}');
  });
});

/** What openapi.yaml has of the body of a payment summary. */
const SUMMARY = 'application/json:\n              schema: { $ref: "#/components/schemas/PaymentSummary" }';

describe('what says nothing of the server is a fault:', () => {
  it('hooks that cannot be loaded, without which nothing passes', async () => {
    const folder = await folderWith({ 'hooks.cjs': "throw new Error('not loaded');" });
    const hooks = [join(folder, 'hooks.cjs')];
    const { transactions, errors: faults } = await runDredd({ url: await shopWith(), contractFile, hooks });
    expect(faults).toEqual([expect.stringContaining(`${documented.length} transactions ran without hooks`)]);
    expect(transactions.filter(({ isPassed }) => isPassed)).toEqual([]);
  });

  it('a transaction that is skipped', async () => {
    const text = "require('hooks').beforeEach((one) => { one.skip = one.origin.actionName === 'GET /api/orders'; });";
    const hooks = [ownHooks, join(await folderWith({ 'skip.cjs': text }), 'skip.cjs')];
    const { errors: faults } = await runDredd({ url: await shopWith(), contractFile, hooks });
    expect(faults).toEqual(['2 transactions were skipped: GET /api/orders 200, …']);
  });

  it.each([
    ['a word of warning', SUMMARY, SUMMARY.replace('application/json', '"*/*"'), /^dredd's parser warns: .*\*\/\*/],
    ['an error', '  version: 2.0.0', '  version: 2.0', /^dredd stopped: .*'version' is not a string/],
  ])('%s of the parser', async (_what, from, to, message) => {
    const { errors: faults } = await runDredd({ url: await shopWith(), contractFile: await contractWith(from, to) });
    expect(faults[0]).toMatch(message);
  });

  it('a transaction that dredd does not make of a documented answer', async () => {
    const file = await contractWith('name: orderId\n          in: path', 'name: orderId\n          in: query');
    const verdict = await runDredd({ url: await shopWith(), contractFile: file });
    expect(verdict.errors).toContain(
      `4 of ${documented.length} documented responses were not requested: GET /api/orders/{orderId} 200, …`,
    );
    expect(failuresOf(verdict)).toHaveLength(documented.length - 4);
  });

  it('a documented answer that was not asked for', async () => {
    const hooks = [ownHooks, join(await folderWith({ 'lose.cjs': LOSE }), 'lose.cjs')];
    const { errors: faults } = await runDredd({ url: await shopWith(), contractFile, hooks });
    expect(faults).toContain(`1 of ${documented.length} documented responses were not requested: POST /api/orders 201`);
  });

  it('a server that is not there', async () => {
    const { transactions, errors: faults } = await runDredd({ url: 'http://127.0.0.1:9', contractFile });
    expect({ transactions, faults }).toEqual({
      transactions: [],
      faults: [expect.stringMatching(/^No server responds at http:\/\/127.0.0.1:9 \(.+\)\. Start it first\.$/)],
    });
  });
});

/** Hooks that lose a result on its way. */
const LOSE = `require('hooks').afterEach((one) => {
  if (one.id.startsWith('POST (201) /api/orders')) delete one.test;
});`;

describe('an answer that nobody knows to provoke', () => {
  it('fails, and is not left out', async () => {
    const before = '        "201":\n          description: The order';
    const file = await contractWith(before, `        "202":\n          description: x\n${before}`);
    const verdict = await runDredd({ url: await shopWith(), contractFile: file });
    expect(failuresOf(verdict)).toEqual([
      ['createOrder 202', expect.stringContaining('add it to tools/parity/recipes.ts')],
    ]);
    expect(verdict.errors).toEqual([]);
  });
});

describe('on the command line', () => {
  const cwd = projectFile('.');

  it('npx dredd does what dredd.yml says', async () => {
    const { exitCode, output } = await run('npx', ['--no-install', 'dredd'], { cwd });
    expect(output).toContain(`${documented.length} passing, 0 failing, 0 errors, 0 skipped`);
    expect(exitCode).toBe(0);
  });

  it('npm run dredd prints a table, and ends with 0', async () => {
    const { exitCode, output } = await run('npm', ['run', '--silent', 'dredd'], { cwd });
    expect(output).toContain(`${documented.length} of ${documented.length} responses match the contract`);
    expect(exitCode).toBe(0);
  });

  it('npm run dredd -- --url judges another server, and ends with 1 where it fails', async () => {
    const url = await shopWith(changed('removeCartItem', () => ({ status: 200, body: {} })));
    const { exitCode, output } = await run('npm', ['run', '--silent', 'dredd', '--', '--url', url, '--allow-writes'], {
      cwd,
    });
    expect(output).toContain('DELETE /api/cart-items/{productId}, 204: Status 200 instead of 204');
    expect(exitCode).toBe(1);
  });

  it('npm run dredd -- --url changes nothing without being allowed to', async () => {
    const url = await shopWith({});
    const { exitCode, output } = await run('npm', ['run', '--silent', 'dredd', '--', '--url', url], { cwd });
    expect(output).toContain('To allow this, add --allow-writes');
    expect(exitCode).toBe(1);
  });

  it('npm run dredd -- --url says in a sentence that nothing is there', async () => {
    const args = ['run', '--silent', 'dredd', '--', '--url', 'http://127.0.0.1:9', '--allow-writes'];
    const { exitCode, output } = await run('npm', args, { cwd });
    expect(output.trim()).toMatch(
      /^(npm warn .*\n)*error: No server responds at http:\/\/127.0.0.1:9 \(.+\)\. Start it first\.$/,
    );
    expect(exitCode).toBe(1);
  });
});

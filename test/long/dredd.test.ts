import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AnyHandler, type AnyResponse, createStorefront, type Options } from '../../src/index.ts';
import { handlers as own } from '../../src/shop/operations/index.ts';
import { type DreddVerdict, ownHooks, runDredd } from '../../tools/dredd/dredd.ts';
import type { DreddTransaction } from '../../tools/dredd/transaction.ts';
import { documentedOperations } from '../support/fixtures/contract-document.ts';
import { defaults, defaultText, projectFile } from '../support/fixtures/default-data.ts';
import { runCommand } from '../support/harness/commands.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const contractFile = projectFile('openapi.yaml');

/** All documented responses with a status, and a 405 response for each path. */
const documented: readonly string[] = [
  ...documentedOperations.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((name) => /^\d+$/.test(name))
      .map((status) => `${operationId} ${status}`),
  ),
  ...[...new Set(documentedOperations.map(({ path }) => path))].map((path) => `${path} 405`),
].sort();

function getName({ operationId, path, status }: DreddTransaction): string {
  return `${operationId ?? path} ${status}`;
}

/** What failed, each with why. */
function getFailures({ transactions }: DreddVerdict): readonly (readonly [name: string, message: string])[] {
  return transactions.filter(({ isPassed }) => !isPassed).map((one) => [getName(one), one.failure]);
}

/** Starts a shop for one test that does not validate its own responses, and returns its address. */
async function startShop(options: Options = {}): Promise<string> {
  const shop = await createStorefront({ verify: 'off', logTo: { write: () => {} }, ...options });
  onTestFinished(() => shop.close());
  return shop.url;
}

async function runWith(options: Options = {}): Promise<DreddVerdict> {
  return runDredd({ url: await startShop(options), contractFile });
}

/** Returns options for a shop with this handler for one operation. */
function withHandler(operationId: keyof typeof own, handler: AnyHandler): Options {
  return { handlers: { [operationId]: handler } };
}

/** Returns options for a shop that changes the correct responses of one operation. */
function withChangedResponse(operationId: keyof typeof own, change: (answer: AnyResponse) => AnyResponse): Options {
  const right = own[operationId] as AnyHandler;
  return withHandler(operationId, async (input, shop) => change(await right(input, shop)));
}

/** Returns a function that changes the body of a response. */
function withBody(change: (body: never) => unknown): (answer: AnyResponse) => AnyResponse {
  return (answer) => ({ ...answer, body: change(answer.body as never) });
}

/** Writes a copy of the contract with one text replaced, and returns its path. */
async function writeContract(from: string, to: string): Promise<string> {
  const text = await readFile(contractFile, 'utf8');
  if (!text.includes(from)) throw new Error(`openapi.yaml has no ${from}`);
  return join(await folderWith({ 'openapi.yaml': text.replace(from, to) }), 'openapi.yaml');
}

/** Starts a proxy that changes the headers of responses, and returns its address. */
async function startProxy(url: string, change: (headers: Record<string, string>) => void): Promise<string> {
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const headers = { 'content-type': req.headers['content-type'] ?? '' };
    const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {};
    const answer = await fetch(url + req.url, { method: req.method ?? 'GET', headers, ...body });
    const headerValues = Object.fromEntries(answer.headers);
    change(headerValues);
    res.writeHead(answer.status, headerValues).end(Buffer.from(await answer.arrayBuffer()));
  });
  return listen(server);
}

/** Starts a server for one test and returns its address. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('dredd', () => {
  it('finds every documented answer of the shop as documented', async () => {
    const { transactions, errors: faults } = await runWith();
    expect(transactions.map(getName).sort()).toEqual(documented);
    expect(transactions.filter(({ isPassed }) => !isPassed)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('passes twice in a row, regardless of the data left behind', async () => {
    const url = await startShop();
    await runDredd({ url, contractFile });
    expect(getFailures(await runDredd({ url, contractFile }))).toEqual([]);
  });

  it.each([
    ['other data', {}],
    ['other data, without cart items and orders', { cartItems: [], orders: [] }],
    [
      'other data, with one delivery option',
      { deliveryOptions: [{ id: 'slow', deliveryDays: 9, priceCents: 0 }], cartItems: [], orders: [] },
    ],
  ])('uses the ids of a server with %s', async (_what, change) => {
    const text = defaultText.replaceAll(/\b(\w{8}-\w{4}-4\w{3}-\w{4}-\w{10})(\w\w)\b/g, '$100');
    const folder = await folderWith({ 'other.json': JSON.stringify({ ...JSON.parse(text), ...change }) });
    expect(text).not.toContain(defaults.products[0]?.id);
    const { transactions, errors: faults } = await runWith({ defaultData: join(folder, 'other.json') });
    expect(transactions).toHaveLength(documented.length);
    expect({ failures: getFailures({ transactions, errors: faults }), faults }).toEqual({ failures: [], faults: [] });
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
  ])('sends the %s from the example with the name of the response', async (_what, from, to, sent) => {
    const url = await startShop();
    const verdict = await runDredd({ url, contractFile: await writeContract(from, to) });
    expect(getFailures(verdict)).toEqual([]);
    expect(verdict.transactions.filter(({ curl }) => curl?.includes(sent))).toHaveLength(1);
  });

  it('accepts a content type with parameters', async () => {
    const url = await startProxy(await startShop(), (headers) => {
      if (headers['content-type']) headers['content-type'] += '; charset=utf-8';
    });
    expect(getFailures(await runDredd({ url, contractFile }))).toEqual([]);
  });
});

describe('a defect that runDredd reports', () => {
  it.each<[string, Options, string, string]>([
    [
      'a value of another type',
      withChangedResponse(
        'getPaymentSummary',
        withBody((body: object) => ({ ...body, taxCents: '1080' })),
      ),
      'getPaymentSummary 200',
      "body: At '/taxCents' Invalid type: string (expected integer)",
    ],
    [
      'an undocumented property',
      withChangedResponse(
        'listOrders',
        withBody((body: object[]) => body.map((order) => ({ ...order, note: '' }))),
      ),
      'listOrders 200',
      'body: data/0 should NOT have additional properties, at /0/note',
    ],
    [
      'a missing property',
      withChangedResponse(
        'updateCartItem',
        withBody(({ deliveryOptionId, ...item }: Record<string, unknown>) => item),
      ),
      'updateCartItem 200',
      "body: At '/deliveryOptionId' Missing required property: deliveryOptionId",
    ],
    [
      'an id that is not a UUID',
      withChangedResponse(
        'addCartItem',
        withBody((body: object) => ({ ...body, productId: 'kettle' })),
      ),
      'addCartItem 201',
      'body: data/productId should match format "uuid"',
    ],
    [
      'a number out of its range',
      withChangedResponse(
        'listDeliveryOptions',
        withBody((body: object[]) => body.map((one) => ({ ...one, priceCents: -1 }))),
      ),
      'listDeliveryOptions 200',
      'body: data/0/priceCents should be >= 0',
    ],
    [
      'an undocumented status',
      withChangedResponse('removeCartItem', () => ({ status: 200, body: {} })),
      'removeCartItem 204',
      'Status 200 instead of 204',
    ],
    [
      'a missing error response',
      withHandler('getOrder', () => ({ body: defaults.orders[0] })),
      'getOrder 404',
      'Status 200 instead of 404',
    ],
    [
      'a Location that does not exist',
      withChangedResponse('createOrder', (answer) => ({ ...answer, headers: { Location: '/api/order/1' } })),
      'createOrder 201',
      'Location /api/order/1 leads to status 404',
    ],
    [
      'a Location of another resource',
      withChangedResponse('createOrder', (answer) => ({ ...answer, headers: { Location: '/api/orders' } })),
      'createOrder 201',
      'Location /api/orders leads to a different body',
    ],
    [
      'a missing Location',
      withChangedResponse('createOrder', ({ body }) => ({ body })),
      'createOrder 201',
      "headers: At '/location' Missing required property: location",
    ],
  ])('%s', async (_what, options, name, message) => {
    const verdict = await runWith(options);
    expect(getFailures(verdict)).toContainEqual([name, expect.stringContaining(message)]);
    expect(verdict.errors).toEqual([]);
  });

  it('is an undocumented content type', async () => {
    const url = await startProxy(await startShop(), (headers) => {
      if (headers['content-type'] === 'application/problem+json') headers['content-type'] = 'application/json';
    });
    const failed = getFailures(await runDredd({ url, contractFile })).map(([name]) => name);
    expect(failed).toContain('getOrder 404');
    expect(failed).not.toContain('getOrder 200');
  });

  it('is an Allow header with other methods than the path has', async () => {
    const url = await startProxy(await startShop(), (headers) => {
      if (headers.allow) headers.allow = 'GET, PUT, OPTIONS';
    });
    const failures = getFailures(await runDredd({ url, contractFile }));
    expect(failures).toContainEqual([
      '/api/orders 405',
      'Allow is "GET, PUT, OPTIONS", but the path supports GET, POST',
    ]);
  });

  it('has the commands to reproduce it and the response', async () => {
    const verdict = await runWith(withChangedResponse('removeCartItem', () => ({ status: 200, body: { id: 1 } })));
    const failed = verdict.transactions.find(({ isPassed }) => !isPassed);
    expect(failed?.response).toBe('200 application/json\n{"id":1}');
    const shown = await runCommand('sh', ['-c', failed?.curl ?? ''], { cwd: projectFile('.') });
    expect(shown.output).toContain('{"id":1}');
  });

  it('is a failed reset, which is reported for every transaction', async () => {
    const failures = getFailures(await runWith(withHandler('resetData', () => ({ status: 500, body: {} }))));
    expect(failures).toHaveLength(documented.length);
    expect(failures[0]?.[1]).toBe('The preceding request POST /api/reset received status 500: {}');
  });
});

/** The content of the response with the payment summary in openapi.yaml. */
const SUMMARY = 'application/json:\n              schema: { $ref: "#/components/schemas/PaymentSummary" }';

describe('a problem of the run itself, which runDredd reports separately,', () => {
  it('is a hook file that cannot be loaded, and then no transaction passes', async () => {
    const folder = await folderWith({ 'hooks.cjs': "throw new Error('not loaded');" });
    const hooks = [join(folder, 'hooks.cjs')];
    const { transactions, errors: faults } = await runDredd({ url: await startShop(), contractFile, hooks });
    expect(faults).toEqual([expect.stringContaining(`${documented.length} transactions ran without hooks`)]);
    expect(transactions.filter(({ isPassed }) => isPassed)).toEqual([]);
  });

  it('is a skipped transaction', async () => {
    const text = "require('hooks').beforeEach((one) => { one.skip = one.origin.actionName === 'GET /api/orders'; });";
    const hooks = [ownHooks, join(await folderWith({ 'skip.cjs': text }), 'skip.cjs')];
    const { errors: faults } = await runDredd({ url: await startShop(), contractFile, hooks });
    expect(faults).toEqual(['2 transactions were skipped: GET /api/orders 200, …']);
  });

  it.each([
    ['a warning', SUMMARY, SUMMARY.replace('application/json', '"*/*"'), /^dredd's parser warns: .*\*\/\*/],
    ['an error', '  version: 2.0.0', '  version: 2.0', /^dredd stopped: .*'version' is not a string/],
  ])('%s of the parser', async (_what, from, to, message) => {
    const { errors: faults } = await runDredd({ url: await startShop(), contractFile: await writeContract(from, to) });
    expect(faults[0]).toMatch(message);
  });

  it('is a documented response for which dredd creates no transaction', async () => {
    const file = await writeContract('name: orderId\n          in: path', 'name: orderId\n          in: query');
    const verdict = await runDredd({ url: await startShop(), contractFile: file });
    expect(verdict.errors).toContain(
      `4 of ${documented.length} documented responses were not requested: GET /api/orders/{orderId} 200, …`,
    );
    expect(getFailures(verdict)).toHaveLength(documented.length - 4);
  });

  it('is a documented response that was not tested', async () => {
    const hooks = [ownHooks, join(await folderWith({ 'lose.cjs': LOSE }), 'lose.cjs')];
    const { errors: faults } = await runDredd({ url: await startShop(), contractFile, hooks });
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

/** Hooks that delete the result of one transaction. */
const LOSE = `require('hooks').afterEach((one) => {
  if (one.id.startsWith('POST (201) /api/orders')) delete one.test;
});`;

describe('a documented response without a recipe', () => {
  it('fails and is not omitted', async () => {
    const before = '        "201":\n          description: The order';
    const file = await writeContract(before, `        "202":\n          description: x\n${before}`);
    const verdict = await runDredd({ url: await startShop(), contractFile: file });
    expect(getFailures(verdict)).toEqual([
      ['createOrder 202', expect.stringContaining('add it to tools/parity/recipes.ts')],
    ]);
    expect(verdict.errors).toEqual([]);
  });
});

describe('the command line of dredd', () => {
  const cwd = projectFile('.');

  it('npx dredd runs as dredd.yml configures it', async () => {
    const { exitCode, output } = await runCommand('npx', ['--no-install', 'dredd'], { cwd });
    expect(output).toContain(`${documented.length} passing, 0 failing, 0 errors, 0 skipped`);
    expect(exitCode).toBe(0);
  });

  it('npm run dredd prints a table and exits with 0', async () => {
    const { exitCode, output } = await runCommand('npm', ['run', '--silent', 'dredd'], { cwd });
    expect(output).toContain(`${documented.length} of ${documented.length} responses match the contract`);
    expect(exitCode).toBe(0);
  });

  it('npm run dredd -- --url tests another server and exits with 1 if a test fails', async () => {
    const url = await startShop(withChangedResponse('removeCartItem', () => ({ status: 200, body: {} })));
    const { exitCode, output } = await runCommand(
      'npm',
      ['run', '--silent', 'dredd', '--', '--url', url, '--allow-writes'],
      {
        cwd,
      },
    );
    expect(output).toContain('DELETE /api/cart-items/{productId}, 204: Status 200 instead of 204');
    expect(exitCode).toBe(1);
  });

  it('npm run dredd -- --url changes nothing without --allow-writes', async () => {
    const url = await startShop({});
    const { exitCode, output } = await runCommand('npm', ['run', '--silent', 'dredd', '--', '--url', url], { cwd });
    expect(output).toContain('To allow this, add --allow-writes');
    expect(exitCode).toBe(1);
  });

  it('npm run dredd -- --url prints a message if no server answers', async () => {
    const args = ['run', '--silent', 'dredd', '--', '--url', 'http://127.0.0.1:9', '--allow-writes'];
    const { exitCode, output } = await runCommand('npm', args, { cwd });
    expect(output.trim()).toMatch(
      /^(npm warn .*\n)*error: No server responds at http:\/\/127.0.0.1:9 \(.+\)\. Start it first\.$/,
    );
    expect(exitCode).toBe(1);
  });
});

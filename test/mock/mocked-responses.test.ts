import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront, type Options } from '../../src/index.ts';
import type { AnyHandler } from '../../src/shop/operations/handler.ts';
import { type AnyInput, type Handler, mocked } from '../../src/shop/operations/handler.ts';
import type { OperationId } from '../../src/shop/types.ts';
import {
  type DocumentedOperation,
  documentedOperation,
  documentedOperations,
  examplePath,
  onlyContent,
} from '../support/fixtures/contract-document.ts';
import { defaults, productId } from '../support/fixtures/default-data.ts';
import { operation, otherDocument } from '../support/fixtures/other-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const everything = Object.fromEntries(documentedOperations.map(({ operationId }) => [operationId, mocked])) as Readonly<
  Record<OperationId, typeof mocked>
>;

const KETTLE = productId('Cordless Electric Kettle');
const CART_ITEM = `/api/cart-items/${defaults.cartItems[0]?.productId}`;

/** A request that keeps the contract. */
function goodRequest(operation: DocumentedOperation) {
  const [body] = Object.values(onlyContent(operation.requestBody)?.examples ?? {});
  return [operation.method.toUpperCase(), examplePath(operation), body?.value] as const;
}

/** The status of an operation's success and the first of its examples. */
function firstExample({ responses }: DocumentedOperation) {
  const [status, response] = Object.entries(responses).find(([name]) => name.startsWith('2')) ?? [];
  const [example] = Object.values(onlyContent(response)?.examples ?? {});
  return { status: Number(status), body: example?.value };
}

/** The example of an answer by its name, with its status. */
function exampleOf({ operationId, responses }: DocumentedOperation, name: string) {
  for (const [status, response] of Object.entries(responses)) {
    const example = onlyContent(response)?.examples?.[name];
    // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in there.
    if (example) return { status: Number(status), body: example.value as any };
  }
  if (operationId === 'removeCartItem') return { status: 204, body: undefined };
  throw new Error(`${operationId} has no answer named ${name}`);
}

/** A handler as a module may have it, whose types nobody looks at. */
function untyped(handler: AnyHandler): never {
  return handler as never;
}

describe('an operation that is mocked', () => {
  it("answers the contract's first example with the contract's status, whichever operation it is", async () => {
    const shop = await startStorefront({ handlers: everything });
    for (const operation of documentedOperations) {
      const { status, body } = await shop.ask(...goodRequest(operation));
      expect({ status, body }, operation.operationId).toEqual(firstExample(operation));
    }
  });

  it('answers the example of a documented header', async () => {
    const shop = await startStorefront({ handlers: { createOrder: mocked } });
    const { headers } = await shop.ask('POST', '/api/orders');
    const example = documentedOperation('createOrder').responses['201']?.headers?.Location?.examples?.created?.value;
    expect([typeof example, headers.get('location')]).toEqual(['string', example]);
  });

  it('changes nothing', async () => {
    const shop = await startStorefront({
      handlers: { addCartItem: mocked, createOrder: mocked, removeCartItem: mocked },
    });
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    await shop.ask('POST', '/api/orders');
    await shop.ask('DELETE', CART_ITEM);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
  });

  it('still refuses what breaks the contract', async () => {
    const shop = await startStorefront({ handlers: { addCartItem: mocked } });
    expect((await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 11 })).status).toBe(400);
  });

  it('leaves the other operations to the shop', async () => {
    const shop = await startStorefront({ handlers: { listOrders: mocked } });
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    expect((await shop.ask('GET', '/api/payment-summary')).body).toMatchObject({ totalItems: 4 });
  });
});

describe('a request that the contract has as an example', () => {
  /** Each named example of a request, with what it asks and the answer of that name. */
  const named = documentedOperations.flatMap((operation) => {
    const { parameters = [], requestBody } = operation;
    const bodies = onlyContent(requestBody)?.examples ?? {};
    const names = [bodies, ...parameters.map(({ examples = {} }) => examples)].flatMap((examples) =>
      Object.keys(examples),
    );
    return [...new Set(names)].map((name) => {
      const query = parameters.flatMap(({ in: place, name: parameter, examples = {} }) =>
        place === 'query' && examples[name] ? [[parameter, String(examples[name].value)] as [string, string]] : [],
      );
      const url = `${examplePath(operation, name)}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
      return [operation, name, [operation.method.toUpperCase(), url, bodies[name]?.value]] as const;
    });
  });

  it('gets the answer of its name, with its status, whichever it is', async () => {
    const shop = await startStorefront({ mock: true });
    expect(named.length).toBeGreaterThan(12);
    for (const [operation, name, asked] of named) {
      const { status, body } = await shop.ask(...asked);
      expect({ status, body }, `${operation.operationId} ${name}`).toEqual(exampleOf(operation, name));
    }
  });

  it('gets it whatever the order of its properties', async () => {
    const shop = await startStorefront({ mock: true });
    const { body } = await shop.ask('PUT', CART_ITEM, { deliveryOptionId: 2, quantity: 20 });
    expect(body).toEqual(exampleOf(documentedOperation('updateCartItem'), 'both').body);
  });

  it('is told apart from one that is like it', async () => {
    const shop = await startStorefront({ mock: true });
    const { body } = await shop.ask('PUT', CART_ITEM, { deliveryOptionId: '2', quantity: 20 });
    expect(body).toEqual(exampleOf(documentedOperation('updateCartItem'), 'quantity').body);
  });

  it('gets it with the code that it prefers too', async () => {
    const shop = await startStorefront({ mock: true });
    const { body } = await shop.ask('GET', '/api/cart-items?expand=product', undefined, { Prefer: 'code=200' });
    expect(body).toEqual(exampleOf(documentedOperation('listCartItems'), 'expanded').body);
  });
});

describe('the option mock', () => {
  const ids = documentedOperations.map(({ operationId }) => operationId);

  it('has all operations mocked, and says so at the start and in each answer', async () => {
    const shop = await startStorefront({ mock: true });
    expect([...shop.mocked].sort()).toEqual([...ids].sort());
    expect(shop.log[0]?.msg).toContain('all mocked');
    for (const operation of documentedOperations)
      expect((await shop.ask(...goodRequest(operation))).headers.get('x-mocked')).toBe('operation');
  });

  it('has some mocked by their ids, and leaves the others to the shop', async () => {
    const shop = await startStorefront({ mock: ['createOrder'] });
    expect(shop.mocked).toEqual(['createOrder']);
    expect(shop.log[0]?.msg).toContain('mocked: createOrder');
    expect((await shop.ask('POST', '/api/orders')).headers.get('x-mocked')).toBe('operation');
    const { body, headers } = await shop.ask('GET', '/api/orders');
    expect([body, headers.get('x-mocked')]).toEqual([defaults.orders, null]);
  });

  it('mocks nothing by itself', async () => {
    const shop = await startStorefront();
    expect(shop.mocked).toEqual([]);
    expect(shop.log[0]?.msg).not.toContain('mocked');
  });

  it('counts before a handler', async () => {
    const shop = await startStorefront({ mock: ['listOrders'], handlers: { listOrders: () => ({ body: [] }) } });
    expect((await shop.ask('GET', '/api/orders')).headers.get('x-mocked')).toBe('operation');
  });

  it.each<[string, Options]>([
    ['mock', { mock: ['listOrders', 'placeOrder'] }],
    ['handlers', { handlers: { placeOrder: () => ({}) } }],
  ])('or handlers of an operation that is not there stop the start, with those that are: %s', async (_, options) => {
    await expect(createStorefront(options)).rejects.toThrow(
      `the contract has no operation placeOrder, which the handlers or --mock name: it has ${ids.join(', ')}`,
    );
  });
});

describe("a team's own handler", () => {
  it('stands in for that of the shop, and is handed the state and what was asked', async () => {
    const listCartItems: Handler<'listCartItems'> = ({ query }, { read }) => ({
      body: query.expand ? [] : read().cartItems.slice(0, 1),
    });
    const shop = await startStorefront({ handlers: { listCartItems } });
    const { body, headers } = await shop.ask('GET', '/api/cart-items');
    expect([body, headers.get('x-mocked')]).toEqual([defaults.cartItems.slice(0, 1), null]);
    expect((await shop.ask('GET', '/api/cart-items?expand=product')).body).toEqual([]);
  });

  it('gives any documented status, a problem in the type of problems', async () => {
    const problem = exampleOf(documentedOperation('addCartItem'), 'unknownProduct').body;
    const shop = await startStorefront({ handlers: { addCartItem: () => ({ status: 404, body: problem }) } });
    const { status, headers, body } = await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    expect([status, headers.get('content-type'), body]).toEqual([404, 'application/problem+json', problem]);
  });

  it.each([
    ['nothing', () => undefined],
    ['a text', () => 'ok'],
    ['a status that is none', () => ({ status: 99 })],
    ['a body that is no JSON', () => ({ body: { count: 1n } })],
    ['a header of two lines', () => ({ headers: { 'X-Two': 'a\nb' }, body: {} })],
  ])('that gives back %s gets a problem document', async (_what, handler) => {
    const shop = await startStorefront({
      faultsExpected: true,
      verify: 'off',
      handlers: { getPaymentSummary: untyped(handler as AnyHandler) },
    });
    const { status, headers, body } = await shop.ask('GET', '/api/payment-summary');
    expect([status, headers.get('content-type'), body.type]).toEqual([
      500,
      'application/problem+json',
      '/problems/internal-error',
    ]);
  });

  it('has one content type, however it writes the name', async () => {
    const handler = untyped(() => ({ headers: { 'content-type': 'text/html' }, body: {} }));
    const shop = await startStorefront({ faultsExpected: true, handlers: { getPaymentSummary: handler } });
    expect((await shop.ask('GET', '/api/payment-summary')).body.detail).toContain(
      'content type text/html is not documented',
    );
  });

  it('gives headers, and no body where the contract has none', async () => {
    const shop = await startStorefront({ handlers: { resetData: untyped(() => ({ headers: { 'X-Team': 'cart' } })) } });
    const { status, headers, text } = await shop.ask('POST', '/api/reset');
    expect([status, headers.get('x-team'), headers.get('content-type'), text]).toEqual([204, 'cart', null, '']);
  });

  it('is asked every time, since it may have other sources than the state', async () => {
    let totalItems = 0;
    const summary = exampleOf(documentedOperation('getPaymentSummary'), 'cart').body;
    const shop = await startStorefront({
      handlers: { getPaymentSummary: () => ({ body: { ...summary, totalItems: ++totalItems } }) },
    });
    for (const time of [1, 2, 3]) expect((await shop.ask('GET', '/api/payment-summary')).body.totalItems).toBe(time);
  });

  it('is not asked where another answer is preferred', async () => {
    let times = 0;
    const resetData = () => {
      times++;
      return {};
    };
    const shop = await startStorefront({ handlers: { resetData } });
    await shop.ask('POST', '/api/reset', undefined, { Prefer: 'code=503' });
    expect(times).toBe(0);
  });

  it('is not asked where a request breaks the contract', async () => {
    const shop = await startStorefront({ handlers: { addCartItem: untyped(() => ({ status: 404 })) } });
    expect((await shop.ask('POST', '/api/cart-items', { quantity: 11 })).status).toBe(400);
  });

  it.each([
    ['by their names', 'export const listOrders = () => ({ body: [] });'],
    ['as the default', 'export default { listOrders: async () => ({ body: [] }) };'],
  ])('may come from a module that exports them %s', async (_, text) => {
    const handlers = join(await folderWith({ 'handlers.mjs': text }), 'handlers.mjs');
    const shop = await startStorefront({ handlers });
    expect((await shop.ask('GET', '/api/orders')).body).toEqual([]);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
  });

  it.each([
    ['is not there', undefined, "can't be loaded"],
    ['is no JavaScript', 'export {', "can't be loaded"],
    ['exports nothing', '', 'exports no handlers'],
    ['exports no function', 'export const listOrders = [];', 'listOrders is no function'],
    ['has one for no operation', 'export const placeOrder = () => ({});', 'has no operation placeOrder'],
  ])('stops the start where its module %s', async (_, text, reason) => {
    const handlers = join(await folderWith(text === undefined ? {} : { 'handlers.mjs': text }), 'handlers.mjs');
    await expect(createStorefront({ handlers })).rejects.toThrow(reason);
  });
});

describe('under another document', () => {
  const LIST = { type: 'array' };

  it('a handler of the shop answers where id, method and path are those of its own contract, else the mock', async () => {
    const contract = await otherDocument({
      paths: {
        '/api/products': { get: operation('listProducts', LIST) },
        '/v2/orders': { get: operation('listOrders', LIST) },
        '/api/delivery-options': { post: operation('listDeliveryOptions', LIST) },
        '/api/cart-items': { get: operation('cart', LIST) },
      },
    });
    const shop = await startStorefront({ contract });
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
    const mocked = async (method: string, path: string) =>
      (await shop.ask(method, path)).headers.get('x-mocked') === 'operation';
    expect([
      await mocked('GET', '/api/products'),
      await mocked('GET', '/v2/orders'),
      await mocked('POST', '/api/delivery-options'),
      await mocked('GET', '/api/cart-items'),
    ]).toEqual([false, true, true, true]);
    expect([...shop.mocked].sort()).toEqual(['cart', 'listDeliveryOptions', 'listOrders']);
    expect((await shop.ask('GET', '/api/orders')).status).toBe(404);
  });

  it('a handler of the shop answers in full where objects are open to anything', async () => {
    const open = { type: 'array', items: { type: 'object' } };
    const contract = await otherDocument({ paths: { '/api/products': { get: operation('listProducts', open) } } });
    const shop = await startStorefront({ contract });
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
  });

  it("a team's handler does an operation that the shop knows nothing of", async () => {
    const contract = await otherDocument({ paths: { '/wishes': { get: operation('listWishes', { type: 'array' }) } } });
    const shop = await startStorefront({ contract, handlers: { listWishes: () => ({ body: ['kettle'] }) } });
    const { body, headers } = await shop.ask('GET', '/wishes');
    expect([body, headers.get('x-mocked'), shop.mocked]).toEqual([['kettle'], null, []]);
  });

  const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

  it('an operation without an id has one of its method and path', async () => {
    const wish = operation(undefined, { type: 'string' }, { parameters: [ID] });
    const contract = await otherDocument({ paths: { '/wishes/{id}': { get: wish, put: wish } } });
    const handlers = { getWishesById: ({ path }: AnyInput) => ({ body: path.id }) };
    const shop = await startStorefront({ contract, handlers, mock: ['putWishesById'] });
    expect((await shop.ask('GET', '/wishes/seven')).body).toBe('seven');
    expect([shop.operations, shop.mocked]).toEqual([2, ['putWishesById']]);
  });

  it('a parameter that only the path names is taken as it comes', async () => {
    const contract = await otherDocument({ paths: { '/wishes/{id}': { get: operation('wish', { const: 1 }) } } });
    const shop = await startStorefront({ contract });
    expect((await shop.ask('GET', '/wishes/seven')).body).toBe(1);
  });

  it('a handler answers in the media type that is documented', async () => {
    const content = { 'application/vnd.shop+json': { schema: { type: 'string' } } };
    const contract = await otherDocument({
      paths: { '/wish': { get: { operationId: 'wish', responses: { 200: { description: 'd', content } } } } },
    });
    const shop = await startStorefront({ contract, handlers: { wish: () => ({ body: 'kettle' }) } });
    const { headers, body } = await shop.ask('GET', '/wish');
    expect([headers.get('content-type'), body]).toEqual(['application/vnd.shop+json', 'kettle']);
  });

  it('an example that does not hold by its schema is none', async () => {
    const contract = await otherDocument({
      paths: { '/count': { get: operation('count', { type: 'integer', minimum: 5, example: 'many' }) } },
    });
    const shop = await startStorefront({ contract });
    expect((await shop.ask('GET', '/count')).body).toBeGreaterThanOrEqual(5);
  });
});

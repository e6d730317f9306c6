import { describe, expect, it } from 'vitest';
import { mocked } from '../../src/application.ts';
import { createStorefront, type Options } from '../../src/index.ts';
import type { AnyInput } from '../../src/shop/operations/handler.ts';
import type { OperationId } from '../../src/shop/types.ts';
import {
  type DocumentedOperation,
  documentedOperations,
  getExamplePath,
  getMediaType,
  getOperation,
} from '../support/fixtures/contract-document.ts';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { getExample } from './response-example.ts';

const allMocked = Object.fromEntries(documentedOperations.map(({ operationId }) => [operationId, mocked])) as Readonly<
  Record<OperationId, typeof mocked>
>;

const KETTLE = getProductId('Cordless Electric Kettle');
const CART_ITEM = `/api/cart-items/${defaults.cartItems[0]?.productId}`;

/** Returns a valid request to an operation. */
function createValidRequest(operation: DocumentedOperation) {
  const [body] = Object.values(getMediaType(operation.requestBody)?.examples ?? {});
  return [operation.method.toUpperCase(), getExamplePath(operation), body?.value] as const;
}

/** Returns the status of an operation's success and its first example. */
function getFirstExample({ responses }: DocumentedOperation) {
  const [status, response] = Object.entries(responses).find(([name]) => name.startsWith('2')) ?? [];
  const [example] = Object.values(getMediaType(response)?.examples ?? {});
  return { status: Number(status), body: example?.value };
}

describe('a mocked operation', () => {
  it("returns the contract's first example with its status", async () => {
    const shop = await startStorefront({ handlers: allMocked });
    for (const operation of documentedOperations) {
      const { status, body } = await shop.ask(...createValidRequest(operation));
      expect({ status, body }, operation.operationId).toEqual(getFirstExample(operation));
    }
  });

  it('returns the examples of documented headers', async () => {
    const shop = await startStorefront({ handlers: { createOrder: mocked } });
    const { headers } = await shop.ask('POST', '/api/orders');
    const example = getOperation('createOrder').responses['201']?.headers?.Location?.examples?.created?.value;
    expect([typeof example, headers.get('location')]).toEqual(['string', example]);
  });

  it('does not change the state', async () => {
    const shop = await startStorefront({
      handlers: { addCartItem: mocked, createOrder: mocked, removeCartItem: mocked },
    });
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    await shop.ask('POST', '/api/orders');
    await shop.ask('DELETE', CART_ITEM);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
  });

  it('still refuses invalid requests', async () => {
    const shop = await startStorefront({ handlers: { addCartItem: mocked } });
    expect((await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 11 })).status).toBe(400);
  });

  it('does not affect the other operations', async () => {
    const shop = await startStorefront({ handlers: { listOrders: mocked } });
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    expect((await shop.ask('GET', '/api/payment-summary')).body).toMatchObject({ totalItems: 4 });
  });
});

describe('a request that is an example in the contract', () => {
  /** Each named example of a request, and the response example of the same name. */
  const named = documentedOperations.flatMap((operation) => {
    const { parameters = [], requestBody } = operation;
    const bodies = getMediaType(requestBody)?.examples ?? {};
    const names = [bodies, ...parameters.map(({ examples = {} }) => examples)].flatMap((examples) =>
      Object.keys(examples),
    );
    return [...new Set(names)].map((name) => {
      const query = parameters.flatMap(({ in: place, name: parameter, examples = {} }) =>
        place === 'query' && examples[name] ? [[parameter, String(examples[name].value)] as [string, string]] : [],
      );
      const url = `${getExamplePath(operation, name)}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
      return [operation, name, [operation.method.toUpperCase(), url, bodies[name]?.value]] as const;
    });
  });

  it('gets the response example of the same name with its status', async () => {
    const shop = await startStorefront({ mock: true });
    expect(named.length).toBeGreaterThan(12);
    for (const [operation, name, request] of named) {
      const { status, body } = await shop.ask(...request);
      expect({ status, body }, `${operation.operationId} ${name}`).toEqual(getExample(operation, name));
    }
  });

  it('is recognized in any order of its properties', async () => {
    const shop = await startStorefront({ mock: true });
    const { body } = await shop.ask('PUT', CART_ITEM, { deliveryOptionId: 2, quantity: 20 });
    expect(body).toEqual(getExample(getOperation('updateCartItem'), 'both').body);
  });

  it('is distinguished from a similar one', async () => {
    const shop = await startStorefront({ mock: true });
    const { body } = await shop.ask('PUT', CART_ITEM, { deliveryOptionId: '2', quantity: 20 });
    expect(body).toEqual(getExample(getOperation('updateCartItem'), 'quantity').body);
  });

  it('gets the example of the same name with a preferred code too', async () => {
    const shop = await startStorefront({ mock: true });
    const { body } = await shop.ask('GET', '/api/cart-items?expand=product', undefined, { Prefer: 'code=200' });
    expect(body).toEqual(getExample(getOperation('listCartItems'), 'expanded').body);
  });
});

describe('the option mock of createStorefront', () => {
  const ids = documentedOperations.map(({ operationId }) => operationId);

  it('true mocks all operations, and reports it in the log and in each response', async () => {
    const shop = await startStorefront({ mock: true });
    expect([...shop.mocked].sort()).toEqual([...ids].sort());
    expect(shop.log[0]?.msg).toContain('all mocked');
    for (const operation of documentedOperations)
      expect((await shop.ask(...createValidRequest(operation))).headers.get('x-mocked')).toBe('operation');
  });

  it('with ids mocks only these operations', async () => {
    const shop = await startStorefront({ mock: ['createOrder'] });
    expect(shop.mocked).toEqual(['createOrder']);
    expect(shop.log[0]?.msg).toContain('mocked: createOrder');
    expect((await shop.ask('POST', '/api/orders')).headers.get('x-mocked')).toBe('operation');
    const { body, headers } = await shop.ask('GET', '/api/orders');
    expect([body, headers.get('x-mocked')]).toEqual([defaults.orders, null]);
  });

  it('mocks nothing by default', async () => {
    const shop = await startStorefront();
    expect(shop.mocked).toEqual([]);
    expect(shop.log[0]?.msg).not.toContain('mocked');
  });

  it('takes precedence over a handler', async () => {
    const shop = await startStorefront({ mock: ['listOrders'], handlers: { listOrders: () => ({ body: [] }) } });
    expect((await shop.ask('GET', '/api/orders')).headers.get('x-mocked')).toBe('operation');
  });

  it.each<[string, Options]>([
    ['mock', { mock: ['listOrders', 'placeOrder'] }],
    ['handlers', { handlers: { placeOrder: () => ({}) } }],
  ])(
    'stops the start for an unknown operation, with the known ones, as does the option handlers: %s',
    async (_, options) => {
      await expect(createStorefront(options)).rejects.toThrow(
        `the contract has no operation placeOrder: correct the name in the handlers or in --mock. The operations are ${ids.join(', ')}`,
      );
    },
  );
});

describe('a server of another document', () => {
  const LIST = { type: 'array' };

  it('uses a built-in handler if id, method and path are the same, else the mock', async () => {
    const contract = await writeDocument({
      paths: {
        '/api/products': { get: createOperation('listProducts', LIST) },
        '/v2/orders': { get: createOperation('listOrders', LIST) },
        '/api/delivery-options': { post: createOperation('listDeliveryOptions', LIST) },
        '/api/cart-items': { get: createOperation('cart', LIST) },
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

  it('keeps all fields of a built-in handler if the schema is an object without properties', async () => {
    const open = { type: 'array', items: { type: 'object' } };
    const contract = await writeDocument({
      paths: { '/api/products': { get: createOperation('listProducts', open) } },
    });
    const shop = await startStorefront({ contract });
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
  });

  it('lets a custom handler implement an operation without a built-in handler', async () => {
    const contract = await writeDocument({
      paths: { '/wishes': { get: createOperation('listWishes', { type: 'array' }) } },
    });
    const shop = await startStorefront({ contract, handlers: { listWishes: () => ({ body: ['kettle'] }) } });
    const { body, headers } = await shop.ask('GET', '/wishes');
    expect([body, headers.get('x-mocked'), shop.mocked]).toEqual([['kettle'], null, []]);
  });

  const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

  it('creates an operation id of method and path if there is none', async () => {
    const wish = createOperation(undefined, { type: 'string' }, { parameters: [ID] });
    const contract = await writeDocument({ paths: { '/wishes/{id}': { get: wish, put: wish } } });
    const handlers = { getWishesById: ({ path }: AnyInput) => ({ body: path.id }) };
    const shop = await startStorefront({ contract, handlers, mock: ['putWishesById'] });
    expect((await shop.ask('GET', '/wishes/seven')).body).toBe('seven');
    expect([shop.operations, shop.mocked]).toEqual([2, ['putWishesById']]);
  });

  it('accepts a path parameter that is only in the template', async () => {
    const contract = await writeDocument({ paths: { '/wishes/{id}': { get: createOperation('wish', { const: 1 }) } } });
    const shop = await startStorefront({ contract, mock: true });
    expect((await shop.ask('GET', '/wishes/seven')).body).toBe(1);
  });

  it('sends the body of a handler in the documented media type', async () => {
    const content = { 'application/vnd.shop+json': { schema: { type: 'string' } } };
    const contract = await writeDocument({
      paths: { '/wish': { get: { operationId: 'wish', responses: { 200: { description: 'd', content } } } } },
    });
    const shop = await startStorefront({ contract, handlers: { wish: () => ({ body: 'kettle' }) } });
    const { headers, body } = await shop.ask('GET', '/wish');
    expect([headers.get('content-type'), body]).toEqual(['application/vnd.shop+json', 'kettle']);
  });

  it('returns an invalid example of a schema as it is written', async () => {
    const contract = await writeDocument({
      paths: { '/count': { get: createOperation('count', { type: 'integer', minimum: 5, example: 'many' }) } },
    });
    const shop = await startStorefront({ contract, mock: true, verify: 'log' });
    expect((await shop.ask('GET', '/count')).body).toBe('many');
  });
});

import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/mock/mock.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { documentedOperations, getOperation } from '../support/fixtures/contract-document.ts';
import { defaults, getProductId, projectFile } from '../support/fixtures/default-data.ts';
import { startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';
import { getResponseIssues } from '../support/oracles/contract-validator.ts';
import { getPlainIssues } from '../support/oracles/plain-validator.ts';

const SEEDS = Number(process.env.SEEDS ?? 30);

const contract = await loadContract({ path: projectFile('openapi.yaml'), strict: false });
const mock = createMock(contract);

type Query = Readonly<Record<string, string>>;

/** Returns a dynamic response of the mock. */
function createResponse(
  operationId: string,
  seed: number,
  { code, query = {} }: { code?: number; query?: Query } = {},
): TestResponse {
  const route = contract.routes.find((one) => one.operationId === operationId);
  if (!route) throw new Error(`no operation ${operationId}`);
  const { status, headers, body } = mock.createResponse(
    route,
    { path: {}, query, body: undefined },
    { code, dynamic: true, seed },
    '',
  );
  return { status, headers: new Headers(headers), body, text: JSON.stringify(body) ?? '' };
}

/** Returns the errors of a response, found by a validator that is not ajv. */
function findErrors(operationId: string, { status, body }: TestResponse): readonly string[] {
  const { responses } = getOperation(operationId);
  const { content = {} } = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? {};
  return Object.values(content).flatMap(({ schema }) => getPlainIssues({ ...schema }, body));
}

/** Returns the objects in a value, at any depth, that have a property. */
function findObjectsWith(name: string, value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap((entry) => findObjectsWith(name, entry));
  return Object.hasOwn(value, name) ? [value, ...inner] : inner;
}

const ids = documentedOperations.map(({ operationId }) => operationId);

/** Each documented status of each operation, with one status for each range. */
const codes = documentedOperations.flatMap(({ operationId, responses }) =>
  Object.keys(responses).map(
    (name) => [operationId, Number(name.replace('4XX', '417').replace('5XX', '503'))] as const,
  ),
);

describe('a dynamic response of the mock', () => {
  it.each(ids)('is valid for any seed: %s', (operationId) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const reply = createResponse(operationId, seed);
      expect(getResponseIssues(operationId, reply), `seed ${seed}`).toEqual([]);
      expect(findErrors(operationId, reply), `seed ${seed}`).toEqual([]);
    }
  });

  it.each(codes)('is valid for every code: %s %i', (operationId, code) => {
    for (let seed = 1; seed <= 5; seed++) {
      const reply = createResponse(operationId, seed, { code });
      expect(reply.status).toBe(code);
      expect(getResponseIssues(operationId, reply), `seed ${seed}`).toEqual([]);
      expect(findErrors(operationId, reply), `seed ${seed}`).toEqual([]);
    }
  });

  it('has its status in the body if it is a problem', () => {
    const problems = codes.filter(([, code]) => code >= 400);
    const statuses = problems.map(([id, code]) => [id, createResponse(id, 1, { code }).body.status]);
    expect(statuses).toEqual(problems);
  });

  it.each(ids.filter((id) => getOperation(id).responses['204'] === undefined))('differs for another seed: %s', (id) => {
    const texts = Array.from({ length: 20 }, (_, seed) => createResponse(id, seed).text);
    expect(new Set(texts).size).toBe(20);
  });

  it('has arrays of different lengths', () => {
    const lengths = Array.from({ length: 20 }, (_, seed) => createResponse('listProducts', seed).body.length);
    expect(new Set(lengths).size).toBeGreaterThan(1);
  });

  it('has realistic names, images and prices', () => {
    for (let seed = 1; seed <= 20; seed++) {
      for (const product of createResponse('listProducts', seed).body) {
        expect(product.name).toMatch(/^[A-Z][a-z]+( [A-Z][a-z]+)+$/);
        expect(product.image).toMatch(/^images\/.+\.svg$/);
        expect(product.priceCents).toBeGreaterThanOrEqual(100);
        expect(product.priceCents).toBeLessThan(100_000);
      }
    }
  });

  it.each([
    ['listCartItems', 'product', 'product', 'quantity'],
    ['listOrders', 'products', 'product', 'quantity'],
    ['getOrder', 'products', 'product', 'quantity'],
    ['listDeliveryOptions', 'estimatedDeliveryTime', 'estimatedDeliveryTimeMs', 'deliveryDays'],
  ])('has expanded properties only if the request asks for them: %s', (id, expand, property, sibling) => {
    for (let seed = 1; seed <= 20; seed++) {
      const plain = createResponse(id, seed).body;
      const expanded = createResponse(id, seed, { query: { expand } }).body;
      expect(findObjectsWith(property, plain), `seed ${seed}`).toEqual([]);
      expect(findObjectsWith(property, expanded), `seed ${seed}`).toEqual(findObjectsWith(sibling, expanded));
      expect(findObjectsWith(property, expanded).length).toBeGreaterThan(0);
    }
  });

  it.each(['addCartItem', 'updateCartItem', 'createOrder'])(
    'has no expanded properties if its operation has no parameter expand: %s',
    (id) => {
      for (let seed = 1; seed <= 20; seed++)
        expect(findObjectsWith('product', createResponse(id, seed).body)).toEqual([]);
    },
  );
});

describe('a dynamic response over HTTP', () => {
  const CART_ITEM = `/api/cart-items/${defaults.cartItems[0]?.productId}`;
  const REQUESTS: readonly [operationId: string, method: string, path: string, body?: object][] = [
    ['listProducts', 'GET', '/api/products?search=socks'],
    ['listDeliveryOptions', 'GET', '/api/delivery-options?expand=estimatedDeliveryTime'],
    ['listCartItems', 'GET', '/api/cart-items?expand=product'],
    ['addCartItem', 'POST', '/api/cart-items', { productId: getProductId('Cordless Electric Kettle'), quantity: 1 }],
    ['updateCartItem', 'PUT', CART_ITEM, {}],
    ['removeCartItem', 'DELETE', CART_ITEM],
    ['listOrders', 'GET', '/api/orders?expand=products'],
    ['createOrder', 'POST', '/api/orders'],
    ['getOrder', 'GET', `/api/orders/${defaults.orders[0]?.id}`],
    ['getPaymentSummary', 'GET', '/api/payment-summary'],
    ['resetData', 'POST', '/api/reset'],
  ];

  const dynamic = ({ ask }: TestShop, seed: number, [, method, path, body]: (typeof REQUESTS)[number]) =>
    ask(method, path, body, { Prefer: `dynamic=true, seed=${seed}` });

  it('is valid for every operation and seed', async () => {
    expect(REQUESTS.map(([id]) => id).sort()).toEqual([...ids].sort());
    const shop = await startStorefront();
    for (const request of REQUESTS) {
      for (const seed of [-1, 0, 1, 2 ** 40]) {
        const reply = await dynamic(shop, seed, request);
        expect(getResponseIssues(request[0], reply), request[0]).toEqual([]);
        expect(reply.status, request[0]).toBeLessThan(300);
      }
    }
  });

  it('has the same bytes for the same seed on every server', async () => {
    const [one, other] = [await startStorefront(), await startStorefront({ mock: true })];
    for (const request of REQUESTS) {
      const [first, second] = [await dynamic(one, 5, request), await dynamic(other, 5, request)];
      expect(second.text, request[0]).toBe(first.text);
      expect(second.headers.get('location'), request[0]).toBe(first.headers.get('location'));
    }
  });
});

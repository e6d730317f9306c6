import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { type AnyResponse, expectProblem, getHeader } from '../support/harness/problems.ts';
import { sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';
import { getResponseIssues } from '../support/oracles/contract-validator.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const ITEM = { productId: KETTLE, quantity: 1 };
const HEAD = 'Host: localhost\r\nConnection: close\r\n';

/** Sends a request that causes a problem document. */
interface Provocation {
  readonly status: number;
  readonly options?: Options;
  provoke(shop: TestShop): Promise<AnyResponse>;
}

const throwing: Options['handlers'] = {
  listOrders: () => {
    throw new Error('the secret of the vault');
  },
};

const PROBLEMS: Readonly<Record<string, Provocation>> = {
  'unknown-product': {
    status: 404,
    provoke: ({ ask }) => ask('POST', '/api/cart-items', { ...ITEM, productId: UNKNOWN }),
  },
  'unknown-delivery-option': {
    status: 404,
    provoke: ({ ask }) => ask('PUT', `/api/cart-items/${IN_CART}`, { deliveryOptionId: '9' }),
  },
  'unknown-cart-item': { status: 404, provoke: ({ ask }) => ask('DELETE', `/api/cart-items/${UNKNOWN}`) },
  'unknown-order': { status: 404, provoke: ({ ask }) => ask('GET', `/api/orders/${UNKNOWN}`) },
  'empty-cart': {
    status: 409,
    async provoke({ ask }) {
      await ask('POST', '/api/orders');
      return ask('POST', '/api/orders');
    },
  },
  'quantity-limit': {
    status: 409,
    async provoke({ ask }) {
      await ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 1_000_000 });
      return ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 1 });
    },
  },
  'invalid-request': { status: 400, provoke: ({ ask }) => ask('POST', '/api/cart-items', { quantity: 0 }) },
  'malformed-json': { status: 400, provoke: ({ ask }) => ask('POST', '/api/cart-items', '{"productId": ') },
  'malformed-request': {
    status: 400,
    provoke: ({ ask }) => ask('POST', '/api/cart-items', 'no gzip', { 'content-encoding': 'gzip' }),
  },
  'unknown-path': { status: 404, provoke: ({ ask }) => ask('GET', '/api/nothing') },
  'method-not-allowed': { status: 405, provoke: ({ ask }) => ask('DELETE', '/api/orders') },
  'request-timeout': {
    status: 408,
    provoke: async ({ port }) => first(await sendRaw(port, `GET /api/orders HTTP/1.1\r\n${HEAD}`)),
  },
  'body-too-large': { status: 413, provoke: ({ ask }) => ask('POST', '/api/cart-items', ' '.repeat(102_401)) },
  'unsupported-media-type': {
    status: 415,
    provoke: ({ ask }) => ask('POST', '/api/cart-items', ITEM, { 'content-type': 'text/plain' }),
  },
  'expectation-failed': {
    status: 417,
    provoke: ({ port }) => sendRawRequest(port, 'GET /api/orders', ['Expect: a miracle']),
  },
  'headers-too-large': {
    status: 431,
    provoke: async ({ port }) =>
      first(await sendRaw(port, `GET / HTTP/1.1\r\n${HEAD}X: ${'x'.repeat(70_000)}\r\n\r\n`)),
  },
  'internal-error': {
    status: 500,
    options: { handlers: throwing },
    provoke: ({ ask }) => ask('GET', '/api/orders'),
  },
  unavailable: {
    status: 503,
    async provoke({ ask, folder }) {
      await rm(folder, { recursive: true });
      return ask('POST', '/api/cart-items', ITEM);
    },
  },
};

function first([reply]: readonly AnyResponse[]): AnyResponse {
  if (!reply) throw new Error('there was no answer');
  return reply;
}

describe('a problem document', () => {
  it('for an invalid request is complete', async () => {
    const shop = await startStorefront({ requestTimeoutMs: 1_000 });
    for (const [code, problem] of Object.entries(PROBLEMS).filter(([, { status }]) => status < 500)) {
      await shop.ask('POST', '/api/reset');
      expectProblem(await problem.provoke(shop), problem.status, code);
    }
  });

  it('for an invalid request satisfies the contract of the operation', async () => {
    const shop = await startStorefront();
    const codes = [
      'invalid-request',
      'malformed-json',
      'malformed-request',
      'body-too-large',
      'unsupported-media-type',
    ];
    for (const code of codes) {
      const response = (await PROBLEMS[code]?.provoke(shop)) as TestResponse;
      expect(getResponseIssues('addCartItem', response), code).toEqual([]);
    }
  });

  it.each(Object.entries(PROBLEMS).filter(([, { status }]) => status >= 500))(
    'for an error of the server is complete: %s',
    async (code, { options, status, provoke }) => {
      const shop = await startStorefront({ ...options, errorsExpected: true });
      expectProblem(await provoke(shop), status, code);
    },
  );

  it('has a type whose page explains it', async () => {
    const shop = await startStorefront();
    const list = await shop.ask('GET', '/problems');
    for (const [code, { status }] of Object.entries(PROBLEMS)) {
      const page = await shop.ask('GET', `/problems/${code}`);
      expect(page.status, code).toBe(200);
      expect(getHeader(page, 'Content-Type'), code).toBe('text/html; charset=utf-8');
      expect(page.text).toContain(`<code>${code}</code>, status ${status}`);
      expect(list.text).toContain(`href="/problems/${code}"`);
    }
  });

  it('has a page for each type in openapi.yaml', async () => {
    const shop = await startStorefront();
    const contract = (await shop.ask('GET', '/openapi.yaml')).text;
    const types = new Set(contract.match(/\/problems\/[a-z-]+/g));
    expect(types.size).toBeGreaterThan(10);
    for (const type of types) expect((await shop.ask('GET', type)).status, type).toBe(200);
  });

  it('has no page for an unknown type', async () => {
    const shop = await startStorefront();
    for (const path of ['/problems/nothing', '/problems/__proto__', '/problems/constructor', '/problems/'])
      expectProblem(await shop.ask('GET', path), 404, 'unknown-path', path);
  });
});

describe('the instance of a problem document', () => {
  const INSTANCES = [
    ['/api/nothing?search=a?b', '/api/nothing'],
    ['/nothing?', '/nothing'],
    ['//x', '/x'],
    ['///x//y', '/x//y'],
    ['/api/[x]', '/api/%5Bx%5D'],
    ['/api/%C3%A4%zz', '/api/%C3%A4%25zz'],
    ['/api/%', '/api/%25'],
    ['/api/a%2Fb', '/api/a%2Fb'],
    ['/api/{x}|"<y>^`\\', '/api/%7Bx%7D%7C%22%3Cy%3E%5E%60%5C'],
    ["/api/a:b@c!$&'()*+,;=-._~", "/api/a:b@c!$&'()*+,;=-._~"],
    ['http://localhost/api/nothing?x', '/api/nothing'],
  ] as const;

  it('is the path without the query, as a valid URI reference', async () => {
    const { port } = await startStorefront();
    for (const [target, instance] of INSTANCES) {
      const reply = await sendRawRequest(port, `GET ${target}`);
      expectProblem(reply, 404, 'unknown-path', target);
      expect(reply.body.instance).toBe(instance);
    }
  });

  it('is a valid URI reference even if the path has invalid bytes', async () => {
    const { port } = await startStorefront();
    const [reply] = await sendRaw(port, Buffer.from(`GET /api/orders/ä%zz HTTP/1.1\r\n${HEAD}\r\n`));
    expectProblem(reply as AnyResponse, 400, 'malformed-request');
  });
});

describe('an unexpected error of the server', () => {
  it('causes a response without its message', async () => {
    const shop = await startStorefront({ handlers: throwing, errorsExpected: true });
    const reply = await shop.ask('GET', '/api/orders');
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain('secret');
    expect(JSON.stringify([...reply.headers])).not.toContain('secret');
  });

  it('is logged with its stack', async () => {
    const shop = await startStorefront({ handlers: throwing, errorsExpected: true });
    await shop.ask('GET', '/api/orders?expand=products');
    expect(shop.log).toContainEqual(
      expect.objectContaining({
        level: 50,
        method: 'GET',
        path: '/api/orders',
        err: expect.objectContaining({ stack: expect.stringMatching(/secret of the vault\n( {4}at .*\n?)+/) }),
      }),
    );
  });
});

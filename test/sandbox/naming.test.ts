import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createClient, createSandboxClient, listSandboxIds, selectionMethods } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const [IN_CART] = defaults.cartItems.map(({ productId }) => productId) as [string];
const FREE = getProductId('Cordless Electric Kettle');
const ITEM = `/api/cart-items/${IN_CART}`;
const LONGEST = `w${'-'.repeat(62)}`;

/** Invalid ids for a header or a path. */
const INVALID_IDS = ['W1', '-w', 'w_1', 'w.1', `${LONGEST}x`, 'w1,w2', '..', '*'];

/** Returns the quantity of the first product in the cart. */
async function getQuantity(ask: TestShop['ask']): Promise<number> {
  return (await ask('GET', '/api/cart-items')).body[0].quantity;
}

describe('a request that selects a sandbox', () => {
  it.each(selectionMethods)('by $by is handled in it, and the response names it', async (way) => {
    const shop = await startStorefront();
    const inside = createSandboxClient(shop, 'w1', way);
    const reply = await inside('PUT', ITEM, { quantity: 9 });
    expect([reply.status, reply.headers.get('x-sandbox')]).toEqual([200, 'w1']);
    expect(await getQuantity(inside)).toBe(9);
    expect(await getQuantity(shop.ask)).toBe(2);
    expect(await listSandboxIds(shop)).toEqual(['default', 'w1']);
  });

  it('in one way reaches the sandbox that was created in another way', async () => {
    const shop = await startStorefront();
    for (const [place, way] of selectionMethods.entries()) {
      await createSandboxClient(shop, 'w1', way)('PUT', ITEM, { quantity: 10 + place });
      for (const other of selectionMethods)
        expect(await getQuantity(createSandboxClient(shop, 'w1', other)), other.by).toBe(10 + place);
    }
  });

  it('in several ways is handled in that of the header, then the path, the host, the baggage and the cookie', async () => {
    const ask = createClient(await startStorefront());
    const path = '/api/delivery-options';
    for (const [first, way] of selectionMethods.entries()) {
      const named = selectionMethods.slice(first).map(({ by, naming }) => naming(by === 'path' ? way.by : by, path));
      const headers = Object.assign({}, ...named.map((one) => one.headers));
      const target = way.by === 'path' ? `/_sandbox/path${path}` : path;
      expect((await ask('GET', target, undefined, headers)).headers.get('x-sandbox'), way.by).toBe(way.by);
    }
  });

  it('by header and path is handled in it if both are equal', async () => {
    const { ask } = await startStorefront();
    const reply = await ask('GET', '/_sandbox/w1/api/orders', undefined, { 'x-sandbox': 'w1' });
    expect([reply.status, reply.headers.get('x-sandbox')]).toEqual([200, 'w1']);
  });

  it('is rejected if header and path differ, and creates no sandbox', async () => {
    const shop = await startStorefront();
    const reply = await shop.ask('GET', '/_sandbox/w1/api/orders', undefined, { 'x-sandbox': 'w2' });
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.body.detail).toMatch(/w2.*w1/);
    expect(reply.body.violations).toMatchObject([{ in: 'header', pointer: '/X-Sandbox', value: 'w2' }]);
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is rejected if the header is not a valid id', async () => {
    const shop = await startStorefront();
    for (const id of [...INVALID_IDS, '', 'w 1', 'w1, w1', '__proto__']) {
      const reply = await shop.ask('GET', '/api/products', undefined, { 'x-sandbox': id });
      expectProblem(reply, 400, 'invalid-request', id);
      expect(reply.body.violations, id).toMatchObject([{ in: 'header', pointer: '/X-Sandbox', value: id }]);
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is rejected if the path has an invalid id, including percent escapes', async () => {
    const shop = await startStorefront();
    for (const id of [...INVALID_IDS.filter((id) => id !== '..'), '', '%77', '%', 'w1%2Fapi']) {
      const reply = await shop.ask('GET', `/_sandbox/${id}/api/products`);
      expectProblem(reply, 400, 'invalid-request', id);
      expect(reply.body.violations, id).toMatchObject([{ in: 'path', value: id }]);
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('can use an id of up to 63 characters', async () => {
    const { ask } = await startStorefront();
    for (const id of ['0', LONGEST]) {
      const reply = await ask('GET', '/api/orders', undefined, { 'x-sandbox': id });
      expect([reply.status, reply.headers.get('x-sandbox')]).toEqual([200, id]);
    }
  });
});

describe('a cookie or host that selects a sandbox', () => {
  const COOKIES = ['sandbox=', 'sandbox=W1', 'sandbox="w1"', 'mysandbox=w1', 'sandbox=../x', 'sandbox', 'sandbox=%771'];
  const HOSTS = ['localhost', 'w_1.localhost', 'a.b.localhost', '127.0.0.1:1', 'w1.test', 'w1.localhost.test'];

  it('is ignored if it is not a valid id', async () => {
    const shop = await startStorefront({ allowHost: ['.test'] });
    const names = [...COOKIES.map((cookie) => ({ cookie })), ...HOSTS.map((host) => ({ host }))];
    for (const headers of names) {
      for (const path of ['/api/orders', '/']) {
        const reply = await createClient(shop)('GET', path, undefined, headers as unknown as Record<string, string>);
        expect([reply.status, reply.headers.get('x-sandbox')], JSON.stringify(headers)).toEqual([200, null]);
      }
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is ignored if a header selects a sandbox', async () => {
    const ask = createClient(await startStorefront());
    const headers = { 'x-sandbox': 'w1', cookie: 'sandbox=W!', host: '-.localhost' };
    const reply = await ask('GET', '/api/orders', undefined, headers);
    expect([reply.status, reply.headers.get('x-sandbox')]).toEqual([200, 'w1']);
  });

  it('creates a new sandbox if the former one was removed', async () => {
    const shop = await startStorefront();
    await createSandboxClient(shop, 'w1')('POST', '/api/orders');
    await shop.ask('DELETE', '/_control/sandboxes/w1');
    const reply = await shop.ask('GET', '/api/orders', undefined, { cookie: 'sandbox=w1' });
    expect([reply.status, reply.body]).toEqual([200, defaults.orders]);
  });

  it('does not affect paths without a sandbox if it is unknown and sandboxes are declared', async () => {
    const { ask } = await startStorefront({ sandboxes: 'declared' });
    for (const path of ['/', '/openapi.yaml', '/_control/health', '/images/logo.png'])
      expect((await ask('GET', path, undefined, { cookie: 'sandbox=gone' })).status, path).toBe(200);
  });

  it('is accepted in upper case in a host, which is case-insensitive', async () => {
    const ask = createClient(await startStorefront());
    const reply = await ask('GET', '/api/orders', undefined, { host: 'W1.LocalHost' });
    expect(reply.headers.get('x-sandbox')).toBe('w1');
  });
});

describe('the path prefix of a sandbox', () => {
  it('gives access to the shop and its images, including queries', async () => {
    const shop = await startStorefront();
    const { ask } = shop;
    const found = await ask('GET', '/_sandbox/w1/api/products?search=socks');
    expect(found.body).toEqual((await ask('GET', '/api/products?search=socks')).body);
    const picture = await ask('GET', '/_sandbox/w1/images/products/running-shoes.svg');
    expect([picture.status, picture.headers.get('x-sandbox')]).toEqual([200, 'w1']);
    expect(picture.text).toBe((await ask('GET', '/images/products/running-shoes.svg')).text);
    expect((await ask('GET', '/_sandbox/w1/api/orders?limit=x')).status).toBe(400);
  });

  it('is part of the Location of a created resource', async () => {
    const { ask } = await startStorefront();
    const { headers, body } = await ask('POST', '/_sandbox/w1/api/orders');
    expect(headers.get('location')).toBe(`/_sandbox/w1/api/orders/${body.id}`);
    expect((await ask('GET', headers.get('location') ?? '')).body).toEqual(body);
    expect((await ask('GET', `/api/orders/${body.id}`)).status).toBe(404);
  });

  it('is not part of a Location if the sandbox was selected in another way', async () => {
    const shop = await startStorefront();
    for (const way of selectionMethods.filter(({ by }) => by !== 'path')) {
      const { headers, body } = await createSandboxClient(shop, `by-${way.by}`, way)('POST', '/api/orders');
      expect(headers.get('location'), way.by).toBe(`/api/orders/${body.id}`);
    }
  });

  it('is part of the instance of a problem', async () => {
    const { ask } = await startStorefront();
    const cases: readonly [string, string, number, string][] = [
      ['GET', `/api/orders/${IN_CART}`, 404, 'unknown-order'],
      ['DELETE', `/api/cart-items/${FREE}`, 404, 'unknown-cart-item'],
      ['GET', '/api/orders?limit=x', 400, 'invalid-request'],
      ['GET', '/api/nothing', 404, 'unknown-path'],
      ['GET', '/api?x', 404, 'unknown-path'],
      ['GET', '/images/none.svg', 404, 'unknown-path'],
      ['PATCH', '/api/orders', 405, 'method-not-allowed'],
    ];
    for (const [method, path, status, code] of cases) {
      const reply = await ask(method, `/_sandbox/w1${path}`);
      expectProblem(reply, status, code, path);
      expect(reply.body.instance, path).toBe(`/_sandbox/w1${path.replace(/\?.*/, '')}`);
      expect(reply.headers.get('x-sandbox'), path).toBe('w1');
    }
  });

  it('gives a 404 response for any other path', async () => {
    const shop = await startStorefront();
    const below = ['/openapi.yaml', '/problems', '/_control/health', '/_control/sandboxes', '/apis'];
    const more = ['/_sandbox/w2/api/products', '/%2561pi/products', '/assets/app.js'];
    const paths = [...below, ...more].map((rest) => `/_sandbox/w1${rest}`);
    for (const path of [...paths, '/_sandbox', '/_Sandbox/w1/api/products']) {
      const reply = await shop.ask('GET', path);
      expectProblem(reply, 404, 'unknown-path', path);
      expect(reply.body.instance, path).toBe(path.replace(/\?.*/, ''));
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is part of the instance once if the sandbox is rejected', async () => {
    const { ask } = await startStorefront({ sandboxes: 'declared' });
    const reply = await ask('GET', '/_sandbox/w1/api/orders');
    expectProblem(reply, 404, 'unknown-sandbox');
    expect(reply.body.instance).toBe('/_sandbox/w1/api/orders');
  });
});

describe('a page of an allowed origin', () => {
  const ORIGIN = { origin: 'http://localhost:5173' };
  const PREFLIGHT = {
    ...ORIGIN,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'x-sandbox',
  };

  it('can send and read the header X-Sandbox', async () => {
    const { ask } = await startStorefront();
    const preflight = await ask('OPTIONS', ITEM, undefined, PREFLIGHT);
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('x-sandbox');
    for (const path of ['/api/orders', '/api/orders/none']) {
      const { headers } = await ask('GET', path, undefined, { ...ORIGIN, 'x-sandbox': 'w1' });
      expect(headers.get('access-control-expose-headers')?.toLowerCase().split(','), path).toContain('x-sandbox');
      expect(headers.get('access-control-allow-origin'), path).toBe(ORIGIN.origin);
    }
  });

  it('can use the path prefix of a sandbox, and its preflight request creates no sandbox', async () => {
    const shop = await startStorefront();
    const preflight = await shop.ask('OPTIONS', `/_sandbox/w1${ITEM}`, undefined, PREFLIGHT);
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN.origin]);
    expect(await listSandboxIds(shop)).toEqual(['default']);
    const reply = await shop.ask('PUT', `/_sandbox/w1${ITEM}`, { quantity: 3 }, ORIGIN);
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, ORIGIN.origin]);
  });
});

describe('the sandbox named default', () => {
  it.each(selectionMethods)('is the one that requests without a sandbox use, selected by $by', async (way) => {
    const shop = await startStorefront();
    const named = createSandboxClient(shop, 'default', way);
    const { headers } = await named('PUT', ITEM, { quantity: 7 });
    expect(headers.get('x-sandbox')).toBe('default');
    expect(await getQuantity(shop.ask)).toBe(7);
    await shop.ask('PUT', ITEM, { quantity: 8 });
    expect(await getQuantity(named)).toBe(8);
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is named in a response only if the request selects it, even if the response is cached', async () => {
    const { ask } = await startStorefront();
    await ask('GET', '/_sandbox/default/api/orders');
    expect((await ask('GET', '/api/orders')).headers.get('x-sandbox')).toBeNull();
  });
});

describe('a cached response', () => {
  it.each(selectionMethods)(
    'of the default sandbox is not used for a sandbox selected by $by, or the other way round',
    async (way) => {
      const shop = await startStorefront();
      const inside = createSandboxClient(shop, 'w1', way);
      for (let round = 1; round <= 2; round++) {
        await inside('PUT', ITEM, { quantity: 100 + round });
        await shop.ask('PUT', ITEM, { quantity: round });
        for (const _ of [1, 2]) {
          expect(await getQuantity(shop.ask)).toBe(round);
          expect(await getQuantity(inside)).toBe(100 + round);
        }
        expect(await getQuantity(shop.ask)).toBe(round);
        expect(await getQuantity(createSandboxClient(shop, 'default', way))).toBe(round);
        expect(await getQuantity(inside)).toBe(100 + round);
      }
      expect((await shop.ask('GET', '/api/cart-items')).headers.get('x-sandbox')).not.toBe('w1');
    },
  );

  it('for an origin is not used for a sandbox with the same origin', async () => {
    const shop = await startStorefront();
    const headers = { origin: 'http://localhost:5173' };
    await createSandboxClient(shop, 'w1')('PUT', ITEM, { quantity: 9 });
    for (const _ of [1, 2, 3]) {
      expect((await shop.ask('GET', '/api/cart-items', undefined, headers)).body[0].quantity).toBe(2);
      expect(
        (await createSandboxClient(shop, 'w1')('GET', '/api/cart-items', undefined, headers)).body[0].quantity,
      ).toBe(9);
    }
  });
});

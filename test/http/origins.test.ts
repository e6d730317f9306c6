import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { expectProblem, getHeader } from '../support/harness/problems.ts';
import { type RawResponse, sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { createClient, createControlClient, listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const ITEM = { productId: 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6', quantity: 2 };
const IN_CART = '/api/cart-items/6fb12208-d3f8-49e5-8f52-3d2038703fc6';

/** A request that changes the default data for each unsafe method. The last ones need no preflight request. */
const CHANGES: readonly [string, string, unknown?, Record<string, string>?][] = [
  ['POST', '/api/cart-items', ITEM],
  ['PUT', IN_CART, { quantity: 9 }],
  ['PATCH', IN_CART, { quantity: 9 }],
  ['DELETE', IN_CART],
  ['POST', '/_sandbox/w1/api/orders'],
  ['POST', '/api/reset', 'x', { 'content-type': 'text/plain' }],
  ['POST', '/api/orders', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
];

const READS = [
  '/api/products',
  '/api/nothing',
  '/',
  '/openapi.yaml',
  '/openapi.json',
  '/problems',
  '/_control/health',
  '/images/logo.png',
  '/images/nothing.png',
  '/nothing',
];

const FOREIGN = [
  '',
  'http://localhost.evil.example',
  'http://evil-localhost:3000',
  'http://.localhost',
  'http://evil.example#.localhost',
  'http://localhost@evil.example',
  'http://localhost:x',
  'http://127.0.0.1.evil.example',
  'http://128.0.0.1',
  'http://127.1',
  'http://10.0.0.1',
  'http://[::2]',
  'http://shop.test:3000',
  'file://localhost',
  'localhost',
];

const LOOPBACK = [
  'http://localhost:5173',
  'https://localhost',
  'HTTP://LOCALHOST:1',
  'http://w3.localhost:3000',
  'http://a.b.localhost',
  'http://127.0.0.1:8080',
  'http://127.9.8.7',
  'http://[::1]:4000',
];

/** Returns the CORS headers of a response. */
function corsHeaders({ headers }: { readonly headers: Headers }): readonly string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'));
}

/** Expects that a page of the origin can read no response and change nothing. */
async function expectRefused(shop: TestShop, origin: string, headers: Record<string, string> = {}): Promise<void> {
  const ask = createClient(shop);
  const before = (await createControlClient(shop)('GET', '/default/state')).text;
  for (const path of READS) {
    const reply = await ask('GET', path, undefined, { ...headers, origin });
    expect(corsHeaders(reply), `GET ${path} from ${origin}`).toEqual([]);
    expect(reply.headers.get('vary')?.toLowerCase(), path).toContain('origin');
  }
  for (const [method, path, body, more] of CHANGES) {
    const reply = await ask(method, path, body, { ...headers, ...more, origin });
    expectProblem(reply, 403, 'origin-not-allowed', `${method} ${path} from ${origin}`);
    expect(reply.body.detail).toContain('--allow-origin');
    expect(corsHeaders(reply), `${method} ${path} from ${origin}`).toEqual([]);
  }
  expect((await createControlClient(shop)('GET', '/default/state')).text).toBe(before);
  expect(await listSandboxIds(shop)).toEqual(['default']);
}

/** Expects that a page of the origin can read responses and change the shop. */
async function expectAllowed(shop: TestShop, origin: string, headers: Record<string, string> = {}): Promise<void> {
  const ask = createClient(shop);
  for (const path of READS) {
    const reply = await ask('GET', path, undefined, { ...headers, origin });
    expect(reply.headers.get('access-control-allow-origin'), `GET ${path} from ${origin}`).toBe(origin);
    expect(reply.headers.get('access-control-allow-credentials'), path).toBe('true');
  }
  const made = await ask('POST', '/api/cart-items', ITEM, { ...headers, origin });
  expect([made.status, made.headers.get('access-control-allow-origin')], origin).toEqual([201, origin]);
  expect((await ask('POST', '/api/reset', undefined, { ...headers, origin })).status, origin).toBe(204);
}

describe('A page of a foreign origin', () => {
  it('can neither read a response nor change the shop', async () => {
    const shop = await startStorefront();
    for (const origin of ['https://evil.example', 'null']) await expectRefused(shop, origin);
  });

  it.each(FOREIGN)('is a page of the origin %j', async (origin) => {
    const ask = createClient(await startStorefront());
    const [read, change] = [
      await ask('GET', '/', undefined, { origin }),
      await ask('POST', '/api/reset', undefined, { origin }),
    ];
    expect(corsHeaders(read)).toEqual([]);
    expectProblem(change, 403, 'origin-not-allowed', origin);
  });

  it('is rejected even if a second Origin header names an allowed origin', async () => {
    const { port } = await startStorefront();
    for (const origins of [
      ['http://localhost:5173', 'https://evil.example'],
      ['https://evil.example', 'http://localhost:5173'],
    ]) {
      const headers = origins.map((origin) => `Origin: ${origin}`);
      const reply = await sendRawRequest(port, 'POST /api/reset', [...headers, 'Content-Length: 0']);
      expectProblem(reply, 403, 'origin-not-allowed');
      expect(getHeader(reply, 'Access-Control-Allow-Origin')).toBeUndefined();
    }
  });

  it('gets no permission from a preflight', async () => {
    const shop = await startStorefront();
    for (const path of [IN_CART, '/', '/api/nothing', '/_sandbox/w1/api/orders']) {
      const reply = await createClient(shop)('OPTIONS', path, undefined, {
        origin: 'https://evil.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      });
      expect(corsHeaders(reply), path).toEqual([]);
    }
  });

  it('is not recorded in the request journal if it tries to change the shop', async () => {
    const shop = await startStorefront();
    await createClient(shop)('POST', '/api/orders', undefined, { origin: 'https://evil.example' });
    expect((await createControlClient(shop)('GET', '/default/requests')).body).toEqual([]);
  });

  it('is logged with the option that allows it, for reads and changes', async () => {
    const shop = await startStorefront();
    for (const method of ['GET', 'GET', 'POST'])
      await createClient(shop)(method, '/api/orders', undefined, { origin: 'https://front.test' });
    const lines = shop.log.filter(({ path }) => path === '/api/orders');
    expect(lines.map(({ notes }) => notes)).toEqual(
      Array(3).fill([expect.stringContaining('--allow-origin https://front.test')]),
    );
  });

  it('is rejected while a front end is served with --static, and cannot read its files', async () => {
    const shop = await startStorefront({ static: 'images' });
    await expectRefused(shop, 'https://evil.example');
  });
});

describe('A page of a loopback origin', () => {
  it('can read responses and change the shop, at any port', async () => {
    const shop = await startStorefront();
    for (const origin of LOOPBACK) await expectAllowed(shop, origin);
  });
});

describe('A page of the same host name as the server', () => {
  it('can read responses and change the shop, at any port', async () => {
    const shop = await startStorefront({ allowHost: ['shop.test'] });
    await expectAllowed(shop, 'http://192.168.1.5:5173', { host: '192.168.1.5:3000' });
    await expectAllowed(shop, 'http://[fe80::1]:5173', { host: '[fe80::1]:3000' });
    await expectAllowed(shop, 'https://shop.test', { host: 'SHOP.test:3000' });
  });

  it('is foreign to a server with another host name, even if the response is cached', async () => {
    const shop = await startStorefront({ allowHost: ['api.test'] });
    await expectAllowed(shop, 'http://203.0.113.5', { host: '203.0.113.5' });
    await expectRefused(shop, 'http://203.0.113.5', { host: 'api.test' });
    await expectRefused(shop, 'http://203.0.113.5', { host: 'localhost' });
  });
});

describe('A page behind a proxy that replaces Host', () => {
  it('can change the shop if its host name is in allowHost', async () => {
    const shop = await startStorefront({ allowHost: ['shop.test', '.web.test'] });
    for (const origin of ['https://shop.test', 'http://SHOP.test:8080', 'https://web.test', 'https://a.b.web.test'])
      await expectAllowed(shop, origin, { host: 'localhost:3000' });
    for (const origin of ['https://x.shop.test', 'https://notweb.test', 'https://shop.test.evil.example'])
      await expectRefused(shop, origin, { host: 'localhost:3000' });
  });

  it('can change the shop if its host name is an IP address of this machine', async () => {
    const shop = await startStorefront();
    const addresses = Object.values(networkInterfaces()).flatMap((list = []) =>
      list.filter(({ internal }) => !internal),
    );
    for (const { address, family } of addresses) {
      const name = family === 'IPv6' ? `[${address}]` : address;
      await expectAllowed(shop, `http://${name}:5173`, { host: 'localhost:3000' });
    }
    await expectRefused(shop, 'http://203.0.113.7:5173', { host: 'localhost:3000' });
  });
});

describe('allowOrigin', () => {
  it('allows only the listed origins', async () => {
    const shop = await startStorefront({
      allowOrigin: ['https://Front.test/', 'capacitor://app', 'https://b.test:443'],
    });
    for (const origin of ['https://front.test', 'capacitor://app', 'https://b.test', 'http://localhost:5173'])
      await expectAllowed(shop, origin);
    for (const origin of ['http://front.test', 'https://front.test:8443', 'https://x.front.test', 'null'])
      await expectRefused(shop, origin);
  });

  it.each([
    ['https://*.front.test', 'https://a.front.test', 'http://a.front.test'],
    ['https://*.front.test', 'https://pr-12.a_b.front.test', 'https://front.test'],
    ['https://*.Front.test/', 'https://A.front.test', 'https://a.front.test:8443'],
    ['https://*.front.test:8443', 'https://a.front.test:8443', 'https://a.front.test'],
    ['https://*.front.test', 'https://b.front.test', 'https://evil.example/.front.test'],
    ['https://*.front.test', 'https://c.front.test', 'https://evil.example#.front.test'],
    ['https://*.front.test', 'https://d.front.test', 'https://a@b.front.test'],
    ['https://*.front.test', 'https://e.front.test', 'https://afront.test'],
    ['https://*.front.test', 'https://f.front.test', 'https://.front.test'],
  ])('%s allows %s but not %s', async (pattern, allowed, refused) => {
    const shop = await startStorefront({ allowOrigin: [pattern] });
    await expectAllowed(shop, allowed);
    await expectRefused(shop, refused);
  });

  it('allows every origin, including null, if it is *', async () => {
    const shop = await startStorefront({ allowOrigin: ['*'] });
    for (const origin of ['https://evil.example', 'null']) await expectAllowed(shop, origin);
  });
});

describe('A cached response', () => {
  it('has the CORS headers for the origin of the request, regardless of earlier requests', async () => {
    const { port } = await startStorefront();
    const origins = ['http://localhost:5173', 'https://evil.example', 'http://127.0.0.1:1', 'null', undefined];
    for (const origin of [...origins, ...origins, ...origins.toReversed()]) {
      const headers = origin === undefined ? [] : [`Origin: ${origin}`];
      const reply = await sendRawRequest(port, 'GET /api/delivery-options', headers);
      const isAllowed = origin === 'http://localhost:5173' || origin === 'http://127.0.0.1:1';
      expect(getHeader(reply, 'Access-Control-Allow-Origin'), origin).toBe(isAllowed ? origin : undefined);
      expect(getHeader(reply, 'Vary')?.toLowerCase(), origin).toContain('origin');
    }
  });
});

describe('A response to a request that Node.js rejects', () => {
  const requests = (head: string): readonly [number, string][] => [
    [400, `GET /api/products HTTP/1.1\r\n${head}bad header: x\r\n\r\n`],
    [417, `GET /api/products HTTP/1.1\r\n${head}Expect: a miracle\r\n\r\n`],
    [431, `GET /api/products HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n${head}\r\n`],
    [400, `POST /api/orders HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`],
  ];

  it.each([
    ['Host: localhost\r\nOrigin: https://evil.example\r\n', undefined],
    ['Host: localhost\r\nOrigin: null\r\n', undefined],
    ['Host: localhost\r\nOrigin: http://localhost:5173\r\n', 'http://localhost:5173'],
    ['Host: 10.0.0.7\r\nOrigin: http://10.0.0.7:5173\r\n', 'http://10.0.0.7:5173'],
    ['Host: 10.0.0.8\r\nOrigin: http://10.0.0.7:5173\r\n', undefined],
    ['Host: localhost\r\n', undefined],
  ])('has CORS headers for allowed origins only: %j', async (head, allowed) => {
    const { port } = await startStorefront();
    for (const [status, bytes] of requests(head)) {
      const [reply] = (await sendRaw(port, bytes)) as [RawResponse];
      expect(reply.status).toBe(status);
      expect(getHeader(reply, 'Access-Control-Allow-Origin')).toBe(allowed);
      expect(getHeader(reply, 'Vary')).toBe('Origin');
      if (allowed === undefined)
        expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('has no CORS headers for an origin that is only in the body', async () => {
    const { port } = await startStorefront();
    const body = '\r\nOrigin: http://localhost:5173\r\n';
    const [reply] = await sendRaw(port, `POST /api/orders HTTP/1.1\r\nHost: localhost\r\nbad header: x\r\n\r\n${body}`);
    expect([reply?.status, reply && getHeader(reply, 'Access-Control-Allow-Origin')]).toEqual([400, undefined]);
  });
});

describe('Cross-Origin-Resource-Policy', () => {
  it('allows pages of every origin to embed images only', async () => {
    const shop = await startStorefront({ static: 'test/browser/app' });
    const policy = async (path: string) =>
      (await createClient(shop)('GET', path)).headers.get('cross-origin-resource-policy');
    for (const path of ['/images/logo.png', '/images/products/kettle.svg', '/_sandbox/w1/images/logo.png'])
      expect(await policy(path), path).toBe('cross-origin');
    for (const path of ['/api/products', '/api/nothing', '/', '/main.js', '/openapi.yaml', '/images/nothing.png'])
      expect(await policy(path), path).toBe('same-origin');
  });
});

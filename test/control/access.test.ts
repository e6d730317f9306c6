import { describe, expect, it } from 'vitest';
import { refuseControlAccess } from '../../src/http/control-api.ts';
import { expectProblem } from '../support/harness/problems.ts';
import {
  controlContract,
  createClient,
  expectValidControlResponse,
  listSandboxIds,
  SANDBOXES_PATH,
} from '../support/harness/sandboxes.ts';
import { startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';

/** Requests that read, change and document. */
const REQUESTS: readonly [string, string, object?][] = [
  ['GET', SANDBOXES_PATH],
  ['GET', `${SANDBOXES_PATH}/default/state`],
  ['PUT', `${SANDBOXES_PATH}/w1`, {}],
  ['POST', `${SANDBOXES_PATH}/default/reset`, {}],
  ['DELETE', `${SANDBOXES_PATH}/w1`],
  ['OPTIONS', SANDBOXES_PATH],
  ['GET', '/_control/openapi.yaml'],
  ['GET', '/_control/openapi.json'],
  ['GET', '/_control/nothing'],
];

/** One request of each kind, for tests with many variants of headers. */
const ONE_OF_EACH_KIND = [REQUESTS[1], REQUESTS[2], REQUESTS[6]] as typeof REQUESTS;

/** Sends all requests with the same headers and returns the responses. */
async function requestAll(
  shop: Pick<TestShop, 'port'>,
  headers: Record<string, string>,
  requests = REQUESTS,
): Promise<readonly TestResponse[]> {
  const replies: TestResponse[] = [];
  for (const [method, path, body] of requests) {
    const reply = await createClient(shop)(method, path, body, headers);
    expectValidControlResponse(method, path, reply);
    replies.push(reply);
  }
  return replies;
}

/** Expects that every request is rejected with the same status, code and detail. */
async function expectRejected(
  shop: Pick<TestShop, 'port'>,
  headers: Record<string, string>,
  [status, code, detail]: readonly [number, string, RegExp],
  requests = REQUESTS,
): Promise<void> {
  for (const reply of await requestAll(shop, headers, requests)) {
    expectProblem(reply, status, code, JSON.stringify(headers));
    expect(reply.body.detail).toMatch(detail);
    expect(reply.text).not.toContain('deliveryOptions');
  }
}

/** Expects that requests with these headers have access to the control API. */
async function expectAccepted(shop: Pick<TestShop, 'port'>, headers: Record<string, string>): Promise<void> {
  const statuses = (await requestAll(shop, headers)).map(({ status }) => status);
  expect(statuses, JSON.stringify(headers)).toEqual([200, 200, 200, 204, 204, 204, 200, 200, 404]);
}

async function expectHealthy(shop: Pick<TestShop, 'port'>, headers: Record<string, string> = {}): Promise<void> {
  expect((await createClient(shop)('GET', '/_control/health', undefined, headers)).status).toBe(200);
}

describe('the control API on a loopback address', () => {
  it('accepts any local host name and IP address and rejects every other host name', async () => {
    const shop = await startStorefront();
    const { port } = shop;
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'w1.localhost', 'LOCALHOST'])
      await expectAccepted(shop, { host });
    // DNS rebinding needs a host name, so an IP address is safe.
    for (const host of ['10.0.0.1', '[::2]']) await expectAccepted(shop, { host });
    const foreign = ['evil.example', `evil.example:${port}`, 'localhost.evil.example', 'evil-localhost'];
    const odd = ['127.0.0.1.evil.example', '.localhost', '127-0-0-1'];
    for (const host of [...foreign, ...odd])
      await expectRejected(
        shop,
        { host },
        [403, 'host-not-allowed', /--allow-host/],
        host === foreign[0] ? REQUESTS : ONE_OF_EACH_KIND,
      );
    for (const host of ['127.0.0.1:80.evil.example', 'localhost:x'])
      await expectRejected(
        shop,
        { host },
        [403, 'host-not-allowed', /is neither a host name nor an IP address/],
        ONE_OF_EACH_KIND,
      );
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('names the rejected host in the error message, with the option that allows it', async () => {
    const reply = await createClient(await startStorefront())('GET', SANDBOXES_PATH, undefined, {
      host: 'shop.test:80',
    });
    expect(reply.body.detail).toContain('--allow-host shop.test');
    expect(reply.body.detail).not.toContain(':80');
  });

  it('accepts a host name from --allow-host in any letter case and with any port', async () => {
    const shop = await startStorefront({ allowHost: ['Shop', 'host.docker.internal'] });
    for (const host of ['shop', 'SHOP:8080', 'host.docker.internal:3000', 'localhost'])
      await expectAccepted(shop, { host });
    for (const host of ['shop.evil.example', 'xshop'])
      await expectRejected(shop, { host }, [403, 'host-not-allowed', /--allow-host/]);
  });

  it('rejects a page of another origin, including the host name of a sandbox', async () => {
    const shop = await startStorefront();
    const host = `localhost:${shop.port}`;
    const others = ['https://evil.example', 'null', 'http://localhost:1', `http://w1.localhost:${shop.port}`, ''];
    for (const origin of others)
      await expectRejected(
        shop,
        { host, origin },
        [403, 'origin-not-allowed', /page/],
        origin === 'null' ? REQUESTS : ONE_OF_EACH_KIND,
      );
    await expectAccepted(shop, { host, origin: `http://${host}` });
  });

  it('sends no CORS headers, not even in a preflight response', async () => {
    const shop = await startStorefront();
    const host = `localhost:${shop.port}`;
    const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' };
    for (const origin of ['https://evil.example', `http://${host}`]) {
      for (const reply of await requestAll(shop, { host, origin, ...preflight }))
        expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('rejects each content type that an HTML form can send', async () => {
    const shop = await startStorefront();
    const changes = controlContract.routes.filter(({ method }) => ['PUT', 'POST'].includes(method));
    expect(changes.length).toBeGreaterThan(7);
    const types = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'];
    for (const { method, path } of changes) {
      const at = path.replace('{id}', 'w1').replace('{name}', 'empty-cart');
      for (const type of [...types, 'text/plain; x=application/json', '']) {
        const reply = await createClient(shop)(method, at, '{}', { 'content-type': type });
        expectValidControlResponse(method, at, reply);
        expectProblem(reply, 415, 'unsupported-media-type', `${method} ${at} ${type}`);
      }
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
    const typed = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await createClient(shop)('PUT', `${SANDBOXES_PATH}/w1`, '{}', typed)).status).toBe(200);
  });

  const BODILESS: readonly (readonly [string, string, number])[] = [
    ['PUT', `${SANDBOXES_PATH}/w1`, 200],
    ['POST', `${SANDBOXES_PATH}/w1/reset`, 204],
    ['PUT', `${SANDBOXES_PATH}/w1/snapshots/mine`, 200],
    ['POST', `${SANDBOXES_PATH}/w1/snapshots/mine/restore`, 204],
  ];

  it('accepts a PUT or POST without a body and without a content type, but not from a page of another origin', async () => {
    const shop = await startStorefront();
    for (const [method, path, status] of BODILESS) {
      for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-length': '0' }]) {
        const reply = await createClient(shop)(method, path, undefined, headers);
        expectValidControlResponse(method, path, reply);
        expect(reply.status, `${method} ${path} ${JSON.stringify(headers)}`).toBe(status);
      }
      const foreign = await createClient(shop)(method, path, undefined, { origin: 'https://evil.example' });
      expect(foreign.status).toBe(403);
    }
  });

  it('rejects an id or a name that is too long with status 400 if the request has no body', async () => {
    const shop = await startStorefront();
    for (const [method, path] of BODILESS) {
      const long = path.replace(/(?:w1|mine)(?=\/restore|\/reset|$)/, 'x'.repeat(64));
      const reply = await createClient(shop)(method, long);
      expectProblem(reply, 400, 'invalid-request', `${method} ${long}`);
    }
  });
});

describe('the control API with a token', () => {
  const right = { authorization: 'Bearer s3cret' };

  it('accepts the correct token and rejects every other value', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    await expectAccepted(shop, right);
    const wrong = ['Bearer s3cre', 'Bearer s3cret2', 's3cret', 'Basic s3cret', 'Bearer ', 'Bearer S3CRET', ''];
    for (const headers of [{}, ...wrong.map((authorization) => ({ authorization }))]) {
      const requests = 'authorization' in headers ? ONE_OF_EACH_KIND : REQUESTS;
      const rejection = [401, 'token-required', /Authorization: Bearer/] as const;
      await expectRejected(shop, headers as Record<string, string>, rejection, requests);
      const { headers: sent, text } = await createClient(shop)(
        'GET',
        SANDBOXES_PATH,
        undefined,
        headers as Record<string, string>,
      );
      expect(sent.get('www-authenticate')).toBe('Bearer');
      expect(text).not.toContain('s3cret');
    }
    expect(JSON.stringify(shop.log)).not.toContain('s3cret');
    await expectHealthy(shop);
  });

  it('rejects another host or origin even if the token is correct', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    await expectRejected(shop, { ...right, host: 'evil.example' }, [403, 'host-not-allowed', /\S/]);
    await expectRejected(shop, { ...right, origin: 'https://evil.example' }, [403, 'origin-not-allowed', /\S/]);
  });

  it('accepts the scheme Bearer in any letter case (RFC 9110)', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    for (const scheme of ['bearer', 'BEARER', 'Bearer '])
      await expectAccepted(shop, { authorization: `${scheme} s3cret` });
  });

  it('requires no token for a request to the shop', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    expect((await shop.ask('GET', '/api/orders', undefined, { 'x-sandbox': 'w1' })).status).toBe(200);
  });
});

describe('the control API on an address other than loopback', () => {
  it('is disabled without a token, and the error message says how to enable it', async () => {
    const shop = await startStorefront({ host: '0.0.0.0' });
    for (const headers of [{}, { host: 'localhost' }, { authorization: 'Bearer x' }])
      await expectRejected(shop, headers as Record<string, string>, [403, 'control-disabled', /--control-token/]);
    await expectHealthy(shop, { host: '10.1.2.3' });
    expect((await shop.ask('GET', '/api/orders', undefined, { 'x-sandbox': 'w1' })).status).toBe(200);
  });

  it('is enabled with a token, for the hosts in --allow-host', async () => {
    const shop = await startStorefront({ host: '0.0.0.0', controlToken: 's3cret', allowHost: ['shop.test'] });
    const authorization = 'Bearer s3cret';
    await expectAccepted(shop, { authorization, host: 'shop.test' });
    await expectRejected(shop, { host: 'shop.test' }, [401, 'token-required', /Bearer/]);
    await expectRejected(shop, { authorization, host: 'other.test' }, [
      403,
      'host-not-allowed',
      /--allow-host other\.test/,
    ]);
  });
});

/** Headers that proxies add to requests. */
const FORWARDING_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { forwarded: 'for=203.0.113.7' },
  { 'x-forwarded-for': '203.0.113.7' },
  { 'X-Forwarded-Host': 'shop.example.com' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-port': '443' },
  { 'x-forwarded-server': 'proxy' },
  { via: '1.1 proxy' },
  { 'X-Real-IP': '203.0.113.7' },
  { 'cf-connecting-ip': '203.0.113.7' },
];

describe('a request that came through a proxy', () => {
  it('has no access to the control API without a token, and the error message says how to get it', async () => {
    const shop = await startStorefront();
    for (const headers of FORWARDING_HEADERS)
      await expectRejected(shop, headers, [403, 'control-disabled', /through a proxy.*--control-token/]);
    await expectAccepted(shop, {});
  });

  it('is reported in the log, once', async () => {
    const shop = await startStorefront();
    for (const headers of FORWARDING_HEADERS) await requestAll(shop, headers, ONE_OF_EACH_KIND);
    const warnings = shop.log.filter(({ level }) => level === 40).map(({ msg }) => msg);
    expect(warnings).toEqual([
      expect.stringMatching(/control API was refused.*header forwarded.*--control-token TOKEN/),
    ]);
  });

  it('has access to the control API with the token', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    for (const headers of FORWARDING_HEADERS) {
      await expectAccepted(shop, { ...headers, authorization: 'Bearer s3cret' });
      await expectRejected(shop, headers, [401, 'token-required', /--control-token/], ONE_OF_EACH_KIND);
    }
    expect(shop.log.filter(({ level }) => level === 40)).toEqual([]);
  });

  it('can use the API, the documents, the pages and the health check without a token', async () => {
    const shop = await startStorefront();
    const paths = ['/api/products', '/openapi.json', '/_console/', '/_docs', '/problems', '/_control/ready'];
    for (const headers of FORWARDING_HEADERS) {
      await expectHealthy(shop, headers);
      for (const path of paths)
        expect((await createClient(shop)('GET', path, undefined, headers)).status, path).toBe(200);
      const changed = await shop.ask('POST', '/api/reset', undefined, { ...headers, 'x-sandbox': 'w1' });
      expect([changed.status, changed.headers.get('x-sandbox')]).toEqual([204, 'w1']);
    }
  });
});

describe('the control API of a server with a public name', () => {
  it.each(['shop.example.com', '.example.com', 'Shop.Example.COM.', '*'])(
    'is disabled without a token for --allow-host %s, and the log asks for one at the start',
    async (name) => {
      const shop = await startStorefront({ allowHost: ['storefront', name] });
      for (const headers of [{}, { host: 'localhost' }, { authorization: 'Bearer x' }])
        await expectRejected(shop, headers as Record<string, string>, [403, 'control-disabled', /--control-token/]);
      await expectRejected(shop, { 'x-forwarded-for': '203.0.113.7' }, [403, 'control-disabled', /--control-token/]);
      const warnings = shop.log.filter(({ level }) => level === 40).map(({ msg }) => msg);
      expect(warnings).toEqual([expect.stringContaining(`--allow-host ${name} is a public name`)]);
      expect(warnings[0]).toContain('add --control-token TOKEN');
      expect((await shop.ask('GET', '/api/orders')).status).toBe(200);
    },
  );

  it('accepts the token, and then the log has no warning', async () => {
    const shop = await startStorefront({ allowHost: ['shop.example.com'], controlToken: 's3cret' });
    await expectAccepted(shop, { host: 'shop.example.com', authorization: 'Bearer s3cret' });
    expect(shop.log.filter(({ level }) => level === 40)).toEqual([]);
  });

  it.each(['storefront', 'host.docker.internal', '.shop.test', 'printer.local', 'nas.home.arpa', '192.168.1.7'])(
    'needs no token for the private name %s',
    async (name) => {
      const shop = await startStorefront({ allowHost: [name] });
      await expectAccepted(shop, {});
      expect(shop.log.filter(({ level }) => level === 40)).toEqual([]);
    },
  );
});

describe('a disabled control API', () => {
  it('rejects every request and says how to enable it, while health and sandboxes still work', async () => {
    const shop = await startStorefront({ control: false, controlToken: 's3cret' });
    for (const headers of [{}, { authorization: 'Bearer s3cret' }])
      await expectRejected(shop, headers as Record<string, string>, [403, 'control-disabled', /--no-control/]);
    await expectHealthy(shop);
    expect((await shop.ask('GET', '/api/orders', undefined, { 'x-sandbox': 'w1' })).headers.get('x-sandbox')).toBe(
      'w1',
    );
  });
});

describe('refuseControlAccess', () => {
  const access = { isOn: true, isLoopback: true, publicHost: undefined, token: undefined };

  it('rejects a request without a Host header, which HTTP/1.0 allows', () => {
    expect(() => refuseControlAccess(access, {})).toThrow(
      'The request has no Host header. Send the host and port of the server in this header.',
    );
  });

  it('accepts a page of this server on any local host name and port', () => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'w1.localhost:3000'])
      expect(() => refuseControlAccess(access, { host, origin: `http://${host}` }), host).not.toThrow();
  });
});

describe('GET /_control/health', () => {
  it('is open to the same hosts and origins as the shop', async () => {
    const shop = await startStorefront({ allowHost: ['shop.test'], allowOrigin: ['https://front.test'] });
    const headers = { host: 'shop.test', origin: 'https://front.test' };
    const reply = await createClient(shop)('GET', '/_control/health', undefined, headers);
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, 'https://front.test']);
    const refused = await createClient(shop)('GET', '/_control/health', undefined, { host: 'evil.example' });
    expectProblem(refused, 403, 'host-not-allowed');
  });
});

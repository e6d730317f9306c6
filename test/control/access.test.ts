import { describe, expect, it } from 'vitest';
import { checkAccess } from '../../src/control/access.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { asking, controlContract, expectInContract, SANDBOXES, sandboxIds } from '../support/harness/sandboxes.ts';
import { type Reply, startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

/** What looks, what changes, and what documents. */
const REQUESTS: readonly [string, string, object?][] = [
  ['GET', SANDBOXES],
  ['GET', `${SANDBOXES}/default/state`],
  ['PUT', `${SANDBOXES}/w1`, {}],
  ['POST', `${SANDBOXES}/default/reset`, {}],
  ['DELETE', `${SANDBOXES}/w1`],
  ['OPTIONS', SANDBOXES],
  ['GET', '/_control/openapi.yaml'],
  ['GET', '/_control/nothing'],
];

/** One of each kind, for the many ways in which one may ask. */
const FEW = [REQUESTS[1], REQUESTS[2], REQUESTS[6]] as typeof REQUESTS;

/** Asks all of these with some headers, and gives back the answers. */
async function askAll(
  shop: Pick<TestShop, 'port'>,
  headers: Record<string, string>,
  requests = REQUESTS,
): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (const [method, path, body] of requests) {
    const reply = await asking(shop)(method, path, body, headers);
    expectInContract(method, path, reply);
    replies.push(reply);
  }
  return replies;
}

/** Expects all to be refused alike, and nothing to have been made. */
async function expectRefused(
  shop: Pick<TestShop, 'port'>,
  headers: Record<string, string>,
  [status, code, detail]: readonly [number, string, RegExp],
  requests = REQUESTS,
): Promise<void> {
  for (const reply of await askAll(shop, headers, requests)) {
    expectProblem(reply, status, code, JSON.stringify(headers));
    expect(reply.body.detail).toMatch(detail);
    expect(reply.text).not.toContain('deliveryOptions');
  }
}

/** Expects that who asks so may steer. */
async function expectAdmitted(shop: Pick<TestShop, 'port'>, headers: Record<string, string>): Promise<void> {
  const statuses = (await askAll(shop, headers)).map(({ status }) => status);
  expect(statuses, JSON.stringify(headers)).toEqual([200, 200, 200, 204, 204, 204, 200, 404]);
}

async function expectHealthy(shop: Pick<TestShop, 'port'>, headers: Record<string, string> = {}): Promise<void> {
  expect((await asking(shop)('GET', '/_control/health', undefined, headers)).status).toBe(200);
}

describe('control on loopback', () => {
  it('answers to every name of this machine, and to nobody who came by another', async () => {
    const shop = await startStorefront();
    const { port } = shop;
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'w1.localhost', 'LOCALHOST'])
      await expectAdmitted(shop, { host });
    // An IP address is nobody's name: DNS rebinding can't bring it.
    for (const host of ['10.0.0.1', '[::2]']) await expectAdmitted(shop, { host });
    const foreign = ['evil.example', `evil.example:${port}`, 'localhost.evil.example', 'evil-localhost'];
    const odd = ['127.0.0.1.evil.example', '.localhost', '127-0-0-1'];
    for (const host of [...foreign, ...odd])
      await expectRefused(
        shop,
        { host },
        [403, 'host-not-allowed', /--allow-host/],
        host === foreign[0] ? REQUESTS : FEW,
      );
    for (const host of ['127.0.0.1:80.evil.example', 'localhost:x'])
      await expectRefused(shop, { host }, [403, 'host-not-allowed', /is no host name and no IP address/], FEW);
    expect(await sandboxIds(shop)).toEqual(['default']);
  });

  it('names the host in the refusal, so that it can be allowed', async () => {
    const reply = await asking(await startStorefront())('GET', SANDBOXES, undefined, { host: 'shop.test:80' });
    expect(reply.body.detail).toContain('--allow-host shop.test');
    expect(reply.body.detail).not.toContain(':80');
  });

  it('answers to names that were allowed, whatever their case and port', async () => {
    const shop = await startStorefront({ allowHost: ['Shop', 'host.docker.internal'] });
    for (const host of ['shop', 'SHOP:8080', 'host.docker.internal:3000', 'localhost'])
      await expectAdmitted(shop, { host });
    for (const host of ['shop.evil.example', 'xshop'])
      await expectRefused(shop, { host }, [403, 'host-not-allowed', /--allow-host/]);
  });

  it('is not for pages of other sites, not even of a sandbox’s host', async () => {
    const shop = await startStorefront();
    const host = `localhost:${shop.port}`;
    const others = ['https://evil.example', 'null', 'http://localhost:1', `http://w1.localhost:${shop.port}`, ''];
    for (const origin of others)
      await expectRefused(
        shop,
        { host, origin },
        [403, 'origin-not-allowed', /page/],
        origin === 'null' ? REQUESTS : FEW,
      );
    await expectAdmitted(shop, { host, origin: `http://${host}` });
  });

  it('has no CORS headers, on no response, preflights included', async () => {
    const shop = await startStorefront();
    const host = `localhost:${shop.port}`;
    const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' };
    for (const origin of ['https://evil.example', `http://${host}`]) {
      for (const reply of await askAll(shop, { host, origin, ...preflight }))
        expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('takes no change that a form could send, whatever it holds', async () => {
    const shop = await startStorefront();
    const changes = controlContract.routes.filter(({ method }) => ['PUT', 'POST'].includes(method));
    expect(changes.length).toBeGreaterThan(7);
    const types = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'];
    for (const { method, path } of changes) {
      const at = path.replace('{id}', 'w1').replace('{name}', 'empty-cart');
      for (const type of [...types, 'text/plain; x=application/json', '']) {
        const reply = await asking(shop)(method, at, '{}', { 'content-type': type });
        expectInContract(method, at, reply);
        expectProblem(reply, 415, 'unsupported-media-type', `${method} ${at} ${type}`);
      }
    }
    expect(await sandboxIds(shop)).toEqual(['default']);
    const typed = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await asking(shop)('PUT', `${SANDBOXES}/w1`, '{}', typed)).status).toBe(200);
  });

  const BODILESS: readonly (readonly [string, string, number])[] = [
    ['PUT', `${SANDBOXES}/w1`, 200],
    ['POST', `${SANDBOXES}/w1/reset`, 204],
    ['PUT', `${SANDBOXES}/w1/snapshots/mine`, 200],
    ['POST', `${SANDBOXES}/w1/snapshots/mine/restore`, 204],
  ];

  it('takes a change without a body as it is, but not from a page of another site', async () => {
    const shop = await startStorefront();
    for (const [method, path, status] of BODILESS) {
      for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-length': '0' }]) {
        const reply = await asking(shop)(method, path, undefined, headers);
        expectInContract(method, path, reply);
        expect(reply.status, `${method} ${path} ${JSON.stringify(headers)}`).toBe(status);
      }
      const foreign = await asking(shop)(method, path, undefined, { origin: 'https://evil.example' });
      expect(foreign.status).toBe(403);
    }
  });

  it('says that an id or a name is too long, body or not', async () => {
    const shop = await startStorefront();
    for (const [method, path] of BODILESS) {
      const long = path.replace(/(?:w1|mine)(?=\/restore|\/reset|$)/, 'x'.repeat(64));
      const reply = await asking(shop)(method, long);
      expectProblem(reply, 400, 'invalid-request', `${method} ${long}`);
    }
  });
});

describe('control with a token', () => {
  const right = { authorization: 'Bearer s3cret' };

  it('answers who brings it, and nobody else', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    await expectAdmitted(shop, right);
    const wrong = ['Bearer s3cre', 'Bearer s3cret2', 's3cret', 'Basic s3cret', 'Bearer ', 'Bearer S3CRET', ''];
    for (const headers of [{}, ...wrong.map((authorization) => ({ authorization }))]) {
      const requests = 'authorization' in headers ? FEW : REQUESTS;
      const refusal = [401, 'token-required', /Authorization: Bearer/] as const;
      await expectRefused(shop, headers as Record<string, string>, refusal, requests);
      const { headers: sent, text } = await asking(shop)(
        'GET',
        SANDBOXES,
        undefined,
        headers as Record<string, string>,
      );
      expect(sent.get('www-authenticate')).toBe('Bearer');
      expect(text).not.toContain('s3cret');
    }
    expect(JSON.stringify(shop.log)).not.toContain('s3cret');
    await expectHealthy(shop);
  });

  it('answers to no foreign host or page for all that', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    await expectRefused(shop, { ...right, host: 'evil.example' }, [403, 'host-not-allowed', /\S/]);
    await expectRefused(shop, { ...right, origin: 'https://evil.example' }, [403, 'origin-not-allowed', /\S/]);
  });

  it('takes the scheme Bearer in any letter case (RFC 9110)', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    for (const scheme of ['bearer', 'BEARER', 'Bearer '])
      await expectAdmitted(shop, { authorization: `${scheme} s3cret` });
  });

  it('wants none for the shop', async () => {
    const shop = await startStorefront({ controlToken: 's3cret' });
    expect((await shop.ask('GET', '/api/orders', undefined, { 'x-sandbox': 'w1' })).status).toBe(200);
  });
});

describe('control on more than loopback', () => {
  it('is off without a token, and says how it is on', async () => {
    const shop = await startStorefront({ host: '0.0.0.0' });
    for (const headers of [{}, { host: 'localhost' }, { authorization: 'Bearer x' }])
      await expectRefused(shop, headers as Record<string, string>, [403, 'control-disabled', /--control-token/]);
    await expectHealthy(shop, { host: '10.1.2.3' });
    expect((await shop.ask('GET', '/api/orders', undefined, { 'x-sandbox': 'w1' })).status).toBe(200);
  });

  it('is on with a token, for hosts that were allowed', async () => {
    const shop = await startStorefront({ host: '0.0.0.0', controlToken: 's3cret', allowHost: ['shop.test'] });
    const authorization = 'Bearer s3cret';
    await expectAdmitted(shop, { authorization, host: 'shop.test' });
    await expectRefused(shop, { host: 'shop.test' }, [401, 'token-required', /Bearer/]);
    await expectRefused(shop, { authorization, host: 'other.test' }, [
      403,
      'host-not-allowed',
      /--allow-host other\.test/,
    ]);
  });
});

describe('control that is off', () => {
  it('answers nobody, and says how it is on; health and sandboxes go on', async () => {
    const shop = await startStorefront({ control: false, controlToken: 's3cret' });
    for (const headers of [{}, { authorization: 'Bearer s3cret' }])
      await expectRefused(shop, headers as Record<string, string>, [403, 'control-disabled', /--no-control/]);
    await expectHealthy(shop);
    expect((await shop.ask('GET', '/api/orders', undefined, { 'x-sandbox': 'w1' })).headers.get('x-sandbox')).toBe(
      'w1',
    );
  });
});

describe('who may steer', () => {
  const access = { isOn: true, isLoopback: true, token: undefined };
  const asker = { host: 'localhost', origin: undefined, authorization: undefined };

  it('does not without a Host, which a request of HTTP/1.0 may lack', () => {
    expect(checkAccess(access, { ...asker, host: undefined })?.code).toBe('host-not-allowed');
  });

  it('may from a page of this server, by any of its names and ports', () => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'w1.localhost:3000'])
      expect(checkAccess(access, { ...asker, host, origin: `http://${host}` }), host).toBeUndefined();
  });
});

describe('health', () => {
  it('is open to pages of the origins and to the hosts that the shop is open to', async () => {
    const shop = await startStorefront({ allowHost: ['shop.test'], allowOrigin: ['https://front.test'] });
    const headers = { host: 'shop.test', origin: 'https://front.test' };
    const reply = await asking(shop)('GET', '/_control/health', undefined, headers);
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, 'https://front.test']);
    const refused = await asking(shop)('GET', '/_control/health', undefined, { host: 'evil.example' });
    expectProblem(refused, 403, 'host-not-allowed');
  });
});

import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { getResponseIssues } from '../support/oracles/contract-validator.ts';
import { askPreferring, getApplied } from './prefer.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];

/** Returns the status of GET /api/orders with some header lines. */
async function getStatus({ port }: TestShop, ...lines: readonly string[]): Promise<number> {
  return (await sendRawRequest(port, 'GET /api/orders', lines)).status;
}

const SERVERS = [
  ['handlers', {}],
  ['the mock', { mock: true }],
] as const;

describe.each(SERVERS)('the Prefer header on a server with %s', (_, options) => {
  it('code returns a documented response with the status', async () => {
    const shop = await startStorefront(options);
    const reply = await askPreferring(shop, 'code=409', 'POST', '/api/orders');
    expect(reply.body).toMatchObject({ type: '/problems/empty-cart', status: 409 });
    expect(getResponseIssues('createOrder', reply)).toEqual([]);
    expect([reply.status, getApplied(reply), reply.headers.get('x-mocked')]).toEqual([409, ['code=409'], 'operation']);
  });

  it('code returns a response with a status in a documented range', async () => {
    const shop = await startStorefront(options);
    for (const code of [404, 429, 502]) {
      const reply = await askPreferring(shop, `code=${code}`, 'GET', '/api/payment-summary');
      expect([reply.status, reply.body.status]).toEqual([code, code]);
      expect(getResponseIssues('getPaymentSummary', reply)).toEqual([]);
    }
  });

  it('example returns the example with its status', async () => {
    const shop = await startStorefront(options);
    const path = `/api/cart-items/${IN_CART}`;
    const good = await askPreferring(shop, 'example=both', 'PUT', path, {});
    expect([good.status, good.body.quantity, getApplied(good)]).toEqual([200, 20, ['example=both']]);
    const bad = await askPreferring(shop, 'example=unknownDeliveryOption', 'PUT', path, {});
    expect([bad.status, bad.body.type]).toEqual([404, '/problems/unknown-delivery-option']);
  });

  it('code and example return the example of the status', async () => {
    const shop = await startStorefront(options);
    const reply = await askPreferring(shop, 'code=404, example=unknownCartItem', 'PUT', `/api/cart-items/${IN_CART}`);
    expect([reply.status, reply.body.type]).toEqual([404, '/problems/unknown-cart-item']);
    expect(getApplied(reply)).toEqual(expect.arrayContaining(['code=404', 'example=unknownCartItem']));
  });

  it('dynamic returns the same response for the same seed', async () => {
    const shop = await startStorefront(options);
    const withSeed = (seed: number) => askPreferring(shop, `dynamic=true, seed=${seed}`, 'GET', '/api/products');
    const first = await withSeed(7);
    expect([first.status, first.headers.get('x-mocked')]).toEqual([200, 'operation']);
    expect(getApplied(first)).toEqual(expect.arrayContaining(['dynamic=true', 'seed=7']));
    expect((await withSeed(7)).text).toBe(first.text);
    expect((await withSeed(8)).text).not.toBe(first.text);
  });

  it.each(['delay=80', 'delay=80ms'])('%s delays the response and does not change it', async (prefer) => {
    const shop = await startStorefront(options);
    const plain = await shop.ask('GET', '/api/orders');
    const startMs = performance.now();
    const reply = await askPreferring(shop, prefer, 'GET', '/api/orders');
    expect(performance.now() - startMs).toBeGreaterThan(75);
    expect([reply.text, getApplied(reply)]).toEqual([plain.text, ['delay=80']]);
    expect(reply.headers.get('x-mocked')).toBe(plain.headers.get('x-mocked'));
  });

  it('code with an undocumented status is refused with the documented ones', async () => {
    const shop = await startStorefront(options);
    const reply = await askPreferring(shop, 'code=302', 'POST', '/api/orders');
    expectProblem(reply, 400, 'invalid-request');
    for (const name of ['302', '201', '409', '4XX', '5XX']) expect(reply.body.detail).toContain(name);
    expect(reply.body.violations).toMatchObject([{ in: 'header', pointer: '/Prefer' }]);
    expect(getApplied(reply)).toEqual([]);
  });

  it('example with an unknown name is refused with the known ones', async () => {
    const shop = await startStorefront(options);
    const reply = await askPreferring(shop, 'example=nope', 'POST', '/api/orders');
    expectProblem(reply, 400, 'invalid-request');
    for (const name of ['nope', 'created', 'emptyCart']) expect(reply.body.detail).toContain(name);
    const other = await askPreferring(shop, 'code=409, example=created', 'POST', '/api/orders');
    expectProblem(other, 400, 'invalid-request');
    expect(other.body.detail).toContain('emptyCart');
  });

  it('does not prevent the validation of the request', async () => {
    const shop = await startStorefront(options);
    for (const prefer of ['code=201', 'example=added', 'dynamic=true', 'delay=1']) {
      const reply = await askPreferring(shop, prefer, 'POST', '/api/cart-items', { productId: KETTLE, quantity: 11 });
      expectProblem(reply, 400, 'invalid-request', prefer);
      expect(reply.body.violations, prefer).toMatchObject([{ in: 'body', pointer: '/quantity' }]);
    }
  });

  it('applies to HEAD as to GET, without the body', async () => {
    const shop = await startStorefront(options);
    const get = await askPreferring(shop, 'code=404', 'GET', '/api/orders');
    const head = await askPreferring(shop, 'code=404', 'HEAD', '/api/orders');
    expect([head.status, head.text, getApplied(head)]).toEqual([404, '', ['code=404']]);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

describe('parsing the Prefer header', () => {
  const READ: readonly (readonly [string, number])[] = [
    ['code=404', 404],
    ['CODE=404', 404],
    ['Code = 404', 404],
    ['code="404"', 404],
    ['code="4\\04"', 404],
    ['  code=404  ', 404],
    [',, code=404 ,', 404],
    ['respond-async, code=404, wait=10', 404],
    ['code=404; because=test', 404],
    ['code=404;a;b="x"', 404],
    ['code=404, code=409', 404],
    ['code=404, CODE=409', 404],
    ['handling="lenient, code=409", code=404', 404],
    ['handling="a \\", code=409", code=404', 404],
    ['handling=lenient; note="a, code=409", code=404', 404],
    ['handling; code=409, code=404', 404],
    ['handling; note="a \\", code=409"', 200],
    ['encode=404', 200],
    ['handling=code=404', 200],
    ['respond-async', 200],
    ['dynamic=false', 200],
    ['seed=3', 200],
    ['', 200],
    ['=,;"', 200],
  ];

  it('follows RFC 7240', async () => {
    const shop = await startStorefront();
    const seen = await Promise.all(READ.map(async ([prefer]) => [prefer, await getStatus(shop, `Prefer: ${prefer}`)]));
    expect(seen).toEqual(READ);
  });

  it('uses the first value of several headers', async () => {
    const shop = await startStorefront();
    expect(await getStatus(shop, 'Prefer: wait=1', 'prefer: code=404', 'Prefer: code=409')).toBe(404);
  });

  it('reads dynamic without a value as true', async () => {
    const shop = await startStorefront();
    for (const prefer of ['dynamic', 'dynamic=', 'dynamic=""', 'dynamic=true']) {
      const { headers } = await askPreferring(shop, prefer, 'GET', '/api/orders');
      expect(headers.get('x-mocked'), prefer).toBe('operation');
    }
  });

  const INVALID = [
    'code',
    'code=',
    'code=abc',
    'code=99',
    'code=600',
    'code=4XX',
    'code="404 "',
    'example',
    'example=""',
    'dynamic=maybe',
    'seed=x',
    'seed=1.5',
    'delay',
    'delay=-1',
    'delay=1m',
    'delay=61s',
    'delay=60001',
    'delay=99999999999',
  ];

  it('refuses an invalid preference', async () => {
    const shop = await startStorefront();
    for (const prefer of INVALID) {
      const reply = await askPreferring(shop, prefer, 'GET', '/api/orders');
      expectProblem(reply, 400, 'invalid-request', prefer);
      expect(reply.body.detail).toContain(`${prefer.split('=')[0]}=`);
      expect(reply.body.violations, prefer).toMatchObject([{ in: 'header', pointer: '/Prefer' }]);
    }
  });

  it('reports an applied delay in Preference-Applied of an error too', async () => {
    const shop = await startStorefront();
    const reply = await askPreferring(shop, 'delay=1', 'GET', `/api/orders/${KETTLE}`);
    expect([reply.status, getApplied(reply)]).toEqual([404, ['delay=1']]);
  });

  it('has no effect on unknown paths and methods', async () => {
    const shop = await startStorefront();
    expectProblem(await askPreferring(shop, 'code=200', 'GET', '/api/nothing'), 404, 'unknown-path');
    expectProblem(await askPreferring(shop, 'code=200', 'PATCH', '/api/orders'), 405, 'method-not-allowed');
  });
});

describe('a preference in the query', () => {
  const READ: readonly (readonly [string, number, string | null])[] = [
    ['?__code=404', 404, 'code=404'],
    ['?__code=404&__code=409', 404, 'code=404'],
    ['?expand=products&__code=404', 404, 'code=404'],
    ['?__example=repeatedExpand', 400, 'example=repeatedExpand'],
    ['?__delay=1', 200, 'delay=1'],
    ['?__dynamic=false', 200, null],
    ['?__seed=5', 200, null],
  ];

  it('applies as one in a header', async () => {
    const shop = await startStorefront();
    const read = async (query: string) => {
      const { status, headers } = await shop.ask('GET', `/api/orders${query}`);
      return [query, status, headers.get('preference-applied')];
    };
    expect(await Promise.all(READ.map(([query]) => read(query)))).toEqual(READ);
  });

  it('returns the same dynamic response as one in a header', async () => {
    const shop = await startStorefront();
    const byHeader = await askPreferring(shop, 'dynamic=true, seed=3', 'GET', '/api/orders');
    for (const dynamic of ['__dynamic=true', '__dynamic', '__dynamic='])
      expect((await shop.ask('GET', `/api/orders?${dynamic}&__seed=3`)).text, dynamic).toBe(byHeader.text);
  });

  it('is accepted in strict mode', async () => {
    const shop = await startStorefront({ strict: true });
    expect((await shop.ask('GET', '/api/orders?__code=404')).body.type).not.toBe('/problems/invalid-request');
    expect((await shop.ask('GET', '/api/orders?__other=404')).status).toBe(400);
  });

  it('has the whole remedy in its violation, even if its value contains a colon', async () => {
    const shop = await startStorefront();
    for (const [query, remedy] of [
      ['__code=a: b', 'use a status code from 200 to 599'],
      ['__example=a: b', expect.stringMatching(/^use \w+/)],
    ]) {
      const { body } = await shop.ask('GET', `/api/orders?${query}`);
      expect(body.violations[0].remedy).toEqual(remedy);
    }
  });

  const REFUSED = ['__code=abc', '__code=302', '__example=nope', '__dynamic=maybe', '__seed=x', '__delay=x'];

  it('is refused with the name of the query parameter', async () => {
    const shop = await startStorefront();
    const refused = async (query: string) => {
      const { status, body } = await shop.ask('GET', `/api/orders?${query}`);
      const [{ in: place, pointer }] = body.violations;
      return [query, status, place, pointer];
    };
    expect(await Promise.all(REFUSED.map(refused))).toEqual(
      REFUSED.map((query) => [query, 400, 'query', `/${query.split('=')[0]}`]),
    );
  });
});

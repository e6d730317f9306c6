import { describe, expect, it } from 'vitest';
import { waitForRequests } from '../../src/control/wait-for-requests.ts';
import type { Entry, Follower } from '../../src/sandbox/journal/journal.ts';
import type { Bounds } from '../../src/sandbox/journal/verify-requests.ts';
import { productId } from '../support/fixtures/default-data.ts';
import { operation, otherDocument } from '../support/fixtures/other-document.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { steering } from '../support/harness/sandboxes.ts';
import { type Room, roomIn, sharedShop } from '../support/harness/shared-shop.ts';
import { type Reply, startStorefront } from '../support/harness/start-storefront.ts';

const { room } = sharedShop();

const KETTLE = productId('Cordless Electric Kettle');
const ITEM = { productId: KETTLE, quantity: 3 };

/** How long is waited where nothing is to be waited for, in ms: longer than a test may take, so that none ends that waits. */
const FOR_EVER_MS = 60_000;

/** A sandbox with five requests. */
async function visited(): Promise<Room> {
  const here = room();
  await here.ask('GET', '/api/orders', undefined, { 'X-Page': 'orders' });
  await here.ask('POST', '/api/cart-items', ITEM, { 'X-Page': 'product' });
  await here.ask('POST', '/api/cart-items', { ...ITEM, quantity: 11 });
  await here.ask('GET', '/api/products?search=kettle');
  await here.ask('GET', '/api/none');
  return here;
}

async function verdict({ steer }: Room, wanted: object): Promise<Reply['body']> {
  const { status, body } = await steer('POST', '/requests/verify', wanted);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function order({ ask }: Room): Promise<void> {
  await ask('GET', '/api/orders');
}

describe('counting requests', () => {
  it.each<readonly [wanted: object, count: number]>([
    [{}, 5],
    [{ operation: 'addCartItem' }, 2],
    [{ operation: ['addCartItem', 'listOrders'] }, 3],
    [{ operation: 'createOrder' }, 0],
    [{ status: 200 }, 2],
    [{ status: [201, 400] }, 2],
    [{ operation: 'addCartItem', status: 400 }, 1],
    [{ after: 2 }, 3],
    [{ after: 2, operation: 'addCartItem' }, 1],
    [{ after: 99 }, 0],
    [{ where: { method: 'post' } }, 2],
    [{ where: { path: '/api/*' } }, 5],
    [{ where: { path: '/api/none' } }, 1],
    [{ where: { query: { search: 'kettle' } } }, 1],
    [{ where: { query: { search: { $exists: false } } } }, 4],
    [{ where: { headers: { 'x-PAGE': { $exists: true } } } }, 2],
    [{ where: { body: { quantity: { $gt: 2 } } } }, 2],
    [{ where: { body: { quantity: { $in: [3, 4] } } } }, 1],
    [{ where: { body: { $exists: false } } }, 3],
    [{ fault: 'f1' }, 0],
  ])('counts those that are as described: %j', async (wanted, count) => {
    const { steer } = await visited();
    expect((await steer('POST', '/requests/count', wanted)).body).toEqual({ count });
  });

  it('counts those that met a fault', async () => {
    const here = room();
    const { body } = await here.steer('POST', '/faults', { operation: 'listOrders', delay: 1, times: 2 });
    for (let n = 0; n < 3; n++) await order(here);
    expect((await here.steer('POST', '/requests/count', { fault: body.id })).body).toEqual({ count: 2 });
  });

  it('counts those without an response where no status is wanted', async () => {
    const here = room();
    await here.steer('POST', '/faults', { operation: 'listOrders', connection: 'reset' });
    await order(here).catch(() => {});
    const count = async (wanted: object) => (await here.steer('POST', '/requests/count', wanted)).body.count;
    expect([await count({}), await count({ status: 200 })]).toEqual([1, 0]);
  });

  it('looks into a form as a fault does', async () => {
    const properties = { age: { type: 'integer' }, tag: { type: 'array', items: { type: 'string' } } };
    const form = { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } };
    const logIn = operation('logIn', {}, { requestBody: { content: form } });
    const contract = await otherDocument({ paths: { '/logins': { post: logIn } } });
    const main = roomIn(await startStorefront({ contract, mock: true, verify: 'off' }), 'default');
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    for (const [where, times] of [
      [{ body: { name: 'Ann' } }, 2],
      [{ body: { name: 'Ann', tag: ['a', 'b c'] } }, 1],
      [{ body: { name: { $glob: '*o*' } } }, 1],
      [{ body: { name: { $exists: true } } }, 3],
      [{ body: { age: 7 } }, 1],
      [{ body: { age: { $gt: 6 } } }, 2],
      [{ body: { tag: ['a'] } }, 2],
    ] as const) {
      const { body } = await main.steer('PUT', '/faults', [{ where, delay: 1 }]);
      for (const sent of ['name=Ann&tag=a&tag=b+c', 'name=%41nn&age=7', 'name=Bob&tag=a&age=8', 'tag=a'])
        await main.ask('POST', '/logins', sent, headers);
      const count = async (wanted: object) => (await main.steer('POST', '/requests/count', wanted)).body.count;
      expect([await count({ where }), await count({ fault: body[0].id })]).toEqual([times, times]);
      await main.steer('DELETE', '/requests');
    }
  });

  it('can not look into a body that the journal has cut, and says so', async () => {
    const here = room();
    await here.ask('POST', '/api/cart-items', { ...ITEM, note: 'x'.repeat(5_000) });
    const count = async (body: unknown) =>
      (await here.steer('POST', '/requests/count', { where: { body } })).body.count;
    expect([await count({ $glob: '{"productId":*' }), await count({ quantity: 3 })]).toEqual([0, 0]);
    const { body } = await here.steer('POST', '/requests/verify', { where: { body: { quantity: 3 } } });
    expect(body.nearMisses[0].reasons).toEqual([
      'body: cannot be compared, because the journal keeps only the first 4 kB',
    ]);
  });
});

describe('verifying that requests came', () => {
  it.each<readonly [often: object, isSo: boolean, said: string]>([
    [{}, true, 'at least 1 matching request'],
    [{ times: 2 }, true, 'exactly 2 matching requests'],
    [{ times: 1 }, false, 'exactly 1 matching request'],
    [{ times: 3 }, false, 'exactly 3 matching requests'],
    [{ times: 0 }, false, 'exactly 0 matching requests'],
    [{ atLeast: 2 }, true, 'at least 2 matching requests'],
    [{ atLeast: 3 }, false, 'at least 3 matching requests'],
    [{ atLeast: 0 }, true, 'at least 0 matching requests'],
    [{ atMost: 2 }, true, '0 to 2 matching requests'],
    [{ atMost: 1 }, false, '0 to 1 matching request'],
    [{ atLeast: 1, atMost: 3 }, true, '1 to 3 matching requests'],
    [{ atLeast: 3, atMost: 4 }, false, '3 to 4 matching requests'],
    [{ atLeast: 2, atMost: 2 }, true, 'exactly 2 matching requests'],
  ])('says whether there are as many as wanted: %j', async (often, isSo, said) => {
    const {
      verified,
      count,
      message: sentence,
    } = await verdict(await visited(), { operation: 'addCartItem', ...often });
    expect([verified, count, sentence]).toEqual([isSo, 2, `Expected ${said}, found 2`]);
  });

  it('wants at least one where nothing is said, of none as many as are wanted', async () => {
    const here = await visited();
    expect(await verdict(here, { operation: 'createOrder' })).toMatchObject({ verified: false, count: 0 });
    expect(await verdict(here, { operation: 'createOrder', times: 0 })).toMatchObject({ verified: true, count: 0 });
    expect((await verdict(here, { operation: 'listOrders' })).message).toBe(
      'Expected at least 1 matching request, found 1',
    );
  });

  it('shows nothing else where it is so', async () => {
    expect((await verdict(await visited(), { status: 200 })).nearMisses).toEqual([]);
  });

  it('shows what came closest where there are too few, and why that is none', async () => {
    const here = await visited();
    const wanted = { operation: 'addCartItem', status: 201, where: { body: { quantity: 4 } }, after: 1 };
    const { nearMisses } = await verdict(here, wanted);
    expect(nearMisses.map(({ request, reasons }: Reply['body']) => [request.id, reasons])).toEqual([
      [2, ['body/quantity: expected 4, got 3']],
      [3, ['body/quantity: expected 4, got 11', 'status: expected 201, got 400']],
      [5, [expect.stringContaining('GET /api/none'), expect.any(String), expect.any(String)]],
    ]);
    expect(nearMisses[0].request).toEqual((await here.steer('GET', '/requests')).body[1]);
  });

  it('names each reason: what it is, when it came, which fault it did not meet', async () => {
    const { nearMisses } = await verdict(await visited(), {
      operation: 'createOrder',
      where: { method: 'PUT', path: '/api/x', query: { a: 1 }, headers: { 'X-Page': 'x' } },
      fault: 'f7',
      after: 5,
    });
    expect(nearMisses[0].reasons).toEqual([
      'id: expected a number greater than 5, got 5',
      'operation: expected createOrder, got none (GET /api/none)',
      'method: expected PUT, got GET',
      'path: expected /api/x, got /api/none',
      'query a: expected 1, got no value',
      'header X-Page: expected "x", got no value',
      'fault: f7 did not apply',
    ]);
  });

  it('shows the last three where there are too many', async () => {
    const here = room();
    for (let n = 0; n < 5; n++) await order(here);
    const { nearMisses } = await verdict(here, { operation: 'listOrders', atMost: 2 });
    expect(nearMisses.map(({ request }: Reply['body']) => request.id)).toEqual([3, 4, 5]);
  });

  it('shows nothing of an empty journal', async () => {
    const here = room();
    await here.steer('PUT', '');
    expect(await verdict(here, {})).toEqual({
      verified: false,
      count: 0,
      message: 'Expected at least 1 matching request, found 0',
      nearMisses: [],
    });
  });

  it.each<readonly [where: object]>([
    [{ body: { user: { password: 'other' } } }],
    [{ headers: { authorization: 'other' } }],
    [{ query: { token: 'other' } }],
  ])('tells no secret: %j', async (where) => {
    const here = room();
    const headers = { Authorization: 'hunter2' };
    await here.ask('POST', '/api/cart-items?token=hunter2', { ...ITEM, user: { password: 'hunter2' } }, headers);
    const { nearMisses } = await verdict(here, { where });
    expect(nearMisses).toHaveLength(1);
    expect(JSON.stringify(nearMisses)).not.toContain('hunter2');
  });

  it.each<readonly [where: object]>([
    [{ body: [] }],
    [{ body: 'other' }],
    [{ body: { $exists: false } }],
    [{ body: { user: 'other' } }],
    [{ body: { user: { $in: [] } } }],
  ])('tells no secret that stands in what is seen: %j', async (where) => {
    const here = room();
    await here.ask('POST', '/api/cart-items', { user: { password: 'hunter2' }, ...ITEM });
    const { nearMisses } = await verdict(here, { where });
    expect(nearMisses).toHaveLength(1);
    expect(JSON.stringify(nearMisses)).not.toContain('hunter2');
  });
});

describe('verifying within some time', () => {
  it.each([{}, { atLeast: 2 }])('is done as soon as enough have come, meanwhile: %j', async (often) => {
    const here = room();
    await order(here);
    const waiting = verdict(here, { operation: 'getPaymentSummary', ...often, withinMs: FOR_EVER_MS });
    await order(here);
    for (let n = 0; n < 2; n++) await here.ask('GET', '/api/payment-summary');
    expect((await waiting).verified).toBe(true);
  });

  it('is done at once where enough are there', async () => {
    expect(await verdict(await visited(), { status: 200, atLeast: 2, withinMs: FOR_EVER_MS })).toMatchObject({
      verified: true,
      count: 2,
    });
  });

  it.each([{ times: 0 }, { atMost: 0 }, { times: 1 }, { atLeast: 1, atMost: 1 }])(
    'is done at once where too many are there: %j',
    async (often) => {
      const here = await visited();
      expect(await verdict(here, { operation: 'addCartItem', ...often, withinMs: FOR_EVER_MS })).toMatchObject({
        verified: false,
        count: 2,
      });
    },
  );

  it('is done as soon as too many have come', async () => {
    const here = room();
    await order(here);
    const waiting = verdict(here, { operation: 'listOrders', times: 1, withinMs: FOR_EVER_MS });
    await order(here);
    expect(await waiting).toMatchObject({ verified: false, count: 2 });
  });

  it.each([{ times: 1 }, { atMost: 1 }, { atLeast: 1, atMost: 2 }, { times: 0, operation: 'createOrder' }])(
    'waits to the end where one more would be too many: %j',
    async (often) => {
      const here = room();
      await order(here);
      const startMs = performance.now();
      expect((await verdict(here, { operation: 'listOrders', ...often, withinMs: 40 })).verified).toBe(true);
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(39);
    },
  );

  it('counts what comes meanwhile, up to one too many', async () => {
    const here = room();
    await here.steer('PUT', '');
    const waiting = verdict(here, { operation: 'listOrders', times: 2, withinMs: FOR_EVER_MS });
    for (let n = 0; n < 3; n++) await order(here);
    expect(await waiting).toMatchObject({ verified: false, count: 3 });
  });

  it('says what came closest where too few have come by the end', async () => {
    const here = room();
    await order(here);
    const { verified, nearMisses } = await verdict(here, { operation: 'createOrder', withinMs: 20 });
    expect([verified, nearMisses.length]).toEqual([false, 1]);
  });

  it('is looked at once where no time is given, or none at all', async () => {
    const here = await visited();
    for (const withinMs of [undefined, 0])
      expect((await verdict(here, { operation: 'createOrder', withinMs })).verified).toBe(false);
  });

  it('ends when the server is closed, which does not wait for it', async () => {
    const there = await startStorefront();
    const steer = steering(there);
    await there.ask('GET', '/api/orders');
    const waiting = steer('POST', '/default/requests/verify', {
      operation: 'createOrder',
      times: 0,
      withinMs: FOR_EVER_MS,
    });
    // What was asked for afterwards, on a connection that was made afterwards, is answered: so the verdict is waited for.
    await there.ask('GET', '/api/orders');
    await there.ask('GET', '/api/orders');
    await there.close();
    expect([(await waiting).status, (await waiting).body.verified]).toEqual([200, false]);
  });
});

describe('waiting for requests', () => {
  /** Waits for so many beside five that are there; gives back how a request comes, those that were looked at, and the end. */
  function waiting(bounds: Bounds) {
    const looks: number[] = [];
    const followers = new Set<Follower>();
    const journal = {
      follow(follower: Follower) {
        followers.add(follower);
        return () => followers.delete(follower);
      },
    };
    const isMeant = ({ id }: Pick<Entry, 'id'>) => looks.push(id) > 0 && id % 2 === 0;
    const stopping = new AbortController();
    const over = waitForRequests({
      ...bounds,
      journal,
      withinMs: FOR_EVER_MS,
      stopping: stopping.signal,
      count: 5,
      isMeant,
    });
    const comes = (id: number) => followers.forEach(({ tell }) => void tell({ id } as Entry));
    return { looks, followers, comes, over, stop: () => stopping.abort() };
  }

  it('looks at each further one once, whatever there was before, until it is over', async () => {
    const { looks, followers, comes, over } = waiting({ least: 7, most: Number.POSITIVE_INFINITY });
    for (const id of [6, 7, 8, 9, 10]) comes(id);
    await over;
    expect([looks, followers.size]).toEqual([[6, 7, 8], 0]);
  });

  it('looks at none where enough are there', async () => {
    const { looks, followers, comes, over } = waiting({ least: 5, most: Number.POSITIVE_INFINITY });
    comes(6);
    await over;
    expect([looks, followers.size]).toEqual([[], 0]);
  });

  it('is over at the end of the journal, and when the server stops', async () => {
    const [one, other] = [waiting({ least: 0, most: 9 }), waiting({ least: 0, most: 9 })];
    for (const { end } of one.followers) end();
    other.stop();
    await Promise.all([one.over, other.over]);
    expect([one.followers.size, other.followers.size]).toEqual([0, 0]);
  });
});

describe('verifying what the journal has forgotten in part', () => {
  /** A sandbox that has had 103 requests, of which it has forgotten three. */
  async function forgetful(): Promise<Room> {
    const here = room();
    await Promise.all(Array.from({ length: 103 }, () => order(here)));
    return here;
  }

  const FORGOTTEN = /; the journal has dropped the requests up to #3: /;

  it('says no where there may have been more than are wanted, and up to which request it has forgotten', async () => {
    const here = await forgetful();
    for (const wanted of [
      { operation: 'createOrder', times: 0 },
      { operation: 'createOrder', atMost: 2 },
      { operation: 'listOrders', times: 100 },
      { operation: 'listOrders', atMost: 200, after: 2 },
      { operation: 'createOrder', times: 0, withinMs: 1 },
    ])
      expect(await verdict(here, wanted)).toMatchObject({ verified: false, message: expect.stringMatching(FORGOTTEN) });
  });

  it('says yes of those that came after', async () => {
    const here = await forgetful();
    expect((await verdict(here, { operation: 'createOrder', times: 0, after: 3 })).verified).toBe(true);
    expect((await verdict(here, { operation: 'listOrders', times: 100, after: 3 })).verified).toBe(true);
  });

  it('says yes where the journal was cleared meanwhile', async () => {
    const here = await forgetful();
    await here.steer('DELETE', '/requests');
    expect((await verdict(here, { operation: 'listOrders', times: 0 })).verified).toBe(true);
    await order(here);
    expect((await verdict(here, { operation: 'listOrders', times: 1 })).verified).toBe(true);
  });

  it('says whether there are at least so many, as ever', async () => {
    const here = await forgetful();
    expect(await verdict(here, { operation: 'listOrders', atLeast: 100 })).toEqual({
      verified: true,
      count: 100,
      message: 'Expected at least 100 matching requests, found 100',
      nearMisses: [],
    });
    expect((await verdict(here, { operation: 'createOrder' })).verified).toBe(false);
  });
});

describe('requests that are described in a way that makes no sense', () => {
  it.each<readonly [wanted: object, code: string, pointer: string]>([
    [{ operation: 'listOrder' }, 'unknown-operation', '/operation'],
    [{ operation: ['listOrders', 'x'] }, 'unknown-operation', '/operation'],
    [{ operation: [] }, 'invalid-request', '/operation'],
    [{ where: { body: { $x: 1 } } }, 'invalid-matcher', '/where/body/$x'],
    [{ where: { query: { q: { $gt: 'x' } } } }, 'invalid-matcher', '/where/query/q/$gt'],
    [{ where: { headers: { h: { $regex: '(' } } } }, 'invalid-matcher', '/where/headers/h/$regex'],
    [{ where: { url: '/' } }, 'invalid-request', '/where/url'],
    [{ status: 99 }, 'invalid-request', '/status'],
    [{ status: [] }, 'invalid-request', '/status'],
    [{ fault: '' }, 'invalid-request', '/fault'],
    [{ after: -1 }, 'invalid-request', '/after'],
    [{ oparation: 'listOrders' }, 'invalid-request', '/oparation'],
  ])('are refused, counted or verified: %j', async (wanted, code, pointer) => {
    const here = room();
    await here.steer('PUT', '');
    for (const way of ['count', 'verify']) {
      const reply = await here.steer('POST', `/requests/${way}`, wanted);
      expectProblem(reply, code === 'unknown-operation' ? 404 : 400, code, way);
      expect(
        reply.body.violations.map((one: { pointer: string }) => one.pointer),
        way,
      ).toContain(pointer);
    }
  });

  it.each<readonly [often: object, code: string, pointer: string]>([
    [{ times: 1, atLeast: 1 }, 'invalid-request', ''],
    [{ times: 1, atMost: 1 }, 'invalid-request', ''],
    [{ times: 0, atMost: 0 }, 'invalid-request', ''],
    [{ times: -1 }, 'invalid-request', '/times'],
    [{ atLeast: 1.5 }, 'invalid-request', '/atLeast'],
    [{ atMost: '1' }, 'invalid-request', '/atMost'],
    [{ withinMs: 60_001 }, 'invalid-request', '/withinMs'],
    [{ withinMs: -1 }, 'invalid-request', '/withinMs'],
  ])('are refused, as often as that: %j', async (often, code, pointer) => {
    const here = room();
    await here.steer('PUT', '');
    const reply = await here.steer('POST', '/requests/verify', { operation: 'listOrders', ...often });
    expectProblem(reply, 400, code);
    expect(reply.body.violations.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
  });

  it.each([0, 2, 4])('never come as often as that, and are not waited for, where %i came', async (times) => {
    const here = room();
    await here.steer('PUT', '');
    for (let time = 0; time < times; time++) await here.ask('GET', '/api/orders');
    const wanted = { operation: 'listOrders', atLeast: 3, atMost: 2, withinMs: FOR_EVER_MS };
    const { status, body } = await here.steer('POST', '/requests/verify', wanted);
    expect([status, body.verified, body.count]).toEqual([200, false, times]);
    expect(body.message).toMatch(/Expected at least 3 and at most 2 matching requests, which is impossible/);
  });

  it('are refused where they say how often, to be counted', async () => {
    const here = room();
    await here.steer('PUT', '');
    const reply = await here.steer('POST', '/requests/count', { times: 1 });
    expectProblem(reply, 400, 'invalid-request');
  });

  it('are refused where they have no body', async () => {
    const here = room();
    await here.steer('PUT', '');
    for (const way of ['count', 'verify'])
      expectProblem(await here.steer('POST', `/requests/${way}`), 400, 'invalid-request', way);
  });
});

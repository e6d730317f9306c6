import { describe, expect, it } from 'vitest';
import { followEvents } from '../support/harness/events.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { NOW_MS, startStorefront } from '../support/harness/start-storefront.ts';

const HOUR_MS = 3_600_000;
const EXPIRED_AT = new Date(NOW_MS).toISOString();

/** A shop whose sandboxes expire when the test lets time pass. */
async function startWithTime(options: Parameters<typeof startStorefront>[0] = {}) {
  let elapsedMs = 0;
  const shop = await startStorefront({ ...options, durability: 'memory', elapsedMs: () => elapsedMs });
  const pass = (ms: number) => {
    elapsedMs += ms;
  };
  return { shop, sendControl: createControlClient(shop), pass };
}

describe('a response for the id of an expired sandbox', () => {
  it('has a header with the time of expiry, once, which allowed origins can read', async () => {
    const { shop, pass } = await startWithTime();
    const ask = createSandboxClient(shop, 'w1');
    expect((await ask('GET', '/api/orders')).headers.get('x-sandbox-expired')).toBeNull();
    pass(HOUR_MS);
    const first = await ask('GET', '/api/orders', undefined, { origin: 'http://localhost:5173' });
    expect([first.status, first.headers.get('x-sandbox-expired')]).toEqual([200, EXPIRED_AT]);
    expect(first.headers.get('access-control-expose-headers')).toContain('X-Sandbox-Expired');
    expect((await ask('GET', '/api/orders')).headers.get('x-sandbox-expired')).toBeNull();
  });

  it('has the header in the control API too, which rejects a read with 404', async () => {
    const { shop, sendControl, pass } = await startWithTime();
    await createSandboxClient(shop, 'w1')('GET', '/api/orders');
    pass(HOUR_MS);
    const reply = await sendControl('GET', '/w1/state');
    expectProblem(reply, 404, 'unknown-sandbox');
    expect(reply.headers.get('x-sandbox-expired')).toBe(EXPIRED_AT);
    expect(reply.body.detail).toContain(`it expired at ${EXPIRED_AT}`);
    const created = await sendControl('PUT', '/w1');
    expect([created.status, created.headers.get('x-sandbox-expired')]).toEqual([200, EXPIRED_AT]);
    expect((await sendControl('GET', '/w1')).headers.get('x-sandbox-expired')).toBeNull();
  });

  it('has the header also if sandboxes are declared', async () => {
    const { shop, sendControl, pass } = await startWithTime({ sandboxes: 'declared' });
    await sendControl('PUT', '/w1');
    pass(HOUR_MS);
    const reply = await createSandboxClient(shop, 'w1')('GET', '/api/orders');
    expectProblem(reply, 404, 'unknown-sandbox');
    expect(reply.headers.get('x-sandbox-expired')).toBe(EXPIRED_AT);
  });
});

describe('a sandbox in use', () => {
  it('does not expire while a client reads it through the control API', async () => {
    const { shop, sendControl, pass } = await startWithTime();
    await createSandboxClient(shop, 'w1')('POST', '/api/orders');
    for (let round = 1; round <= 4; round++) {
      pass(HOUR_MS - 1);
      expect((await sendControl('GET', '/w1/requests')).body).toHaveLength(1);
    }
  });

  it('does not expire while a client follows its journal', async () => {
    const { shop, pass } = await startWithTime();
    const ask = createSandboxClient(shop, 'w1');
    await ask('POST', '/api/orders');
    const stream = await followEvents(shop, '/w1/requests');
    pass(3 * HOUR_MS);
    const reply = await ask('GET', '/api/orders');
    expect([reply.body.length, reply.headers.get('x-sandbox-expired')]).toEqual([3, null]);
    expect((await stream.next())[0]?.event).toBe('request');
  });
});

describe('the event stream of a sandbox', () => {
  it('ends with an event when the sandbox is removed', async () => {
    const { shop, sendControl } = await startWithTime();
    await sendControl('PUT', '/w1');
    const stream = await followEvents(shop, '/w1/requests');
    await sendControl('DELETE', '/w1');
    expect(await stream.next()).toEqual([{ event: 'removed', id: '', data: { sandbox: 'w1', at: EXPIRED_AT } }]);
    expect(await stream.ended).toBe(true);
  });
});

it('A follower that is still receiving earlier requests gets all of them if the sandbox is deleted meanwhile', async () => {
  const shop = await startStorefront({ durability: 'memory' });
  const send = createSandboxClient(shop, 'w1');
  const searches = Array.from({ length: 100 }, (_, index) => `/api/products?search=${index}${'x'.repeat(1_500)}`);
  for (const search of searches) await send('GET', search);
  // The server formats the entries in several turns of the event loop, and handles other requests between them.
  const streams = await Promise.all(Array.from({ length: 8 }, () => followEvents(shop, '/w1/requests?after=0')));
  await createControlClient(shop)('DELETE', '/w1');
  for (const stream of streams) {
    const events = await stream.next(101);
    expect(events.map(({ event }) => event)).toEqual([...searches.map(() => 'request'), 'removed']);
    expect(await stream.ended).toBe(true);
  }
});

import { describe, expect, it } from 'vitest';
import { waitForRequests } from '../../src/control/journal-handlers.ts';
import type { Follower } from '../../src/sandbox/journal/journal.ts';
import type { JournalRecord } from '../../src/sandbox/journal/recorded-request.ts';
import type { Bounds } from '../../src/sandbox/journal/verify-requests.ts';
import { sendFiveRequests, verify } from '../support/harness/journal.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

/** A timeout in ms that is longer than a test may take: a test that waits for it fails. */
const LONG_TIMEOUT_MS = 60_000;

async function listOrders({ ask }: SandboxClient): Promise<void> {
  await ask('GET', '/api/orders');
}

describe('a verification with withinMs', () => {
  it.each([{}, { atLeast: 2 }])('passes as soon as there are enough requests: %j', async (times) => {
    const sandbox = newSandbox();
    await listOrders(sandbox);
    const waiting = verify(sandbox, { operation: 'getPaymentSummary', ...times, withinMs: LONG_TIMEOUT_MS });
    await listOrders(sandbox);
    for (let n = 0; n < 2; n++) await sandbox.ask('GET', '/api/payment-summary');
    expect((await waiting).verified).toBe(true);
  });

  it('passes at once if there are already enough requests', async () => {
    expect(
      await verify(await sendFiveRequests(newSandbox()), { status: 200, atLeast: 2, withinMs: LONG_TIMEOUT_MS }),
    ).toMatchObject({
      verified: true,
      count: 2,
    });
  });

  it.each([{ times: 0 }, { atMost: 0 }, { times: 1 }, { atLeast: 1, atMost: 1 }])(
    'fails at once if there are already too many requests: %j',
    async (times) => {
      const sandbox = await sendFiveRequests(newSandbox());
      expect(await verify(sandbox, { operation: 'addCartItem', ...times, withinMs: LONG_TIMEOUT_MS })).toMatchObject({
        verified: false,
        count: 2,
      });
    },
  );

  it('fails as soon as there are too many requests', async () => {
    const sandbox = newSandbox();
    await listOrders(sandbox);
    const waiting = verify(sandbox, { operation: 'listOrders', times: 1, withinMs: LONG_TIMEOUT_MS });
    await listOrders(sandbox);
    expect(await waiting).toMatchObject({ verified: false, count: 2 });
  });

  it.each([{ times: 1 }, { atMost: 1 }, { atLeast: 1, atMost: 2 }, { times: 0, operation: 'createOrder' }])(
    'waits until the end if one more request would be too many: %j',
    async (times) => {
      const sandbox = newSandbox();
      await listOrders(sandbox);
      const startMs = performance.now();
      expect((await verify(sandbox, { operation: 'listOrders', ...times, withinMs: 40 })).verified).toBe(true);
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(39);
    },
  );

  it('counts the requests that arrive while it waits, and stops at one too many', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const waiting = verify(sandbox, { operation: 'listOrders', times: 2, withinMs: LONG_TIMEOUT_MS });
    for (let n = 0; n < 3; n++) await listOrders(sandbox);
    expect(await waiting).toMatchObject({ verified: false, count: 3 });
  });

  it('returns near misses if there are too few requests at the end', async () => {
    const sandbox = newSandbox();
    await listOrders(sandbox);
    const { verified, nearMisses } = await verify(sandbox, { operation: 'createOrder', withinMs: 20 });
    expect([verified, nearMisses.length]).toEqual([false, 1]);
  });

  it('does not wait if withinMs is absent or 0', async () => {
    const sandbox = await sendFiveRequests(newSandbox());
    for (const withinMs of [undefined, 0])
      expect((await verify(sandbox, { operation: 'createOrder', withinMs })).verified).toBe(false);
  });

  it('ends when the server closes, which does not wait for it', async () => {
    const server = await startStorefront();
    const sendControl = createControlClient(server);
    await server.ask('GET', '/api/orders');
    const waiting = sendControl('POST', '/default/requests/verify', {
      operation: 'createOrder',
      times: 0,
      withinMs: LONG_TIMEOUT_MS,
    });
    // Requests that were sent later have their responses, so the verification is waiting by now.
    await server.ask('GET', '/api/orders');
    await server.ask('GET', '/api/orders');
    await server.close();
    expect([(await waiting).status, (await waiting).body.verified]).toEqual([200, false]);
  });
});

describe('waitForRequests', () => {
  /** Waits with five requests in the journal; returns functions to add a request and to stop, and the ids that were checked. */
  function waiting(bounds: Bounds) {
    const checkedIds: number[] = [];
    const followers = new Set<Follower>();
    const journal = {
      follow(follower: Follower) {
        followers.add(follower);
        return () => followers.delete(follower);
      },
    };
    const isMatch = ({ id }: Pick<JournalRecord, 'id'>) => checkedIds.push(id) > 0 && id % 2 === 0;
    const stopping = new AbortController();
    const end = waitForRequests({
      ...bounds,
      journal,
      withinMs: LONG_TIMEOUT_MS,
      stopping: stopping.signal,
      matches: new Set([-1, -2, -3, -4, -5]),
      isMatch,
    });
    const add = (id: number) => followers.forEach(({ onRecord: tell }) => void tell({ id } as JournalRecord));
    return { looks: checkedIds, followers, comes: add, over: end, stop: () => stopping.abort() };
  }

  it('checks each new request once and stops at the expected number', async () => {
    const {
      looks: checkedIds,
      followers,
      comes: add,
      over: end,
    } = waiting({ least: 7, most: Number.POSITIVE_INFINITY });
    for (const id of [6, 7, 8, 9, 10]) add(id);
    await end;
    expect([checkedIds, followers.size]).toEqual([[6, 7, 8], 0]);
  });

  it('checks no request if there are already enough', async () => {
    const {
      looks: checkedIds,
      followers,
      comes: add,
      over: end,
    } = waiting({ least: 5, most: Number.POSITIVE_INFINITY });
    add(6);
    await end;
    expect([checkedIds, followers.size]).toEqual([[], 0]);
  });

  it('stops when the journal ends or the server stops', async () => {
    const [one, other] = [waiting({ least: 0, most: 9 }), waiting({ least: 0, most: 9 })];
    for (const { onEnd: end } of one.followers) end();
    other.stop();
    await Promise.all([one.over, other.over]);
    expect([one.followers.size, other.followers.size]).toEqual([0, 0]);
  });
});

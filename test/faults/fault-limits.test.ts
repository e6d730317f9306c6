import { describe, expect, it, vi } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { addFault, getCounters, getStatuses } from '../support/harness/faults.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

describe('a fault with limits', () => {
  it.each<readonly [fault: object, expectedStatuses: string, getCounters: readonly unknown[]]>([
    [{}, '500 500 500 500', [4, 4, false]],
    [{ skip: 2 }, '200 200 500 500', [4, 2, false]],
    [{ times: 2 }, '500 500 200 200', [2, 2, true]],
    [{ skip: 1, times: 2 }, '200 500 500 200', [3, 2, true]],
    [{ probability: 0 }, '200 200 200 200', [4, 0, false]],
    [{ probability: 1 }, '500 500 500 500', [4, 4, false]],
    [{ probability: 1, skip: 3, times: 9 }, '200 200 200 500', [4, 1, false]],
  ])('applies as often as its skip, times and probability say: %j', async (limits, expectedStatuses, expected) => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', status: 500, ...limits });
    expect(await getStatuses(sandbox, 4)).toBe(expectedStatuses);
    expect(await getCounters(sandbox, id)).toEqual(expected);
  });

  it('with a probability applies to the same requests for the same seed, by default the number of its id', async () => {
    const match = async (fault: object) => {
      const sandbox = newSandbox();
      await addFault(sandbox, { operation: 'listOrders', status: 500, probability: 0.5, ...fault });
      return getStatuses(sandbox, 24);
    };
    const [none, one, again, other] = await Promise.all([{}, { seed: 1 }, { seed: 1 }, { seed: 2 }].map(match));
    expect(one).toBe(none);
    expect(again).toBe(one);
    expect(other).not.toBe(one);
    expect(one).toMatch(/200.*500.*200/);
  });

  it('with a probability applies to other requests than another fault if neither has a seed', async () => {
    const sandbox = newSandbox();
    for (const operation of ['listOrders', 'getPaymentSummary'])
      await addFault(sandbox, { operation, status: 500, probability: 0.5 });
    expect(await getStatuses(sandbox, 24)).not.toBe(await getStatuses(sandbox, 24, 'GET', '/api/payment-summary'));
  });

  it('with a probability applies to the same requests after it is replaced if it has a seed', async () => {
    const sandbox = newSandbox();
    const match = async (fault: object) => {
      await sandbox.sendControl('PUT', '/faults', [
        { operation: 'listOrders', status: 500, probability: 0.5, ...fault },
      ]);
      return getStatuses(sandbox, 24);
    };
    expect(await match({})).not.toBe(await match({}));
    expect(await match({ seed: 7 })).toBe(await match({ seed: 7 }));
  });

  it('with a probability counts only the requests that it applies to towards its times', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', status: 500, probability: 0.5, times: 3 });
    expect((await getStatuses(sandbox, 24)).match(/500/g)).toHaveLength(3);
    expect((await getCounters(sandbox, id)).slice(1)).toEqual([3, true]);
  });

  it.each(['2025-06-01T12:00:10Z', NOW_MS + 10_000])(
    'expires by the clock of the sandbox, with until: %s',
    async (until) => {
      const sandbox = newSandbox();
      const id = await addFault(sandbox, { operation: 'listOrders', status: 500, until });
      await sandbox.sendControl('PUT', '/clock', { now: NOW_MS + 9_999, frozen: true });
      expect(await getStatuses(sandbox, 1)).toBe('500');
      await sandbox.sendControl('POST', '/clock/advance', { ms: 1 });
      expect(await getStatuses(sandbox, 2)).toBe('200 200');
      expect(await getCounters(sandbox, id)).toEqual([1, 1, true]);
    },
  );

  it('expires after its durationMs, whatever the clock of the sandbox says', async () => {
    const sandbox = newSandbox();
    const [short, long] = [
      await addFault(sandbox, { operation: 'listOrders', status: 500, durationMs: 1 }),
      await addFault(sandbox, { operation: 'listOrders', status: 503, durationMs: 86_400_000 }),
    ];
    await sandbox.sendControl('POST', '/clock/advance', { ms: 86_400_000_000 });
    await vi.waitFor(async () => expect((await getCounters(sandbox, short))[2]).toBe(true), { interval: 2 });
    expect(await getStatuses(sandbox, 2)).toBe('503 503');
    expect(await getCounters(sandbox, long)).toEqual([2, 2, false]);
  });

  it('does not apply to requests that violate the contract, which get a 400 response', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'addCartItem', status: 503, times: 1 });
    expectProblem(await sandbox.ask('POST', '/api/cart-items', { ...ITEM, quantity: 11 }), 400, 'invalid-request');
    expectProblem(await sandbox.ask('POST', '/api/cart-items', '{"productId":'), 400, 'malformed-json');
    expect(await getCounters(sandbox, id)).toEqual([0, 0, false]);
    expect((await sandbox.ask('POST', '/api/cart-items', ITEM)).status).toBe(503);
    expect(await getCounters(sandbox, id)).toEqual([1, 1, true]);
  });
});

describe('a request with an invalid preference', () => {
  it('gets a 400 response, and the fault applies to the next request', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', delay: 1, times: 1 });
    const reply = await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=302' });
    expectProblem(reply, 400, 'invalid-request');
    expect(await getCounters(sandbox, id)).toEqual([0, 0, false]);
  });
});

import { describe, expect, it } from 'vitest';
import { createClock } from '../../src/sandbox/clock-and-ids.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { NOW_MS, startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const DAY_MS = 86_400_000;
const CHRISTMAS_MS = Date.UTC(2025, 11, 24, 18);
const CHRISTMAS = '2025-12-24T18:00:00.000Z';

/** Creates a clock whose system time the test controls. */
function clockWith() {
  let machineMs = NOW_MS;
  const clock = createClock(() => machineMs);
  return {
    clock,
    pass(ms: number) {
      machineMs += ms;
    },
  };
}

describe('a clock', () => {
  it('starts with the system time', () => {
    const { clock, pass } = clockWith();
    expect([clock.nowMs(), clock.isFrozen]).toEqual([NOW_MS, false]);
    pass(1_234);
    expect(clock.nowMs()).toBe(NOW_MS + 1_234);
  });

  it('continues to run from the time that it is set to', () => {
    const { clock, pass } = clockWith();
    clock.set({ nowMs: CHRISTMAS_MS });
    expect([clock.nowMs(), clock.isFrozen]).toEqual([CHRISTMAS_MS, false]);
    pass(1_000);
    expect(clock.nowMs()).toBe(CHRISTMAS_MS + 1_000);
  });

  it('can be frozen at the current or a given time, and then run on from there', () => {
    const { clock, pass } = clockWith();
    clock.set({ isFrozen: true });
    pass(1_000);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([NOW_MS, true]);
    clock.set({ nowMs: CHRISTMAS_MS });
    pass(1_000);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([CHRISTMAS_MS, true]);
    clock.set({ isFrozen: false });
    expect([clock.nowMs(), clock.isFrozen]).toEqual([CHRISTMAS_MS, false]);
    pass(1_000);
    expect(clock.nowMs()).toBe(CHRISTMAS_MS + 1_000);
  });

  it.each([true, false])('can be advanced and set back without a change of frozen: %s', (isFrozen) => {
    const { clock, pass } = clockWith();
    clock.set({ isFrozen });
    clock.advance(7 * DAY_MS);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([NOW_MS + 7 * DAY_MS, isFrozen]);
    clock.advance(-9 * DAY_MS);
    pass(1_000);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([NOW_MS - 2 * DAY_MS + (isFrozen ? 0 : 1_000), isFrozen]);
    clock.advance(0);
    expect(clock.nowMs()).toBe(NOW_MS - 2 * DAY_MS + (isFrozen ? 0 : 1_000));
  });

  it('stays unchanged if nothing is set', () => {
    const { clock, pass } = clockWith();
    clock.set({});
    pass(5);
    expect([clock.nowMs(), clock.isFrozen]).toEqual([NOW_MS + 5, false]);
  });

  it('can be set to 1970', () => {
    const { clock } = clockWith();
    clock.set({ nowMs: 0, isFrozen: true });
    expect([clock.nowMs(), clock.isFrozen]).toEqual([0, true]);
  });

  it('returns to the system time on request', () => {
    const { clock, pass } = clockWith();
    clock.set({ nowMs: CHRISTMAS_MS, isFrozen: true });
    pass(10);
    clock.follow();
    expect([clock.nowMs(), clock.isFrozen]).toEqual([NOW_MS + 10, false]);
  });
});

/** Creates an order; returns its time and, for each product, the estimated delivery time in ms since then. */
async function createOrder(ask: TestShop['ask']): Promise<{ atMs: number; afterMs: readonly number[] }> {
  await ask('POST', '/api/reset');
  const { body } = await ask('POST', '/api/orders');
  const products: readonly { estimatedDeliveryTimeMs: number }[] = body.products;
  return {
    atMs: body.orderTimeMs,
    afterMs: products.map(({ estimatedDeliveryTimeMs }) => estimatedDeliveryTimeMs - body.orderTimeMs),
  };
}

/** Returns the estimated delivery time of each delivery option. */
async function getEstimates(ask: TestShop['ask']): Promise<readonly number[]> {
  const { body } = await ask('GET', '/api/delivery-options?expand=estimatedDeliveryTime');
  return body.map(({ estimatedDeliveryTimeMs }: { estimatedDeliveryTimeMs: number }) => estimatedDeliveryTimeMs);
}

describe('the clock of a sandbox', () => {
  const afterMs = [7 * DAY_MS, 3 * DAY_MS];

  it('determines the times of orders and estimates after each kind of change', async () => {
    let machineMs = NOW_MS;
    const shop = await startStorefront({ nowMs: () => machineMs });
    const [sendControl, ask] = [createControlClient(shop), createSandboxClient(shop, 'w1')];
    const expectNow = async (nowMs: number, about: string) => {
      expect(await createOrder(ask), about).toEqual({ atMs: nowMs, afterMs });
      expect(await getEstimates(ask), about).toEqual([7, 3, 1].map((days) => nowMs + days * DAY_MS));
      expect((await sendControl('GET', '/w1/clock')).body.nowMs, about).toBe(nowMs);
    };
    await expectNow(NOW_MS, 'at first');
    await sendControl('PUT', '/w1/clock', { now: CHRISTMAS, frozen: true });
    machineMs += 5;
    await expectNow(CHRISTMAS_MS, 'set, frozen');
    await sendControl('POST', '/w1/clock/advance', { ms: DAY_MS });
    await expectNow(CHRISTMAS_MS + DAY_MS, 'advanced');
    await sendControl('POST', '/w1/clock/advance', { ms: -400 * DAY_MS });
    await expectNow(CHRISTMAS_MS - 399 * DAY_MS, 'set back');
    await sendControl('PUT', '/w1/clock', { frozen: false });
    machineMs += 5;
    await expectNow(CHRISTMAS_MS - 399 * DAY_MS + 5, 'running');
    await sendControl('PUT', '/w1/clock', { now: 0 });
    await expectNow(0, 'at 1970');
    await sendControl('DELETE', '/w1/clock');
    await expectNow(NOW_MS + 10, 'system time');
  });

  it('does not affect other sandboxes or the default sandbox', async () => {
    const shop = await startStorefront();
    const sendControl = createControlClient(shop);
    await sendControl('PUT', '/w1/clock', { now: CHRISTMAS, frozen: true });
    await sendControl('POST', '/w2/clock/advance', { ms: DAY_MS });
    await sendControl('PUT', '/default/clock', { now: 1_000 });
    const asks = [
      createSandboxClient(shop, 'w1'),
      createSandboxClient(shop, 'w2'),
      createSandboxClient(shop, 'w3'),
      shop.ask,
    ];
    expect(await Promise.all(asks.map(createOrder))).toEqual(
      [CHRISTMAS_MS, NOW_MS + DAY_MS, NOW_MS, 1_000].map((atMs) => ({ atMs, afterMs })),
    );
  });

  it('of the default sandbox applies to cached responses', async () => {
    const shop = await startStorefront();
    for (const nowMs of [1_000, 2_000, 500]) {
      await createControlClient(shop)('PUT', '/default/clock', { now: nowMs, frozen: true });
      for (const _ of [1, 2]) expect((await getEstimates(shop.ask))[2]).toBe(nowMs + DAY_MS);
    }
  });

  it('remains after a reset of the data, and returns to the system time when the sandbox is recreated', async () => {
    const shop = await startStorefront();
    const sendControl = createControlClient(shop);
    for (const id of ['w1', 'default']) {
      await sendControl('PUT', `/${id}/clock`, { now: CHRISTMAS, frozen: true });
      await createSandboxClient(shop, id)('POST', '/api/reset');
      await sendControl('POST', `/${id}/reset`);
      expect((await sendControl('GET', `/${id}/clock`)).body, id).toEqual({
        now: CHRISTMAS,
        nowMs: CHRISTMAS_MS,
        frozen: true,
      });
      await sendControl('PUT', `/${id}`);
      expect((await sendControl('GET', `/${id}/clock`)).body, id).toMatchObject({ nowMs: NOW_MS, frozen: false });
    }
  });

  it('accepts times in ISO 8601 format', async () => {
    const sendControl = createControlClient(await startStorefront());
    const cases: readonly [string, number][] = [
      [CHRISTMAS, CHRISTMAS_MS],
      ['2025-12-24T19:00:00+01:00', CHRISTMAS_MS],
      ['2025-12-24T18:00:00.5Z', CHRISTMAS_MS + 500],
      ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
      ['2016-12-31T23:59:60.5Z', Date.UTC(2017, 0, 1) + 500],
      ['1990-12-31t15:59:60-08:00', Date.UTC(1991, 0, 1)],
    ];
    for (const [now, nowMs] of cases)
      expect((await sendControl('PUT', '/w1/clock', { now })).body.nowMs, now).toBe(nowMs);
  });

  it.each([{ now: '2016-12-31T23:59:60Z' }, { now: '2025-06-01T12:00:00+02' }])(
    'accepts or rejects each time that its contract allows, and can still be read: $now',
    async ({ now }) => {
      const sendControl = createControlClient(await startStorefront({ errorsExpected: true }));
      await sendControl('PUT', '/w1');
      expect((await sendControl('PUT', '/w1/clock', { now })).status).toBeLessThan(500);
      expect((await sendControl('GET', '/w1/clock')).status).toBe(200);
      expect((await sendControl('GET', '')).status).toBe(200);
    },
  );

  it.each([8_640_000_000_000_000, -8_640_000_000_000_000])(
    'stays within the range of the contract when it is advanced by %s ms',
    async (ms) => {
      const shop = await startStorefront({ errorsExpected: true });
      const sendControl = createControlClient(shop);
      expect((await sendControl('POST', '/w1/clock/advance', { ms })).status).toBeLessThan(500);
      expect((await sendControl('GET', '')).status).toBe(200);
      expect((await createSandboxClient(shop, 'w1')('POST', '/api/orders')).status).toBe(201);
    },
  );

  it('stays within the range of the contract when it is set to the latest time', async () => {
    const shop = await startStorefront({ errorsExpected: true });
    await shop.ask('PUT', '/_control/sandboxes/w1/clock', { now: 8_640_000_000_000_000 });
    expect((await createSandboxClient(shop, 'w1')('POST', '/api/orders')).status).toBe(201);
    await createControlClient(shop)('GET', '/w1/clock');
  });
});

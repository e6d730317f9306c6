import { describe, expect, it } from 'vitest';
import { NOW_MS, startStorefront } from '../../support/harness/start-storefront.ts';

const plain = [
  { id: '1', deliveryDays: 7, priceCents: 0 },
  { id: '2', deliveryDays: 3, priceCents: 499 },
  { id: '3', deliveryDays: 1, priceCents: 999 },
];

describe('GET /api/delivery-options', () => {
  it('returns the delivery options in the order of the data, without estimated times', async () => {
    const shop = await startStorefront();
    expect(await shop.ask('GET', '/api/delivery-options')).toMatchObject({ status: 200, text: JSON.stringify(plain) });
  });

  it('returns each option with its estimated delivery time if expand=estimatedDeliveryTime', async () => {
    const shop = await startStorefront();
    const options = await shop.ask('GET', '/api/delivery-options?expand=estimatedDeliveryTime');
    expect(options.body).toEqual([
      { ...plain[0], estimatedDeliveryTimeMs: Date.parse('2025-06-08T12:00:00Z') },
      { ...plain[1], estimatedDeliveryTimeMs: Date.parse('2025-06-04T12:00:00Z') },
      { ...plain[2], estimatedDeliveryTimeMs: Date.parse('2025-06-02T12:00:00Z') },
    ]);
  });

  it('computes the estimated delivery time from the current time', async () => {
    let nowMs = NOW_MS;
    const shop = await startStorefront({ nowMs: () => nowMs });
    const estimates = async () => {
      const options = await shop.ask('GET', '/api/delivery-options?expand=estimatedDeliveryTime');
      return options.body.map((option: { estimatedDeliveryTimeMs: number }) => option.estimatedDeliveryTimeMs);
    };
    const before: number[] = await estimates();
    nowMs += 1234;
    expect(await estimates()).toEqual(before.map((timeMs) => timeMs + 1234));
  });

  it('returns the options without estimates for any other value of expand', async () => {
    const shop = await startStorefront();
    for (const value of ['price', 'estimatedDeliveryTimeMs', 'ESTIMATEDDELIVERYTIME', '']) {
      const options = await shop.ask('GET', `/api/delivery-options?expand=${value}`);
      expect(options, value).toMatchObject({ status: 200, body: plain });
      expect(Object.keys(options.body[0]), value).not.toContain('estimatedDeliveryTimeMs');
    }
  });
});

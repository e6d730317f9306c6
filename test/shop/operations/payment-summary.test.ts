import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../../support/fixtures/default-data.ts';
import { startStorefront, type TestShop } from '../../support/harness/start-storefront.ts';

const LIPSTICK = getProductId('Velvet Matte Lipstick');
const [SOCKS, LAMP] = defaults.cartItems.map((item) => item.productId) as [string, string];

async function getSummary(shop: TestShop) {
  return (await shop.ask('GET', '/api/payment-summary')).body;
}

describe('GET /api/payment-summary', () => {
  it('returns the costs of the cart', async () => {
    const shop = await startStorefront();
    const summary = await shop.ask('GET', '/api/payment-summary');
    expect(summary.status).toBe(200);
    expect(summary.body).toEqual({
      totalItems: 3,
      productCostCents: 2 * 2399 + 5499,
      shippingCostCents: 0 + 499,
      totalCostBeforeTaxCents: 10_796,
      taxCents: 1080,
      totalCostCents: 11_876,
    });
  });

  it('returns zeros for an empty cart', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/orders');
    expect(await getSummary(shop)).toEqual({
      totalItems: 0,
      productCostCents: 0,
      shippingCostCents: 0,
      totalCostBeforeTaxCents: 0,
      taxCents: 0,
      totalCostCents: 0,
    });
  });

  it('charges the price of the delivery option once per item, for any quantity', async () => {
    const shop = await startStorefront();
    await shop.ask('PUT', `/api/cart-items/${SOCKS}`, { quantity: 50, deliveryOptionId: '3' });
    expect(await getSummary(shop)).toMatchObject({ totalItems: 51, shippingCostCents: 999 + 499 });
  });

  it.each([
    ['half a cent rounded up', 5, '1', 4995, 500],
    ['less than half a cent rounded down', 6, '2', 6493, 649],
  ])('adds a tax of 10 percent, with %s', async (_, quantity, option, beforeTax, tax) => {
    const shop = await startStorefront();
    for (const id of [SOCKS, LAMP]) await shop.ask('DELETE', `/api/cart-items/${id}`);
    await shop.ask('POST', '/api/cart-items', { productId: LIPSTICK, quantity });
    await shop.ask('PUT', `/api/cart-items/${LIPSTICK}`, { deliveryOptionId: option });
    expect(await getSummary(shop)).toMatchObject({
      totalCostBeforeTaxCents: beforeTax,
      taxCents: tax,
      totalCostCents: beforeTax + tax,
    });
  });

  it('is exact for the highest quantity', async () => {
    const shop = await startStorefront();
    await shop.ask('PUT', `/api/cart-items/${LAMP}`, { quantity: 1_000_000, deliveryOptionId: '1' });
    expect(await getSummary(shop)).toMatchObject({
      productCostCents: 5_499_004_798,
      taxCents: 549_900_480,
      totalCostCents: 6_048_905_278,
    });
  });
});

import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../../support/fixtures/default-data.ts';
import { startStorefront } from '../../support/harness/start-storefront.ts';

describe('GET /api/products', () => {
  it('returns all products in the order of the catalogue', async () => {
    const shop = await startStorefront();
    const list = await shop.ask('GET', '/api/products');
    expect(list.status).toBe(200);
    expect(list.text).toBe(JSON.stringify(defaults.products));
  });

  it('returns only the products that match the search, in the same shape', async () => {
    const shop = await startStorefront();
    const found = await shop.ask('GET', '/api/products?search=kettle');
    const kettle = defaults.products.find(({ id }) => id === getProductId('Cordless Electric Kettle'));
    expect(found.text).toBe(JSON.stringify([kettle]));
  });

  it('returns all products for a blank search term', async () => {
    const shop = await startStorefront();
    for (const query of ['search=', 'search', 'search=+', 'search=%20%09']) {
      expect((await shop.ask('GET', `/api/products?${query}`)).body, query).toEqual(defaults.products);
    }
  });

  it('returns an empty list if no product matches', async () => {
    const shop = await startStorefront();
    expect(await shop.ask('GET', '/api/products?search=qqqqqq')).toMatchObject({ status: 200, text: '[]' });
  });

  it('returns 400 for two search terms', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('GET', '/api/products?search=socks&search=socks')).status).toBe(400);
  });
});

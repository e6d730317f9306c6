import { describe, expect, it } from 'vitest';
import type { Order, Product } from '../../../src/shop/types.ts';
import { defaults, getProductId } from '../../support/fixtures/default-data.ts';
import { startStorefront, type TestShop } from '../../support/harness/start-storefront.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** Reads a list page by page: follows the links to the next pages. Returns the entries of each page. */
async function readPages(shop: TestShop, first: string): Promise<readonly (readonly (Product | Order)[])[]> {
  const pages = [];
  let target: string | undefined = first;
  while (target !== undefined) {
    const { body, headers } = await shop.ask('GET', target);
    pages.push(body);
    target = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  return pages;
}

describe('GET /api/products with limit', () => {
  it('returns the first products, the total, and a link to the next page', async () => {
    const shop = await startStorefront();
    const { body, headers } = await shop.ask('GET', '/api/products?limit=3');
    expect(body).toEqual(defaults.products.slice(0, 3));
    expect(headers.get('x-total-count')).toBe('40');
    expect(headers.get('link')).toBe(`</api/products?limit=3&after=${defaults.products[2]?.id}>; rel="next"`);
  });

  it.each(['', '&search=cotton', '&search=kitchen%20appliances'])(
    'reads the whole list by its links with "%s"',
    async (query) => {
      const shop = await startStorefront();
      const { body: all } = await shop.ask('GET', `/api/products?${query.slice(1)}`);
      const pages = await readPages(shop, `/api/products?limit=2${query}`);
      expect(pages.flat()).toEqual(all);
      expect(pages.slice(0, -1).map(({ length }) => length)).toEqual(pages.slice(1).map(() => 2));
    },
  );

  it.each(['ｓｈｏｅｓ　', 'shoes 👟👟 '])('reads the results of a long term by its links: %s', async (part) => {
    const shop = await startStorefront();
    const query = new URLSearchParams({ search: part.repeat(100) });
    const { body: all } = await shop.ask('GET', `/api/products?${query}`);
    expect(all.length).toBeGreaterThan(2);
    expect((await readPages(shop, `/api/products?limit=2&${query}`)).flat()).toEqual(all);
  });

  it('links to a page of the same sandbox', async () => {
    const shop = await startStorefront();
    const { headers } = await shop.ask('GET', '/_sandbox/w1/api/products?limit=1');
    expect(headers.get('link')).toMatch(/^<\/_sandbox\/w1\/api\/products\?limit=1&after=/);
  });
});

it('GET /api/products with after alone returns all products after one, without a link', async () => {
  const shop = await startStorefront();
  const { body, headers } = await shop.ask('GET', `/api/products?after=${defaults.products[37]?.id}`);
  expect(body).toEqual(defaults.products.slice(38));
  expect([headers.get('link'), headers.get('x-total-count')]).toEqual([null, '40']);
});

it('lists have no headers of pages without limit and after', async () => {
  const shop = await startStorefront();
  for (const path of ['/api/products', '/api/products?search=socks', '/api/orders', '/api/orders?expand=products']) {
    const { headers } = await shop.ask('GET', path);
    expect([headers.get('link'), headers.get('x-total-count')], path).toEqual([null, null]);
  }
});

it.each(['limit=0', 'limit=1001', 'limit=1.5', 'limit=x', 'limit=', 'after=1', 'after=', 'limit=1&limit=2'])(
  'GET /api/orders?%s is refused with 400',
  async (query) => {
    const shop = await startStorefront();
    expect(await shop.ask('GET', `/api/orders?${query}`)).toMatchObject({
      status: 400,
      body: { type: '/problems/invalid-request' },
    });
  },
);

it.each(['/api/orders', '/api/products', '/api/products?search=socks'])(
  '%s after an unknown id is refused with 404',
  async (path) => {
    const shop = await startStorefront();
    const ids = path.includes('search') ? [UNKNOWN, getProductId('Wide-Slot Toaster')] : [UNKNOWN];
    for (const id of ids) {
      const response = await shop.ask('GET', `${path}${path.includes('?') ? '&' : '?'}after=${id}`);
      expect(response).toMatchObject({ status: 404, body: { type: '/problems/unknown-cursor' } });
    }
  },
);

it('a new order does not change the pages after an order', async () => {
  const shop = await startStorefront();
  const [newest, oldest] = defaults.orders;
  await shop.ask('POST', '/api/orders');
  const { body, headers } = await shop.ask('GET', `/api/orders?limit=5&after=${newest?.id}&expand=products`);
  expect(body).toMatchObject([{ id: oldest?.id, products: [{ product: { id: oldest?.products[0]?.productId } }] }]);
  expect(headers.get('x-total-count')).toBe('3');
});

it('pages of other origins can read the headers of pages', async () => {
  const { url } = await startStorefront();
  const { headers } = await fetch(`${url}/api/products?limit=1`, { headers: { Origin: 'http://localhost:5173' } });
  expect(headers.get('access-control-expose-headers')).toContain('Link,X-Total-Count');
});

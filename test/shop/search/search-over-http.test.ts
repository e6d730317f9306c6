import { describe, expect, it } from 'vitest';
import { defaults } from '../../support/fixtures/default-data.ts';
import { sendRawRequest } from '../../support/harness/raw-client.ts';
import { startStorefront } from '../../support/harness/start-storefront.ts';

const { products } = defaults;

function findByName(prefix: string) {
  return products.filter(({ name }) => name.startsWith(prefix));
}

const KETTLE = findByName('Cordless Electric Kettle');
const SOCKS = findByName('Cushioned Merino');

describe('GET /api/products?search=', () => {
  it('decodes terms as browsers encode them', async () => {
    const shop = await startStorefront();
    const expected = [
      ['electric+kettle', KETTLE],
      ['electric%20kettle', KETTLE],
      ['kettle%20electric+', KETTLE],
      ['wool,hik', SOCKS],
      ['wool%2Chik', SOCKS],
      ['chef%27s', findByName("Chef's Knife")],
      ['MERINO', SOCKS],
    ] as const;
    for (const [query, found] of expected) {
      const reply = await shop.ask('GET', `/api/products?search=${query}`);
      expect(reply, query).toMatchObject({ status: 200, body: found });
      expect(reply.text, query).toBe(JSON.stringify(found));
    }
  });

  it('returns a list for a `%` that starts no valid escape', async () => {
    const shop = await startStorefront();
    for (const query of ['%', '100%', '%zz', '%c3', '%E0%A4%A', 'kettle%']) {
      const reply = await sendRawRequest(shop.port, `GET /api/products?search=${query}`);
      expect(reply.status, query).toBe(200);
      expect(Array.isArray(reply.body), query).toBe(true);
    }
  });

  it('searches for the words next to such a `%`', async () => {
    const shop = await startStorefront();
    expect((await sendRawRequest(shop.port, 'GET /api/products?search=kettle%')).body).toEqual(KETTLE);
  });

  it('returns a list for any term', async () => {
    const shop = await startStorefront();
    const terms = [
      '\0',
      'kettle\0',
      'x'.repeat(10_000),
      'kettle '.repeat(2000),
      '.*',
      '[',
      '(?:a+)+$',
      '\\',
      '^$',
      '🫖',
      '👩‍👩‍👧',
      '\ud800',
      '\u202e',
      "'; DROP TABLE products; --",
      '<script>',
      '../../etc/passwd',
      '"',
      '&',
      '=',
      '#',
    ];
    for (const term of terms) {
      const query = new URLSearchParams({ search: term });
      const reply = await shop.ask('GET', `/api/products?${query}`);
      expect(reply.status, term).toBe(200);
      expect(Array.isArray(reply.body), term).toBe(true);
    }
  });

  it('returns each product with the same properties as the list of all products', async () => {
    const shop = await startStorefront();
    const { body } = await shop.ask('GET', '/api/products?search=clothing');
    expect(body.length).toBeGreaterThan(3);
    expect(body).toHaveLength(products.filter(({ keywords }) => keywords.includes('clothing')).length);
    expect(products).toEqual(expect.arrayContaining(body));
  });
});

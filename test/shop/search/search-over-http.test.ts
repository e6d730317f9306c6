import { describe, expect, it } from 'vitest';
import { defaults } from '../../support/fixtures/default-data.ts';
import { sendRawRequest } from '../../support/harness/raw-client.ts';
import { startStorefront } from '../../support/harness/start-storefront.ts';

const { products } = defaults;

function named(...beginnings: readonly string[]) {
  return products.filter(({ name }) => beginnings.some((beginning) => name.startsWith(beginning)));
}

const KETTLE = named('Cordless Electric Kettle');
const SOCKS = named('Cushioned Merino');

describe('GET /api/products?search=', () => {
  it('reads the term as browsers write it', async () => {
    const shop = await startStorefront();
    const expected = [
      ['electric+kettle', KETTLE],
      ['electric%20kettle', KETTLE],
      ['kettle%20electric+', KETTLE],
      ['wool,hik', SOCKS],
      ['wool%2Chik', SOCKS],
      ['chef%27s', named("Chef's Knife")],
      ['MERINO', SOCKS],
    ] as const;
    for (const [query, found] of expected) {
      const reply = await shop.ask('GET', `/api/products?search=${query}`);
      expect(reply, query).toMatchObject({ status: 200, body: found });
      expect(reply.text, query).toBe(JSON.stringify(found));
    }
  });

  it('takes a `%` that starts no escape as it is written', async () => {
    const shop = await startStorefront();
    for (const query of ['%', '100%', '%zz', '%c3', '%E0%A4%A', 'kettle%']) {
      const reply = await sendRawRequest(shop.port, `GET /api/products?search=${query}`);
      expect(reply.status, query).toBe(200);
      expect(Array.isArray(reply.body), query).toBe(true);
    }
  });

  it('finds by the words beside a `%`', async () => {
    const shop = await startStorefront();
    expect((await sendRawRequest(shop.port, 'GET /api/products?search=kettle%')).body).toEqual(KETTLE);
  });

  it('answers any term with a list', async () => {
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

  it('gives each product found as the whole list has it', async () => {
    const shop = await startStorefront();
    const { body } = await shop.ask('GET', '/api/products?search=clothing');
    expect(body.length).toBeGreaterThan(3);
    expect(body).toEqual(products.filter(({ keywords }) => keywords.includes('clothing')));
  });
});

import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');

/** The deepest nesting that is allowed, and the deepest that a body of the maximum size can have. */
const DEEP = '['.repeat(99) + ']'.repeat(99);
const TOO_DEEP = '['.repeat(50_000) + ']'.repeat(50_000);

/** The maximum length of a readable response, in characters. The bodies here have nearly 100,000. */
const READABLE = 5_000;

/** Returns the JSON of a new cart item with an additional field, whose value is JSON. */
function itemWith(name: string, json: string): string {
  const item = { productId: `"${KETTLE}"`, quantity: '1', [name]: json };
  return `{${Object.entries(item).map(([key, value]) => `"${key}":${value}`)}}`;
}

const hugeValues = [
  ['a deeply nested value', 'quantity', DEEP, [[['…']]]],
  ['a deeply nested value in place of a string', 'productId', DEEP, [[['…']]]],
  ['a long string', 'quantity', `"${'x'.repeat(100_000)}"`, `${'x'.repeat(200)}…`],
  ['a long array', 'quantity', `[${'1,'.repeat(40_000)}1]`, Array(10).fill(1)],
  [
    'an object with many names',
    'quantity',
    `{${Array.from({ length: 8_000 }, (_, place) => `"n${place}":1`)}}`,
    Object.fromEntries(Array.from({ length: 10 }, (_, place) => [`n${place}`, 1])),
  ],
  ['a long name in an object', 'quantity', `{"${'x'.repeat(100_000)}":1}`, { [`${'x'.repeat(200)}…`]: 1 }],
] as const;

describe('a huge value', () => {
  it('is shortened in a violation', async () => {
    const shop = await startStorefront();
    for (const [what, name, json, value] of hugeValues) {
      const reply = await shop.ask('POST', '/api/cart-items', itemWith(name, json));
      expect.soft(reply.status, what).toBe(400);
      expect.soft(reply.body.violations, what).toMatchObject([{ pointer: `/${name}`, rule: 'type', value }]);
      expect.soft(reply.text.length, what).toBeLessThan(READABLE);
    }
  });

  it('is shortened in the violation of a whole body', async () => {
    const shop = await startStorefront();
    const reply = await shop.ask('POST', '/api/cart-items', DEEP);
    expect(reply).toMatchObject({ status: 400, body: { violations: [{ pointer: '', value: [[['…']]] }] } });
  });

  it('is shortened in a violation of the depth limit', async () => {
    const shop = await startStorefront();
    for (const [json, pointer] of [
      [TOO_DEEP, '/0'],
      [itemWith('quantity', TOO_DEEP), '/quantity'],
      [itemWith('colour', TOO_DEEP), '/colour'],
    ] as const) {
      const reply = await shop.ask('POST', '/api/cart-items', json);
      expect.soft(reply.status, pointer).toBe(400);
      expect.soft(reply.body.violations).toMatchObject([{ pointer, rule: 'depth', value: [[['…']]] }]);
      expect.soft(reply.text.length).toBeLessThan(READABLE);
    }
  });

  it('is ignored if its name is unknown', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('POST', '/api/cart-items', itemWith('colour', DEEP))).status).toBe(201);
  });

  it('is shortened in the violation of an unknown name in strict mode', async () => {
    const shop = await startStorefront({ strict: true });
    const reply = await shop.ask('POST', '/api/cart-items', itemWith('colour', DEEP));
    expect(reply).toMatchObject({ status: 400, body: { violations: [{ pointer: '/colour', value: [[['…']]] }] } });
  });

  it('is shortened in the problem of an unknown delivery option', async () => {
    const shop = await startStorefront();
    const path = `/api/cart-items/${defaults.cartItems[0]?.productId}`;
    const reply = await shop.ask('PUT', path, { deliveryOptionId: 'x'.repeat(100_000) });
    expect(reply.body.type).toBe('/problems/unknown-delivery-option');
    expect(reply.text.length).toBeLessThan(READABLE);
  });

  it('is shortened in the violation of a query parameter', async () => {
    const shop = await startStorefront();
    const reply = await shop.ask('GET', `/api/orders?limit=${'x'.repeat(10_000)}`);
    expect(reply.body.violations).toMatchObject([{ pointer: '/limit', value: `${'x'.repeat(200)}…` }]);
    expect(reply.text.length).toBeLessThan(READABLE);
  });
});

const LONG_NAME = `{"${'x'.repeat(100_000)}":1}`;
const MANY_NAMES = `{${Array.from({ length: 8_000 }, (_, place) => `"n${place}":1`)}}`;

describe('unknown names in a body', () => {
  it.each([false, true])('are listed in a detail of readable length, strict: %s', async (strict) => {
    const shop = await startStorefront({ strict });
    for (const json of [LONG_NAME, MANY_NAMES]) {
      const reply = await shop.ask('POST', '/api/cart-items', json);
      expect.soft(reply.status).toBe(400);
      expect.soft(reply.body.detail.length).toBeLessThan(READABLE);
    }
  });
});

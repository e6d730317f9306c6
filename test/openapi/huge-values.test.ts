import { describe, expect, it } from 'vitest';
import { defaults, productId } from '../support/fixtures/default-data.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const KETTLE = productId('Cordless Electric Kettle');

/** As deep as a body may be nested, and as deep as one of the largest size can be. */
const DEEP = '['.repeat(99) + ']'.repeat(99);
const TOO_DEEP = '['.repeat(50_000) + ']'.repeat(50_000);

/** The length below which an answer is fit to be read, in characters; the bodies here have nearly 100,000. */
const READABLE = 5_000;

/** A new cart item with a field that is written as text of JSON. */
function itemWith(name: string, json: string): string {
  const item = { productId: `"${KETTLE}"`, quantity: '1', [name]: json };
  return `{${Object.entries(item).map(([key, value]) => `"${key}":${value}`)}}`;
}

const hugeValues = [
  ['nested deep', 'quantity', DEEP, [[['…']]]],
  ['nested deep, where a text stands', 'productId', DEEP, [[['…']]]],
  ['a long text', 'quantity', `"${'x'.repeat(100_000)}"`, `${'x'.repeat(200)}…`],
  ['a long list', 'quantity', `[${'1,'.repeat(40_000)}1]`, Array(10).fill(1)],
  [
    'an object of many names',
    'quantity',
    `{${Array.from({ length: 8_000 }, (_, place) => `"n${place}":1`)}}`,
    Object.fromEntries(Array.from({ length: 10 }, (_, place) => [`n${place}`, 1])),
  ],
  ['a long name in an object', 'quantity', `{"${'x'.repeat(100_000)}":1}`, { [`${'x'.repeat(200)}…`]: 1 }],
] as const;

describe('a value that is huge', () => {
  it('is shown shortened where it is refused', async () => {
    const shop = await startStorefront();
    for (const [what, name, json, value] of hugeValues) {
      const reply = await shop.ask('POST', '/api/cart-items', itemWith(name, json));
      expect.soft(reply.status, what).toBe(400);
      expect.soft(reply.body.violations, what).toMatchObject([{ pointer: `/${name}`, rule: 'type', value }]);
      expect.soft(reply.text.length, what).toBeLessThan(READABLE);
    }
  });

  it('is shown shortened where the whole body is it', async () => {
    const shop = await startStorefront();
    const reply = await shop.ask('POST', '/api/cart-items', DEEP);
    expect(reply).toMatchObject({ status: 400, body: { violations: [{ pointer: '', value: [[['…']]] }] } });
  });

  it('is shown shortened where it is nested too deep', async () => {
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

  it('is ignored where its name is not known', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('POST', '/api/cart-items', itemWith('colour', DEEP))).status).toBe(201);
  });

  it('is shown shortened where its name is refused under strict', async () => {
    const shop = await startStorefront({ strict: true });
    const reply = await shop.ask('POST', '/api/cart-items', itemWith('colour', DEEP));
    expect(reply).toMatchObject({ status: 400, body: { violations: [{ pointer: '/colour', value: [[['…']]] }] } });
  });

  it('is shown shortened where it is the id of a delivery option that there is not', async () => {
    const shop = await startStorefront();
    const path = `/api/cart-items/${defaults.cartItems[0]?.productId}`;
    const reply = await shop.ask('PUT', path, { deliveryOptionId: 'x'.repeat(100_000) });
    expect(reply.body.type).toBe('/problems/unknown-delivery-option');
    expect(reply.text.length).toBeLessThan(READABLE);
  });

  it('is shown shortened where it is a query parameter', async () => {
    const shop = await startStorefront();
    const reply = await shop.ask('GET', `/api/orders?expand=${'x'.repeat(10_000)}`);
    expect(reply.body.violations).toMatchObject([{ pointer: '/expand', value: `${'x'.repeat(200)}…` }]);
    expect(reply.text.length).toBeLessThan(READABLE);
  });
});

const LONG_NAME = `{"${'x'.repeat(100_000)}":1}`;
const MANY_NAMES = `{${Array.from({ length: 8_000 }, (_, place) => `"n${place}":1`)}}`;

describe('what is not known in a body', () => {
  it.each([false, true])('is told of in a detail that can be read, strict: %s', async (strict) => {
    const shop = await startStorefront({ strict });
    for (const json of [LONG_NAME, MANY_NAMES]) {
      const reply = await shop.ask('POST', '/api/cart-items', json);
      expect.soft(reply.status).toBe(400);
      expect.soft(reply.body.detail.length).toBeLessThan(READABLE);
    }
  });
});

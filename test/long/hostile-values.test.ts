import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { expectNoServerError, expectProblem } from '../support/harness/problems.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];

/** Invalid ids for a URL: each can break a program that decodes, compares or looks them up. */
const TARGET_TEXTS = [
  '%00',
  `${KETTLE}%00`,
  `${KETTLE}%0A`,
  `urn:uuid:${KETTLE}`,
  `%7B${KETTLE}%7D`,
  '%2F',
  '..%2F..%2F..%2Fetc%2Fpasswd',
  '%2e%2e',
  '..%5c..',
  '%E0%A4%A',
  '%',
  '%zz',
  '%ff%fe',
  '%ed%a0%80',
  '%F0%9F%98%80',
  '%u0041',
  '%25%30%30',
  '9'.repeat(400),
  '1e400',
  '-0',
  '-1',
  'NaN',
  'null',
  'undefined',
  '%5Bobject%20Object%5D',
  '{productId}',
  '*',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '%27%3B%20DROP%20TABLE%20orders%3B--',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '$ne',
  'x'.repeat(30_000),
];

const DEEP = 20_000;
/** JSON values that are invalid for every property. */
const JSON_TEXTS = [
  'null',
  'true',
  '[]',
  '{}',
  '[1]',
  '-0',
  '-1',
  '0',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '9'.repeat(400),
  '"1"',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"__proto__"',
  '"constructor"',
  '"../../etc/passwd"',
  '{"__proto__":{"quantity":1}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  `"${'x'.repeat(100_000)}"`,
  `"${'\\ud83d\\ude00'.repeat(8_000)}"`,
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP / 2)}1${'}'.repeat(DEEP / 2)}`,
  `[${'{},'.repeat(30_000)}{}]`,
];

async function expectUnharmed({ ask }: TestShop, about: string): Promise<void> {
  expect(await ask('GET', '/api/cart-items'), about).toMatchObject({ status: 200, body: defaults.cartItems });
}

const MODES = [{ strict: false }, { strict: true }];

describe.each(MODES)('a hostile value, with strict: $strict,', (mode) => {
  it('in a path is rejected and changes nothing', async () => {
    const shop = await startStorefront(mode);
    for (const text of TARGET_TEXTS) {
      for (const start of ['DELETE /api/cart-items/', 'PUT /api/cart-items/', 'GET /api/orders/']) {
        const reply = await sendRawRequest(shop.port, start + text);
        const about = (start + text).slice(0, 100);
        expectNoServerError(reply, about);
        expect([400, 404], about).toContain(reply.status);
      }
      await expectUnharmed(shop, text.slice(0, 100));
    }
  });

  it('in a query is searched for or rejected and changes nothing', async () => {
    const shop = await startStorefront(mode);
    for (const text of TARGET_TEXTS) {
      for (const path of [
        'products?search=',
        'products?',
        'cart-items?expand=',
        'orders?expand=',
        'payment-summary?',
      ]) {
        const about = (path + text).slice(0, 100);
        const reply = await sendRawRequest(shop.port, `GET /api/${path}${text}`);
        expectNoServerError(reply, about);
        expect(reply.status, about).toBe(path.endsWith('search=') || !mode.strict ? 200 : 400);
      }
      await expectUnharmed(shop, text.slice(0, 100));
    }
  });

  it('as a whole body is rejected and changes nothing', async () => {
    const shop = await startStorefront(mode);
    for (const text of JSON_TEXTS)
      expectProblem(await shop.ask('POST', '/api/cart-items', text), 400, 'invalid-request', text.slice(0, 100));
    await expectUnharmed(shop, 'in the end');
  });

  it('as a property of a body is rejected and changes nothing', async () => {
    const shop = await startStorefront(mode);
    for (const text of JSON_TEXTS) {
      for (const [method, path, body] of [
        ['POST', '/api/cart-items', `{"productId":${text},"quantity":1}`],
        ['POST', '/api/cart-items', `{"productId":"${KETTLE}","quantity":${text}}`],
        ['PUT', `/api/cart-items/${IN_CART}`, `{"quantity":${text}}`],
      ] as const)
        expectProblem(await shop.ask(method, path, body), 400, 'invalid-request', body.slice(0, 100));
    }
    await expectUnharmed(shop, 'in the end');
  });

  it('as a delivery option is rejected or unknown and changes nothing', async () => {
    const shop = await startStorefront(mode);
    for (const text of JSON_TEXTS.filter((text) => text !== '"1"')) {
      const reply = await shop.ask('PUT', `/api/cart-items/${IN_CART}`, `{"quantity":9,"deliveryOptionId":${text}}`);
      expectNoServerError(reply, text.slice(0, 100));
      expect([400, 404], text.slice(0, 100)).toContain(reply.status);
    }
    await expectUnharmed(shop, 'in the end');
  });

  it('of an unknown property is ignored, or rejected in strict mode', async () => {
    const shop = await startStorefront(mode);
    const tooDeep = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;
    for (const text of ['null', '{"quantity":9}', '"\\ud800"', tooDeep]) {
      for (const name of ['x', '__proto__', 'constructor', 'hasOwnProperty', '\\u0000', '\\ud800', '']) {
        const body = `{"${name}":${text},"productId":"${KETTLE}","quantity":1}`;
        const reply = await shop.ask('POST', '/api/cart-items', body);
        const about = body.slice(0, 100);
        if (mode.strict || text === tooDeep) expectProblem(reply, 400, 'invalid-request', about);
        else expect(reply, about).toMatchObject({ status: 201, body: { productId: KETTLE } });
      }
    }
  });

  it('of a repeated property replaces the values before it', async () => {
    const { ask } = await startStorefront(mode);
    const body = `{"quantity":99,"productId":"${KETTLE}","quantity":2}`;
    expect(await ask('POST', '/api/cart-items', body)).toMatchObject({ status: 201, body: { quantity: 2 } });
  });
});

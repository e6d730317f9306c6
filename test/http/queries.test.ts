import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const [ORDERED] = defaults.orders.map((order) => order.id) as [string];
const SOCKS = defaults.products.filter(({ name }) => /merino wool hiking socks/i.test(name));

/** Names of object properties that a program may confuse with its own properties. */
const HOSTILE = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', '__defineGetter__', 'prototype', 'length'];

/** Returns the notes of the last request in the log. */
function lastNotes({ log }: TestShop): readonly string[] {
  return (log.at(-1)?.notes ?? []) as readonly string[];
}

describe('a search term', () => {
  it('is decoded as browsers and users encode it', async () => {
    const { port } = await startStorefront();
    expect(SOCKS).toHaveLength(1);
    for (const query of [
      'search=merino%20wool%20hiking%20socks',
      'search=merino+wool+hiking+socks',
      'search=%6Derino%20wool+hiking+socks',
      's%65arch=merino+wool+hiking+socks',
      'search=wool,hik',
      'search=wool%2Chik',
      '&&search=merino+wool+hik&',
    ])
      expect((await sendRawRequest(port, `GET /api/products?${query}`)).body, query).toEqual(SOCKS);
  });

  it('may contain a % that starts no escape', async () => {
    const [tee, ...rest] = defaults.products.map((product, n) =>
      n ? product : { ...product, name: 'Tee, 90% Cotton' },
    );
    const folder = await folderWith({ 'data.json': JSON.stringify({ ...defaults, products: [tee, ...rest] }) });
    const { port } = await startStorefront({ data: join(folder, 'data.json') });
    for (const query of ['search=0%25%20cot', 'search=0%+cot', 'search=0%%20cot'])
      expect(await sendRawRequest(port, `GET /api/products?${query}`), query).toMatchObject({
        status: 200,
        body: [tee],
      });
    for (const query of ['search=qq%', 'search=%qq', 'search=qq%E0%A4%A', 'search=%u0041%zz'])
      expect(await sendRawRequest(port, `GET /api/products?${query}`), query).toMatchObject({ status: 200, body: [] });
  });

  it('may contain a second ?', async () => {
    const { port } = await startStorefront();
    const reply = await sendRawRequest(port, 'GET /api/products?search=qq?search=socks');
    expect(reply).toMatchObject({ status: 200, body: [] });
  });

  it('ends at the next &, which starts another parameter', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('GET', '/api/products?search=&expand=x')).body).toEqual(defaults.products);
  });
});

describe('a repeated parameter', () => {
  it('is rejected', async () => {
    const { ask } = await startStorefront();
    for (const [target, name] of [
      ['products?search=socks&search=socks', 'search'],
      ['products?search=socks&s%65arch=towels', 'search'],
      ['cart-items?expand=product&expand=product', 'expand'],
      ['delivery-options?expand=estimatedDeliveryTime&expand=', 'expand'],
      ['orders?expand=products&expand=products', 'expand'],
      [`orders/${ORDERED}?expand=products&expand=products&expand=products`, 'expand'],
    ]) {
      const reply = await ask('GET', `/api/${target}`);
      expectProblem(reply, 400, 'invalid-request', target);
      expect(reply.body.violations).toMatchObject([{ in: 'query', pointer: `/${name}`, remedy: 'send it once' }]);
    }
  });
});

const EXPANDS = { 'cart-items': 'product', orders: 'products', 'delivery-options': 'estimatedDeliveryTime' };

/** Returns unknown values of `expand` that front ends send, and others that resemble `value`. */
function createUnknownExpands(value: string): readonly string[] {
  return ['', ' ', `${value}s`, `${value},deliveryOption`, value.toUpperCase(), '__proto__', '[]', 'true'];
}

describe('An unknown value of expand', () => {
  it('has no effect', async () => {
    const { ask } = await startStorefront();
    for (const [path, value] of Object.entries(EXPANDS)) {
      const plain = await ask('GET', `/api/${path}`);
      for (const unknown of createUnknownExpands(value)) {
        const reply = await ask('GET', `/api/${path}?expand=${unknown}`);
        expect([reply.status, reply.text], `${path} ${unknown}`).toEqual([200, plain.text]);
      }
    }
    const order = await ask('GET', `/api/orders/${ORDERED}?expand=product`);
    expect(order).toMatchObject({ status: 200, body: defaults.orders.find(({ id }) => id === ORDERED) });
  });

  it.each([
    ['cart-items?expand=products', 'query parameter expand is "products" and was ignored: did you mean "product"?'],
    ['cart-items?expand=', 'query parameter expand is "" and was ignored: use "product"'],
    ['orders?expand=all', 'query parameter expand is "all" and was ignored: use "products"'],
    [
      'delivery-options?expand=estimatedDeliveryTimeMs',
      'query parameter expand is "estimatedDeliveryTimeMs" and was ignored: did you mean "estimatedDeliveryTime"?',
    ],
  ])('is in the log and in the journal with a suggestion: %s', async (target, note) => {
    const shop = await startStorefront();
    await shop.ask('GET', `/api/${target}`);
    expect(lastNotes(shop)).toEqual([note]);
    const [entry] = (await shop.ask('GET', '/_control/sandboxes/default/requests')).body;
    expect(entry.notes).toEqual([note]);
  });

  it('is rejected in strict mode', async () => {
    const { ask } = await startStorefront({ strict: true });
    for (const [path, value] of Object.entries(EXPANDS)) {
      for (const unknown of createUnknownExpands(value)) {
        const reply = await ask('GET', `/api/${path}?expand=${unknown}`);
        expectProblem(reply, 400, 'invalid-request', `${path} ${unknown}`);
        expect(reply.body.violations).toMatchObject([
          { in: 'query', pointer: '/expand', rule: 'enum', value: unknown.trim(), remedy: `use "${value}"` },
        ]);
      }
      expect((await ask('GET', `/api/${path}?expand=${value}`)).status).toBe(200);
    }
  });
});

describe('an unknown parameter', () => {
  it('is ignored', async () => {
    const { ask } = await startStorefront();
    for (const name of ['page', 'Search', 'search[]', ...HOSTILE])
      expect(await ask('GET', `/api/products?${name}=1&${name}=2`), name).toMatchObject({
        status: 200,
        body: defaults.products,
      });
  });

  it('is logged with a suggestion', async () => {
    const shop = await startStorefront();
    await shop.ask('GET', '/api/products?serch=socks&colour=red');
    expect(lastNotes(shop)).toEqual([
      expect.stringMatching(/\bserch\b.*did you mean "search"\?/),
      expect.stringMatching(/\bcolour\b.*remove it/),
    ]);
  });

  it('is logged each time', async () => {
    const shop = await startStorefront();
    await shop.ask('GET', '/api/products?serch=socks');
    const notes = lastNotes(shop);
    await shop.ask('GET', '/api/products?serch=socks');
    expect(lastNotes(shop)).toEqual(notes);
  });

  it('is rejected by a strict server with a suggestion', async () => {
    const { ask } = await startStorefront({ strict: true });
    for (const [path, name, meant] of [
      ['/api/products', 'serch', 'did you mean "search"?'],
      ['/api/orders', 'expnd', 'did you mean "expand"?'],
      ['/api/payment-summary', 'expand', 'remove it'],
    ]) {
      const reply = await ask('GET', `${path}?${name}=1`);
      expectProblem(reply, 400, 'invalid-request', path);
      expect(reply.body.violations).toMatchObject([{ in: 'query', pointer: `/${name}`, remedy: meant }]);
    }
  });

  it('is rejected by a strict server for any hostile name', async () => {
    const { ask } = await startStorefront({ strict: true });
    for (const name of HOSTILE) {
      const reply = await ask('GET', `/api/products?${name}=1`);
      expectProblem(reply, 400, 'invalid-request', name);
      expect(reply.body.violations, name).toMatchObject([{ in: 'query', pointer: `/${name}`, value: '1' }]);
    }
  });
});

describe('an unknown property', () => {
  const body = { quantity: 3, quantty: 4 };
  const path = `/api/cart-items/${defaults.cartItems[0]?.productId}`;

  it('is ignored and logged with a suggestion', async () => {
    const shop = await startStorefront();
    expect(await shop.ask('PUT', path, body)).toMatchObject({ status: 200, body: { quantity: 3 } });
    expect(lastNotes(shop)).toEqual([expect.stringMatching(/\bquantty\b.*did you mean "quantity"\?/)]);
  });

  it('is rejected by a strict server', async () => {
    const { ask } = await startStorefront({ strict: true });
    const reply = await ask('PUT', path, body);
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.body.violations).toMatchObject([
      { in: 'body', pointer: '/quantty', remedy: 'did you mean "quantity"?' },
    ]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults, getProductId, projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');

/** Returns the notes in the log. */
function getNotes(shop: TestShop): unknown {
  return shop.log.flatMap(({ notes }) => notes ?? []);
}

/** Returns the JSON of a new cart item with further properties. */
function itemWith(more: string): string {
  return `{"productId":"${KETTLE}","quantity":1,${more}}`;
}

const bodyNames: readonly (readonly [json: string, name: string, remedy: string])[] = [
  ['"quantitty":2', 'quantitty', 'did you mean "quantity"?'],
  ['"ProductID":"x"', 'ProductID', 'did you mean "productId"?'],
  ['"colour":"red"', 'colour', 'remove it'],
  ['"__proto__":{"quantity":5}', '__proto__', 'remove it'],
  ['"constructor":{"prototype":{"quantity":5}}', 'constructor', 'remove it'],
  ['"toString":1', 'toString', 'remove it'],
];

const queryNames: readonly (readonly [query: string, name: string, remedy: string])[] = [
  ['expnad=product', 'expnad', 'did you mean "expand"?'],
  ['page=2', 'page', 'remove it'],
  ['__proto__=2', '__proto__', 'remove it'],
  ['constructor=2', 'constructor', 'remove it'],
  ['hasOwnProperty=2&hasOwnProperty=3', 'hasOwnProperty', 'remove it'],
];

describe('a name that is not in the contract', () => {
  it('is ignored in a body, with a note in the log', async () => {
    const shop = await startStorefront();
    for (const [json] of bodyNames) {
      const reply = await shop.ask('POST', '/api/cart-items', itemWith(json));
      expect(Object.keys(reply.body), json).toEqual(['id', 'productId', 'quantity', 'deliveryOptionId']);
      expect(reply.status, json).toBe(201);
    }
    expect((await shop.ask('GET', '/api/cart-items')).body.at(-1).quantity).toBe(bodyNames.length);
    expect(getNotes(shop)).toEqual(
      bodyNames.map(([, name, remedy]) => `${name} is unknown and was ignored: ${remedy}`),
    );
  });

  it('is refused in a body in strict mode', async () => {
    const shop = await startStorefront({ strict: true });
    for (const [json, name, remedy] of bodyNames) {
      const { body } = await shop.ask('POST', '/api/cart-items', itemWith(json));
      expect(body, json).toMatchObject({
        status: 400,
        detail: `${name} is unknown: ${remedy}`,
        violations: [{ in: 'body', pointer: `/${name}`, rule: 'additionalProperties', remedy }],
      });
    }
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('is ignored in a query, with a note in the log', async () => {
    const shop = await startStorefront();
    for (const [query] of queryNames) {
      expect((await shop.ask('GET', `/api/cart-items?${query}`)).body, query).toEqual(defaults.cartItems);
    }
    expect(getNotes(shop)).toEqual(
      queryNames.map(([, name, remedy]) => `query parameter ${name} is unknown and was ignored: ${remedy}`),
    );
  });

  it('is refused in a query in strict mode', async () => {
    const shop = await startStorefront({ strict: true });
    for (const [query, name, remedy] of queryNames) {
      const { body } = await shop.ask('GET', `/api/cart-items?${query}`);
      expect(body, query).toMatchObject({
        status: 400,
        detail: `query parameter ${name} is unknown: ${remedy}`,
        violations: [{ in: 'query', pointer: `/${name}`, rule: 'additionalProperties', remedy }],
      });
    }
  });

  it('is listed after the violations of a request', async () => {
    const shop = await startStorefront();
    const { body } = await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantitty: 1 });
    expect(body.detail).toBe(
      'quantity is missing: add an integer from 1 to 10; quantitty is unknown and was ignored: did you mean "quantity"?',
    );
  });

  it('is not called ignored if the schema forbids it', async () => {
    const text = readFileSync(projectFile('openapi.yaml'), 'utf8').replace(
      /(\n {4}NewCartItem:\n.*\n {6}type: object\n)/,
      '$1      additionalProperties: false\n',
    );
    const folder = await folderWith({ 'closed.yaml': text });
    const shop = await startStorefront({ contract: join(folder, 'closed.yaml') });
    const { body } = await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1, x: 1 });
    expect(body.detail).toBe('x is unknown: remove it');
  });

  it('is escaped in the JSON Pointer of its violation', async () => {
    const shop = await startStorefront({ strict: true });
    const { body } = await shop.ask('POST', '/api/cart-items', itemWith('"a/b~c":1'));
    expect(body).toMatchObject({
      violations: [{ pointer: '/a~1b~0c' }],
      detail: 'a/b~c is unknown: remove it',
    });
  });

  it('such as __proto__ is an ordinary string as a value', async () => {
    const shop = await startStorefront();
    const [item] = defaults.cartItems;
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const changed = await shop.ask('PUT', `/api/cart-items/${item?.productId}`, { deliveryOptionId: name });
      expect(changed.body.type, name).toBe('/problems/unknown-delivery-option');
      expect((await shop.ask('DELETE', `/api/cart-items/${name}`)).status, name).toBe(400);
      const found = (await shop.ask('GET', `/api/products?search=${name}`)).body;
      expect(
        found.every((product: object) => Object.hasOwn(product, 'keywords')),
        name,
      ).toBe(true);
    }
  });
});

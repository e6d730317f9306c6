import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../src/contract/operation.ts';
import { mocked } from '../../src/operations/handler.ts';
import {
  type DocumentedOperation,
  documentedOperation,
  documentedOperations,
  onlyContent,
} from '../support/contract-document.ts';
import { defaults, productId } from '../support/default-data.ts';
import { startStorefront } from '../support/start-storefront.ts';

const everything = Object.fromEntries(documentedOperations.map(({ operationId }) => [operationId, mocked])) as Readonly<
  Record<OperationId, typeof mocked>
>;

const KETTLE = productId('Cordless Electric Kettle');

/** A request that keeps the contract. */
function goodRequest({ path, method, parameters = [], requestBody }: DocumentedOperation) {
  const url = path.replaceAll(/\{(.*?)\}/g, (_, name) => String(parameters.find((one) => one.name === name)?.example));
  const [body] = Object.values(onlyContent(requestBody)?.examples ?? {});
  return [method.toUpperCase(), url, body?.value] as const;
}

/** The status of an operation's success and the first of its examples. */
function firstExample({ responses }: DocumentedOperation) {
  const [status, response] = Object.entries(responses).find(([name]) => name.startsWith('2')) ?? [];
  const [example] = Object.values(onlyContent(response)?.examples ?? {});
  return { status: Number(status), body: example?.value };
}

describe('an operation that is mocked', () => {
  it("answers the contract's first example with the contract's status, whichever operation it is", async () => {
    const shop = await startStorefront({ handlers: everything });
    for (const operation of documentedOperations) {
      const { status, body } = await shop.ask(...goodRequest(operation));
      expect({ status, body }, operation.operationId).toEqual(firstExample(operation));
    }
  });

  it('answers the example of a documented header', async () => {
    const shop = await startStorefront({ handlers: { createOrder: mocked } });
    const { headers } = await shop.ask('POST', '/api/orders');
    const example = documentedOperation('createOrder').responses['201']?.headers?.Location?.example;
    expect([typeof example, headers.get('location')]).toEqual(['string', example]);
  });

  it('changes nothing', async () => {
    const shop = await startStorefront({
      handlers: { addCartItem: mocked, createOrder: mocked, removeCartItem: mocked },
    });
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    await shop.ask('POST', '/api/orders');
    await shop.ask('DELETE', `/api/cart-items/${defaults.cartItems[0]?.productId}`);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
  });

  it('still refuses what breaks the contract', async () => {
    const shop = await startStorefront({ handlers: { addCartItem: mocked } });
    expect((await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 11 })).status).toBe(400);
  });

  it('leaves the other operations to the shop', async () => {
    const shop = await startStorefront({ handlers: { listOrders: mocked } });
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    expect((await shop.ask('GET', '/api/payment-summary')).body).toMatchObject({ totalItems: 4 });
  });
});

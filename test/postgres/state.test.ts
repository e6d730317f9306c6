import { describe, expect, it } from 'vitest';
import { createDatabaseOptions, startServers } from '../support/postgres/servers.ts';

describe('two servers with one database', () => {
  it('show a change through one server at once through the other', async () => {
    const [one, other] = await startServers(2);
    const { body: items } = await one.ask('GET', '/api/cart-items');
    const path = `/api/cart-items/${items[0].productId}`;
    for (let number = 0; number < 40; number++) {
      const quantity = 1 + (number % 10);
      const [writer, reader] = number % 2 === 0 ? [one, other] : [other, one];
      expect((await writer.ask('PUT', path, { quantity, deliveryOptionId: '1' })).status).toBe(200);
      expect((await reader.ask('GET', '/api/cart-items')).body[0].quantity).toBe(quantity);
    }
  });

  it('have the same revision of the state', async () => {
    const [one, other] = await startServers(2);
    expect((await other.sendControl('GET', '/default')).body.revision).toBe(0);
    await one.ask('POST', '/api/orders');
    expect((await other.sendControl('GET', '/default')).body.revision).toBe(1);
    await other.ask('DELETE', `/api/cart-items/${crypto.randomUUID()}`);
    expect((await one.sendControl('GET', '/default')).body.revision).toBe(1);
  });

  it('apply all changes of 50 concurrent clients, none of them twice', async () => {
    const servers = await startServers(2);
    const [{ id: productId }] = (await servers[0].ask('GET', '/api/products')).body;
    const add = (index: number) => servers[index % 2]?.ask('POST', '/api/cart-items', { productId, quantity: 1 });
    await servers[0].sendControl('POST', '/default/snapshots/empty-cart/restore');
    const responses = await Promise.all(Array.from({ length: 50 }, (_, index) => add(index)));
    const accepted = responses.filter((response) => response?.status === 201).length;
    const refused = responses.filter((response) => response?.status === 409).length;
    for (const { ask } of servers) {
      const { body } = await ask('GET', '/api/cart-items');
      expect(body).toEqual([expect.objectContaining({ productId, quantity: accepted })]);
    }
    expect(accepted + refused).toBe(50);
  });

  it('create one order for each cart if 50 clients order at once', async () => {
    const servers = await startServers(2);
    await servers[0].sendControl('POST', '/default/snapshots/empty-cart/restore');
    const before = (await servers[0].ask('GET', '/api/orders')).body.length;
    const [{ id: productId }] = (await servers[0].ask('GET', '/api/products')).body;
    const orders: string[] = [];
    for (let round = 0; round < 5; round++) {
      await servers[round % 2]?.ask('POST', '/api/cart-items', { productId, quantity: 1 + round });
      const sends = Array.from({ length: 50 }, (_, index) => servers[index % 2]?.ask('POST', '/api/orders'));
      const responses = await Promise.all(sends);
      const created = responses.filter((response) => response?.status === 201);
      expect(responses.filter((response) => response?.status === 409)).toHaveLength(49);
      expect(created).toHaveLength(1);
      orders.unshift(created[0]?.body.id);
    }
    for (const { ask } of servers) {
      const { body } = await ask('GET', '/api/orders');
      expect(body.map(({ id }: { id: string }) => id).slice(0, orders.length)).toEqual(orders);
      expect(body).toHaveLength(before + orders.length);
      expect((await ask('GET', '/api/cart-items')).body).toEqual([]);
    }
  });

  it('reset the state, and replace and patch it, for both', async () => {
    const [one, other] = await startServers(2);
    const defaults = (await one.sendControl('GET', '/default/state')).body;
    await one.ask('POST', '/api/orders');
    await other.ask('POST', '/api/reset');
    expect((await one.sendControl('GET', '/default/state')).body).toEqual(defaults);
    const product = { ...defaults.products[0], id: crypto.randomUUID(), name: 'A new product' };
    expect(
      (await one.sendControl('PUT', '/default/state', { products: [product], cartItems: [], orders: [] })).status,
    ).toBe(204);
    expect((await other.ask('GET', '/api/products')).body).toEqual([expect.objectContaining({ name: product.name })]);
    expect((await other.ask('GET', '/api/products?search=new')).body).toHaveLength(1);
    const patch = [{ op: 'replace', path: '/products/0/priceCents', value: 7 }];
    expect((await other.sendControl('PATCH', '/default/state', patch)).status).toBe(204);
    expect((await one.ask('GET', '/api/products')).body[0].priceCents).toBe(7);
    expect((await one.sendControl('POST', '/default/reset')).status).toBe(204);
    expect((await other.sendControl('GET', '/default/state')).body).toEqual(defaults);
  });
});

it('a server that starts later has the state of the first one', async () => {
  const options = createDatabaseOptions();
  const [one, other] = await startServers(2, options);
  await one.ask('POST', '/api/orders');
  const [third] = await startServers(2, options);
  expect((await third.ask('GET', '/api/orders')).body).toEqual((await other.ask('GET', '/api/orders')).body);
});

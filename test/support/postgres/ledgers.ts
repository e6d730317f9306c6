import { expect } from 'vitest';
import type { Order } from '../../../src/shop/types.ts';
import { defaults } from '../fixtures/default-data.ts';
import { createFetchClient, type TestResponse } from '../harness/start-storefront.ts';
import type { LoadClient } from './load.ts';

const PRODUCTS = defaults.products.map(({ id }) => id);

/** Sends a request that changes the data. Resolves to the response, or to undefined if the client can't know whether a server has handled the request. */
type Send = (client: LoadClient, method: string, path: string, body?: unknown) => Promise<TestResponse | undefined>;

const sendOnce: Send = (client, ...request) => client.send(...request);
const sendUntilHandled: Send = (client, ...request) => client.sendUntilHandled(...request);

/**
 * The expected cart and orders of a sandbox that several clients change. Clients record here which changes a server has acknowledged, and which changes may
 * have been made.
 */
export class SharedLedger {
  readonly #send: Send;
  /** For each product: the quantity that servers have acknowledged, and the quantities of requests without a response. Each client adds a different product. */
  readonly #added = new Map(PRODUCTS.map((id) => [id, { certain: getInitialQuantity(id), possible: [] as number[] }]));
  readonly #orders: Order[] = [];
  #possibleOrders = 0;

  constructor({ repeats }: { readonly repeats: boolean }) {
    this.#send = repeats ? sendUntilHandled : sendOnce;
  }

  /** Sends one random request: adds a product, places an order, or reads the orders. */
  readonly takeStep = async (client: LoadClient): Promise<void> => {
    const chance = client.random.next();
    if (chance < 0.7) await this.#add(client);
    else if (chance < 0.9) await this.#order(client);
    else await this.#read(client);
  };

  /** Expects that a server has each acknowledged change exactly once, and no change that no client has sent. */
  async expectKept(url: string, sandbox: string): Promise<void> {
    const { orders, quantities } = await readSandbox(url, sandbox);
    const ids = orders.map(({ id }) => id);
    expect(new Set(ids).size, sandbox).toBe(ids.length);
    expect(orders, sandbox).toEqual(expect.arrayContaining(this.#orders));
    expect(ids.length, sandbox).toBeGreaterThanOrEqual(this.#orders.length);
    expect(ids.length, sandbox).toBeLessThanOrEqual(this.#orders.length + this.#possibleOrders);
    for (const [id, { certain, possible }] of this.#added)
      expect(listSums(certain, possible), `${sandbox}: ${id}`).toContain(quantities.get(id) ?? 0);
  }

  async #add(client: LoadClient): Promise<void> {
    const [productId, added] = [...this.#added][client.number] as [string, { certain: number; possible: number[] }];
    const quantity = client.random.integer(1, 10);
    const response = await this.#send(client, 'POST', '/api/cart-items', { productId, quantity });
    if (response) client.record(response, [201]);
    if (response?.status === 201) added.certain += quantity;
    else if (!response) added.possible.push(quantity);
  }

  async #order(client: LoadClient): Promise<void> {
    const response = await this.#send(client, 'POST', '/api/orders');
    // 409: the cart is empty, because another client has placed an order.
    if (response) client.record(response, [201, 409]);
    if (response?.status === 201) this.#orders.push(response.body);
    else if (!response) this.#possibleOrders++;
  }

  /** Reads the orders. Expects all orders that a server had acknowledged before. */
  async #read(client: LoadClient): Promise<void> {
    const acknowledged = this.#orders.map(({ id }) => id);
    const { body } = await client.sendUntilHandled('GET', '/api/orders');
    const found = new Set(body.map(({ id }: Order) => id));
    client.compare(
      'missing orders',
      acknowledged.filter((id) => !found.has(id)),
      [],
    );
  }
}

/** Returns all possible sums of `first` and any of the other numbers. */
function listSums(first: number, others: readonly number[]): readonly number[] {
  return others.reduce<readonly number[]>(
    (sums, one) => [...new Set(sums.flatMap((sum) => [sum, sum + one]))],
    [first],
  );
}

function getInitialQuantity(productId: string): number {
  return defaults.cartItems.find((item) => item.productId === productId)?.quantity ?? 0;
}

/** Returns the orders that clients have placed in a sandbox, and the total quantity of each product in the cart and in these orders. */
async function readSandbox(url: string, sandbox: string) {
  const ask = createFetchClient(url);
  const headers = { 'X-Sandbox': sandbox };
  const { cartItems, orders: all } = (await ask('GET', `/_control/sandboxes/${sandbox}/state`, undefined, headers))
    .body;
  const known = new Set(defaults.orders.map(({ id }) => id));
  const orders: Order[] = all.filter(({ id }: Order) => !known.has(id));
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of [...cartItems, ...orders.flatMap(({ products }) => products)])
    quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  return { orders, quantities };
}

/** The expected state of a sandbox that only one client changes. The client can also reset the sandbox. */
export class OwnLedger {
  #cart = new Map(defaults.cartItems.map(({ productId, quantity }) => [productId, quantity]));
  #orders: readonly string[] = defaults.orders.map(({ id }) => id);

  /** Sends one random change. Then reads the cart and the orders, and expects them to contain the change. */
  readonly takeStep = async (client: LoadClient): Promise<void> => {
    const chance = client.random.next();
    if (chance < 0.5) await this.#put(client);
    else if (chance < 0.7) await this.#remove(client);
    else if (chance < 0.9) await this.#order(client);
    else await this.#reset(client);
    const [cart, orders] = [
      await client.sendUntilHandled('GET', '/api/cart-items'),
      await client.sendUntilHandled('GET', '/api/orders'),
    ];
    client.compare('the cart', toCart(cart.body), [...this.#cart]);
    client.compare(
      'the orders',
      orders.body.map(({ id }: Order) => id),
      this.#orders,
    );
  };

  /** Expects the cart and the orders of the sandbox on a server to equal the expected state. */
  async expectKept(url: string, sandbox: string): Promise<void> {
    const { body } = await createFetchClient(url)('GET', `/_control/sandboxes/${sandbox}/state`);
    expect(new Map(toCart(body.cartItems)), sandbox).toEqual(this.#cart);
    expect(body.orders.map(({ id }: Order) => id).toSorted(), sandbox).toEqual(this.#orders.toSorted());
  }

  /** Adds a random product to the cart, or changes its quantity. */
  async #put(client: LoadClient): Promise<void> {
    const [productId, quantity] = [client.random.pick(PRODUCTS.slice(0, 5)), client.random.integer(1, 10)];
    const isNew = !this.#cart.has(productId);
    const response = await (isNew
      ? client.sendUntilHandled('POST', '/api/cart-items', { productId, quantity })
      : client.sendUntilHandled('PUT', `/api/cart-items/${productId}`, { quantity }));
    client.record(response, [isNew ? 201 : 200]);
    this.#cart.set(productId, quantity);
  }

  async #remove(client: LoadClient): Promise<void> {
    const [productId] = this.#cart.keys();
    if (productId === undefined) return;
    // 404: an earlier request, whose response was lost, has already removed the item.
    client.record(await client.sendUntilHandled('DELETE', `/api/cart-items/${productId}`), [204, 404]);
    this.#cart.delete(productId);
  }

  async #order(client: LoadClient): Promise<void> {
    const isEmpty = this.#cart.size === 0;
    const response = await client.sendUntilHandled('POST', '/api/orders');
    client.record(response, [isEmpty ? 409 : 201]);
    if (response.status !== 201) return;
    this.#orders = [response.body.id, ...this.#orders];
    this.#cart.clear();
  }

  async #reset(client: LoadClient): Promise<void> {
    client.record(await client.sendUntilHandled('POST', '/api/reset'), [204]);
    const { cart, orders } = { cart: defaults.cartItems, orders: defaults.orders };
    this.#cart = new Map(cart.map(({ productId, quantity }) => [productId, quantity]));
    this.#orders = orders.map(({ id }) => id);
  }
}

function toCart(items: readonly { readonly productId: string; readonly quantity: number }[]) {
  return items.map(({ productId, quantity }) => [productId, quantity] as const);
}

import { describe, expect, it, onTestFinished } from 'vitest';
import { type FaultDefinition, sandboxAt, type TestSandbox } from '../../src/testing/exports.ts';
import { startStorefront } from '../../src/testing/in-process.ts';
import { createRandom, type Random } from '../../src/util/random.ts';
import { defaults } from '../support/fixtures/default-data.ts';

const CLIENTS = 200;
const STEPS = 30;
const LONGEST_CART = 10;

/** The data that a client expects in its sandbox. */
interface Ledger {
  readonly cart: ReadonlyMap<string, number>;
  readonly orders: number;
}

const AT_START: Ledger = {
  cart: new Map(defaults.cartItems.map(({ productId, quantity }) => [productId, quantity])),
  orders: defaults.orders.length,
};

/** A step of a client: the request, and the expected data if the operation is completed. */
type Step = (sandbox: TestSandbox, ledger: Ledger, random: Random) => { asked: Promise<Response>; done: Ledger };

const steps: Readonly<Record<string, Step>> = {
  addCartItem(sandbox, { cart, orders }, random) {
    const { id } = random.pick(defaults.products);
    const quantity = random.integer(1, 10);
    return {
      asked: sandbox.fetch('/api/cart-items', json('POST', { productId: id, quantity })),
      done: { orders, cart: new Map(cart).set(id, (cart.get(id) ?? 0) + quantity) },
    };
  },
  updateCartItem(sandbox, { cart, orders }, random) {
    const id = random.pick([...cart.keys()]);
    const quantity = random.integer(1, 1000);
    return {
      asked: sandbox.fetch(`/api/cart-items/${id}`, json('PUT', { quantity })),
      done: { orders, cart: new Map(cart).set(id, quantity) },
    };
  },
  removeCartItem(sandbox, { cart, orders }, random) {
    const id = random.pick([...cart.keys()]);
    return {
      asked: sandbox.fetch(`/api/cart-items/${id}`, { method: 'DELETE' }),
      done: { orders, cart: new Map([...cart].filter(([other]) => other !== id)) },
    };
  },
  createOrder: (sandbox, { orders }) => ({
    asked: sandbox.fetch('/api/orders', { method: 'POST' }),
    done: { cart: new Map(), orders: orders + 1 },
  }),
  resetData: (sandbox) => ({ asked: sandbox.fetch('/api/reset', { method: 'POST' }), done: AT_START }),
};

/** Faults that can apply to a step, with whether the operation is completed and whether a response arrives. */
const faults: readonly { readonly wish: FaultDefinition; readonly isDone: boolean; readonly isAnswered: boolean }[] = [
  { wish: { status: 503 }, isDone: false, isAnswered: true },
  { wish: { status: 503, phase: 'after' }, isDone: true, isAnswered: true },
  { wish: { connection: 'reset' }, isDone: false, isAnswered: false },
  { wish: { connection: 'reset', phase: 'after' }, isDone: true, isAnswered: false },
  { wish: { delay: { from: 1, to: 30 } }, isDone: true, isAnswered: true },
  { wish: { bodyDurationMs: 20 }, isDone: true, isAnswered: true },
];

function json(method: string, body: object): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Takes a random step, perhaps with a fault, and returns the data expected after it. */
async function takeStep(sandbox: TestSandbox, ledger: Ledger, random: Random): Promise<Ledger> {
  const names = ledger.cart.size > 0 ? Object.keys(steps) : ['addCartItem', 'resetData'];
  const name = ledger.cart.size > LONGEST_CART ? 'createOrder' : random.pick(names);
  const fault = random.next() < 0.3 ? random.pick(faults) : undefined;
  if (fault) await sandbox.fault({ ...fault.wish, operation: name, times: 1 });
  const { asked, done } = (steps[name] as Step)(sandbox, ledger, random);
  const status = await asked.then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => undefined,
  );
  const isLost = fault?.isAnswered === false;
  expect(status === undefined, `${name} ${JSON.stringify(fault)}`).toBe(isLost);
  if (fault?.wish.status !== undefined) expect(status).toBe(503);
  else if (!isLost) expect(status, name).toBeLessThan(300);
  return fault?.isDone === false ? ledger : done;
}

/** Takes all steps of a client, and expects exactly their results in its sandbox. */
async function runClient(sandbox: TestSandbox, seed: number): Promise<void> {
  const random = createRandom(seed);
  let ledger = AT_START;
  let saved = ledger;
  await sandbox.snapshot('saved');
  for (let step = 0; step < STEPS; step++) {
    ledger = await takeStep(sandbox, ledger, random);
    if (step % 10 === 4) {
      await sandbox.snapshot('saved');
      saved = ledger;
    }
    if (step % 10 === 8) {
      await sandbox.restore('saved');
      ledger = saved;
    }
  }
  const { cartItems, orders } = await sandbox.state();
  expect(new Map(cartItems.map(({ productId, quantity }) => [productId, quantity]))).toEqual(ledger.cart);
  expect(orders).toHaveLength(ledger.orders);
  await sandbox.verify({ times: STEPS });
}

it(`${CLIENTS} clients at once each find exactly their own changes in their sandbox, despite injected faults`, async () => {
  const server = await startStorefront();
  onTestFinished(() => server.close());
  const before = await server.default.state();
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const sandboxes = await Promise.all(Array.from({ length: CLIENTS }, () => server.sandbox()));
  await Promise.all(sandboxes.map((sandbox, place) => runClient(sandbox, seed + place))).catch((error) => {
    throw new Error(`with SEED=${seed}: ${(error as Error).message}`, { cause: error });
  });
  expect(await server.default.state()).toEqual(before);
});

describe('10,000 sandboxes', () => {
  /** Sends a request to each of 10,000 sandboxes, and returns a function that sends it to another one. */
  async function sendToMany(method: 'GET' | 'POST', path: string) {
    const server = await startStorefront();
    onTestFinished(() => server.close());
    const send = (id: string) => fetch(server.url + path, { method, headers: { 'x-sandbox': id } });
    for (let first = 0; first < 10_000; first += 100) {
      const responses = await Promise.all(Array.from({ length: 100 }, (_, place) => send(`s${first + place}`)));
      expect(responses.filter(({ ok }) => !ok)).toEqual([]);
      await Promise.all(responses.map((response) => response.arrayBuffer()));
    }
    return { server, send };
  }

  it('that were never written to do not prevent the creation of another one', async () => {
    const { server, send } = await sendToMany('GET', '/api/cart-items');
    expect((await send('one-more')).status).toBe(200);
    const sandbox = (id: string) => fetch(`${server.url}/_control/sandboxes/${id}`);
    expect((await sandbox('s0')).status).toBe(404);
    expect((await sandbox('s1')).status).toBe(200);
  });

  it('that were written to remain, and another one gets 503 with the time until the next one expires', async () => {
    const { server, send } = await sendToMany('POST', '/api/reset');
    const refused = await send('one-more');
    expect(refused.status).toBe(503);
    const retryAfterSeconds = Number(refused.headers.get('retry-after'));
    expect(retryAfterSeconds).toBeGreaterThan(1);
    expect(retryAfterSeconds).toBeLessThanOrEqual(3_600);
    expect(await refused.json()).toMatchObject({
      type: '/problems/unavailable',
      detail: expect.stringContaining('10000'),
    });
    expect((await send('s0')).status).toBe(204);
    await sandboxAt(server.url, 's1').remove();
    expect((await send('one-more')).status).toBe(204);
  });
});

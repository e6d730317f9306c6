import { expect, it } from 'vitest';
import type { AnyHandler } from '../../src/shop/operations/handler.ts';
import type { State } from '../../src/shop/state.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Starts a storefront with a custom handler of listOrders. */
function startWith(listOrders: AnyHandler) {
  return startStorefront({ handlers: { listOrders: listOrders as never }, verify: 'off', errorsExpected: true });
}

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

const cyclic: { self?: object } = {};
cyclic.self = cyclic;

it('a handler that mutates the state gets an error, and the catalogue does not change', async () => {
  const { ask } = await startWith((_, shop) => {
    (shop.read().products as unknown[]).length = 0;
    return { body: [] };
  });
  expectProblem(await ask('GET', '/api/orders'), 500, 'internal-error');
  expect((await ask('GET', '/api/products')).body).toHaveLength(defaults.products.length);
});

it.each<readonly [what: string, change: (state: State) => unknown, said: RegExp]>([
  ['a list that is none', (state) => ({ next: { ...state, products: 5 } }), /\/products is not an array/],
  ['an unknown list', (state) => ({ next: { ...state, more: [] } }), /\/more is not one of/],
  ['a cyclic state', (state) => ({ next: { ...state, orders: [cyclic] } }), /cycle/],
  ['a deep state', (state) => ({ next: { ...state, orders: [nested(20_000)] } }), /more than 100 levels/],
  ['a value that JSON does not have', (state) => ({ next: { ...state, orders: [1n] } }), /invalid state/],
  ['a promise', async (state) => ({ next: { ...state, orders: [] } }), /returned a promise/],
  ['a promise that is rejected', () => Promise.reject(new Error('late')), /returned a promise/],
  ['nothing', () => undefined, /did not return an object/],
])(
  'an update whose change returns %s causes an error that names the operation, and stores nothing',
  async (_, change, said) => {
    const { ask } = await startWith(async (_input, shop) => {
      await shop.update(change as never);
      return { body: [] };
    });
    const reply = await ask('GET', '/api/orders');
    expectProblem(reply, 500, 'internal-error');
    expect(reply.body.detail).toMatch(/nothing was changed: in the handler of listOrders/);
    expect(reply.body.detail).toMatch(said);
    expect((await ask('GET', '/_control/sandboxes/default/state')).body).toEqual(defaults);
  },
);

it.each(['Transfer-Encoding', 'content-length', 'Connection'])(
  'a handler that returns the header %s causes an error that names the header',
  async (name) => {
    const { ask } = await startWith(() => ({ body: [], headers: { [name]: '5' } }));
    const reply = await ask('GET', '/api/orders');
    expectProblem(reply, 500, 'internal-error');
    expect(reply.body.detail).toContain(`returned the header ${name}`);
  },
);

it.each<readonly [what: string, returned: unknown]>([
  ['a list', []],
  ['a `Response` of fetch', Response.json([])],
])('a handler that returns %s causes an error that says what to return', async (_, returned) => {
  const { ask } = await startWith(() => returned as never);
  const reply = await ask('GET', '/api/orders');
  expectProblem(reply, 500, 'internal-error');
  expect(reply.body.detail).toContain('return an object such as { body }');
});

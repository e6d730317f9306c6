import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenAPIRouter } from 'openapi-backend';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createRouting } from '../../src/openapi/routes.ts';
import { contractDocument, documentedOperations } from '../support/fixtures/contract-document.ts';
import { defaults, projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const IN_CART = defaults.cartItems[0]?.productId;

function bareRouter() {
  return new OpenAPIRouter({ definition: contractDocument as never });
}

/** Counts how often openapi-backend makes its list of operations anew, wherever it does. */
function countedLists() {
  const made = vi.spyOn(OpenAPIRouter.prototype, 'getOperations');
  onTestFinished(() => made.mockRestore());
  return made;
}

describe("openapi-backend's list of operations", () => {
  it('is not made again for a request', async () => {
    const made = countedLists();
    // A file of its own, since what was made ready for another test isn't made ready again.
    const folder = await folderWith({ 'openapi.yaml': readFileSync(projectFile('openapi.yaml')) });
    const contract = await loadContract({ path: join(folder, 'openapi.yaml'), strict: false });
    for (const route of contract.routes) contract.warmUp(route, { closed: true });
    const madeBefore = made.mock.calls.length;
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const path = `/api/cart-items/${IN_CART}`;
      const routed = contract.route(method, path);
      if (routed.kind === 'operation')
        contract.receive(routed.route, { path, query: {}, headers: {}, body: { quantity: 2 } });
    }
    expect(madeBefore).toBeGreaterThan(0);
    expect(made.mock.calls.length).toBe(madeBefore);
  });

  it('is what its router looks for an operation in, so that it can be remembered for it', () => {
    const router = bareRouter();
    const [operation] = router.getOperations();
    const list = vi.spyOn(router, 'getOperations').mockReturnValue(operation ? [operation] : []);
    expect(router.matchOperation({ method: 'GET', path: '/api/products', headers: {} })).toBe(operation);
    expect(list).toHaveBeenCalled();
  });
});

describe('routing', () => {
  it('leads to one and the same route each time', () => {
    const { route } = createRouting(bareRouter(), contractDocument as never);
    const [first, second] = [route('PUT', `/api/cart-items/${IN_CART}`), route('PUT', '/api/cart-items/other')];
    expect(first).toMatchObject({ kind: 'operation', route: { operationId: 'updateCartItem' } });
    expect(first.kind === 'operation' && first.route).toBe(second.kind === 'operation' && second.route);
  });

  it('leads to the same for more paths than are remembered, asked for again and again, and remembers what is asked for again', () => {
    const router = bareRouter();
    const { route } = createRouting(router, contractDocument as never);
    const looked = vi.spyOn(router, 'matchOperation');
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 700; n++) {
        const order = route('GET', `/api/orders/${n}`);
        expect(order).toMatchObject({ kind: 'operation', route: { operationId: 'getOrder' } });
        expect(route('DELETE', `/api/cart-items/${n}`)).toMatchObject({ route: { operationId: 'removeCartItem' } });
        expect(route('DELETE', `/api/orders/${n}`).kind).toBe('unknown-method');
      }
    }
    looked.mockClear();
    const [first, again] = [route('GET', '/api/products'), route('GET', '/api/products')];
    expect(again).toBe(first);
    expect(looked).toHaveBeenCalledOnce();
  });

  it.each(documentedOperations.map(({ method, path, operationId }) => [method.toUpperCase(), path, operationId]))(
    'leads by method and path: %s %s',
    (method, path, operationId) => {
      const routed = createRouting(bareRouter(), contractDocument as never).route(method, path.replace(/\{.*\}/, 'x'));
      expect(routed).toMatchObject({ kind: 'operation', route: { operationId } });
    },
  );

  it.each([
    ['PATCH', '/api/cart-items', { kind: 'unknown-method', allow: ['GET', 'POST'] }],
    ['GET', '/api/cart-items/x', { kind: 'unknown-method', allow: ['PUT', 'DELETE'] }],
    ['GET', '/api', { kind: 'unknown-path' }],
    ['GET', '/api/cart-items/x/y', { kind: 'unknown-path' }],
    ['GET', '/api/product', { kind: 'unknown-path' }],
    ['GET', '/API/products', { kind: 'unknown-path' }],
    ['GET', '/apixproducts', { kind: 'unknown-path' }],
  ])('tells what is unknown: %s %s', (method, path, expected) => {
    expect(createRouting(bareRouter(), contractDocument as never).route(method, path)).toEqual(expected);
  });

  it.each([
    ['/api/orders/a%20b', { orderId: 'a b' }],
    ['/api/orders/%2F', { orderId: '/' }],
    ['/api/orders/__proto__', { orderId: '__proto__' }],
  ])('reads the parameters of a path, decoded: %s', (path, expected) => {
    const routed = createRouting(bareRouter(), contractDocument as never).route('GET', path);
    expect(routed.kind === 'operation' && routed.route.pathParameters(path)).toEqual(expected);
  });
});

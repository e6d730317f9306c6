import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, OpenAPIRouter } from 'openapi-backend';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createBackend } from '../../src/openapi/openapi-backend.ts';
import { createRouting, toRouterPath } from '../../src/openapi/routes.ts';
import { contractDocument, documentedOperations } from '../support/fixtures/contract-document.ts';
import { defaults, projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { withPaths, writeDocument } from './documents.ts';

const IN_CART = defaults.cartItems[0]?.productId;

function createRouter() {
  return new OpenAPIRouter({ definition: contractDocument as never });
}

/** Spies on the method with which openapi-backend lists the operations of the document. */
function spyOnLists() {
  const spy = vi.spyOn(OpenAPIRouter.prototype, 'getOperations');
  onTestFinished(() => spy.mockRestore());
  return spy;
}

describe("openapi-backend's list of operations", () => {
  it('is not created again for a request', async () => {
    const lists = spyOnLists();
    // A contract of its own: contracts are cached, and the contract of the shop is precompiled.
    const folder = await folderWith({ 'openapi.yaml': `${readFileSync(projectFile('openapi.yaml'))}# Changed\n` });
    const contract = await loadContract({ path: join(folder, 'openapi.yaml'), strict: false });
    for (const route of contract.routes) contract.warmUp(route, { closed: true });
    const callsBefore = lists.mock.calls.length;
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const path = `/api/cart-items/${IN_CART}`;
      const routed = contract.route(method, path);
      if (routed.kind === 'operation')
        contract.validateRequest(routed.route, { path, query: {}, headers: {}, body: { quantity: 2 } });
    }
    expect(callsBefore).toBeGreaterThan(0);
    expect(lists.mock.calls.length).toBe(callsBefore);
  });

  it('is what its router searches, so that replacing it has an effect', () => {
    const router = createRouter();
    const [operation] = router.getOperations();
    const list = vi.spyOn(router, 'getOperations').mockReturnValue(operation ? [operation] : []);
    expect(router.matchOperation({ method: 'GET', path: '/api/products', headers: {} })).toBe(operation);
    expect(list).toHaveBeenCalled();
  });
});

describe('createBackend', () => {
  const TEMPLATES = '/a /{x}/b /a/{x} /{x}/{y} /a/b/ /a.b/{x} /a/{x}.json /é/{x} /a/{x/y}/c / /{x}'.split(' ');
  const createDocument = (toPath = (path: string) => path) => ({
    openapi: '3.0.3',
    info: { title: 'Paths', version: '1' },
    paths: Object.fromEntries(
      TEMPLATES.map((path) => [toPath(path), { get: { operationId: path, responses: { 200: { description: '' } } } }]),
    ),
  });
  const { matchOperation } = createBackend(createDocument() as never);
  const router = new OpenAPIRouter({ definition: createDocument(toRouterPath) as Document });

  it.each(
    '/a /a/ //a a /a//b /a/b /a/b/ /c/b /c/d /a.b/c /axb/c /a/c.json /%C3%A9/c /a/b/c /a/b?c / /a/b/c/d'.split(' '),
  )('finds the operation for %j that openapi-backend finds when it searches all operations', (path) => {
    const request = { method: 'GET', path, headers: {} };
    expect(matchOperation(request)?.operationId?.trim()).toBe(router.matchOperation(request)?.operationId);
  });
});

describe('createRouting', () => {
  it('returns the same route for every request to an operation', () => {
    const { route } = createRouting(createRouter(), contractDocument as never);
    const [first, second] = [route('PUT', `/api/cart-items/${IN_CART}`), route('PUT', '/api/cart-items/other')];
    expect(first).toMatchObject({ kind: 'operation', route: { operationId: 'updateCartItem' } });
    expect(first.kind === 'operation' && first.route).toBe(second.kind === 'operation' && second.route);
  });

  it('returns the same routes when the cache is full, and caches again afterwards', () => {
    const router = createRouter();
    const { route } = createRouting(router, contractDocument as never);
    const matches = vi.spyOn(router, 'matchOperation');
    for (let n = 0; n < 1_001; n++) {
      const order = route('GET', `/api/orders/${n}`);
      expect(order.kind === 'operation' && order.route.operationId).toBe('getOrder');
    }
    for (const n of [0, 1_000, 1_001]) {
      expect(route('DELETE', `/api/cart-items/${n}`)).toMatchObject({ route: { operationId: 'removeCartItem' } });
      expect(route('DELETE', `/api/orders/${n}`).kind).toBe('unknown-method');
    }
    matches.mockClear();
    const [first, again] = [route('GET', '/api/products'), route('GET', '/api/products')];
    expect(again).toBe(first);
    expect(matches).toHaveBeenCalledOnce();
  });

  it.each(documentedOperations.map(({ method, path, operationId }) => [method.toUpperCase(), path, operationId]))(
    'finds the operation by method and path: %s %s',
    (method, path, operationId) => {
      const routed = createRouting(createRouter(), contractDocument as never).route(
        method,
        path.replace(/\{.*\}/, 'x'),
      );
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
  ])('distinguishes unknown paths from unknown methods: %s %s', (method, path, expected) => {
    expect(createRouting(createRouter(), contractDocument as never).route(method, path)).toEqual(expected);
  });

  it.each([
    ['/api/orders/a%20b', { orderId: 'a b' }],
    ['/api/orders/%2F', { orderId: '/' }],
    ['/api/orders/__proto__', { orderId: '__proto__' }],
  ])('decodes the path parameters of %s', (path, expected) => {
    const routed = createRouting(createRouter(), contractDocument as never).route('GET', path);
    expect(routed.kind === 'operation' && routed.route.pathParameters(path)).toEqual(expected);
  });
});

describe('The percent-encoding of a path', () => {
  it('matters neither in a literal nor in a parameter, except for the characters that need it', async () => {
    const paths = [
      '/~me/items',
      '/items/{id}',
      '/items:batchGet',
      '/items/{id}:undo',
      '/caf%C3%A9',
      '/a+b',
      '/%7Eold/@x',
    ];
    const lines = paths.map((path) => `"${path}": { get: { responses: { "204": { description: d } } } }`);
    const contract = await loadContract({ path: await writeDocument(withPaths(...lines)), strict: false });
    const found = (path: string) => {
      const routed = contract.route('GET', path);
      return routed.kind === 'operation' ? [routed.route.path, routed.route.pathParameters(path)] : routed.kind;
    };
    for (const [path, expected] of [
      ['/~me/items', ['/~me/items', {}]],
      ['/%7Eme/item%73', ['/~me/items', {}]],
      ['/%7eme/%69%74%65%6D%73', ['/~me/items', {}]],
      ['/item%73/5', ['/items/{id}', { id: '5' }]],
      ['/items%3AbatchGet', ['/items:batchGet', {}]],
      ['/items%3abatchGet', ['/items:batchGet', {}]],
      ['/items/5%3Aundo', ['/items/{id}:undo', { id: '5' }]],
      ['/caf%c3%a9', ['/caf%C3%A9', {}]],
      ['/%61%2Bb', ['/a+b', {}]],
      ['/~old/%40x', ['/%7Eold/@x', {}]],
      ['/items/a%2Fb', ['/items/{id}', { id: 'a/b' }]],
      ['/item%73/%2541', ['/items/{id}', { id: '%41' }]],
      ['/items/%253A', ['/items/{id}', { id: '%3A' }]],
      ['/%2Fitems/5', 'unknown-path'],
      ['/items%2F5', 'unknown-path'],
      ['/item%2573/5', 'unknown-path'],
    ] as const)
      expect.soft(found(path), path).toEqual(expected);
  });
});

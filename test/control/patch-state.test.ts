import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createApiDocument, createObject, createResourcePaths, type Schema } from '../support/fixtures/api-document.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { createOrdersText } from '../support/fixtures/large-states.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { waitForLog } from '../support/harness/live-contract.ts';
import { expectProblem, getPointers } from '../support/harness/problems.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

const RENAME = { op: 'replace', path: '/products/0/name', value: 'New' };

describe('PATCH /_control/sandboxes/ID/state', () => {
  it('applies all operations', async () => {
    const { sendControl } = newSandbox();
    const [, second, third] = defaults.products;
    const patch = [
      { op: 'test', path: '/products/1', value: second },
      { op: 'remove', path: '/products/1' },
      RENAME,
      { op: 'copy', from: '/products/1', path: '/products/-' },
      { op: 'replace', path: '/products/39/id', value: '00000000-0000-4000-8000-000000000001' },
      { op: 'add', path: '/products/0/keywords/0', value: 'added' },
    ];
    const inCart = defaults.cartItems.map((_, index) => ({ op: 'remove', path: `/cartItems/${1 - index}` }));
    const orders = defaults.orders.map(() => ({ op: 'remove', path: '/orders/0' }));
    expect((await sendControl('PATCH', '/state', [...inCart, ...orders, ...patch])).status).toBe(204);
    const { products, cartItems } = (await sendControl('GET', '/state')).body;
    expect([products.length, cartItems.length]).toEqual([40, 0]);
    expect(products[0]).toMatchObject({ name: 'New', keywords: ['added', ...(defaults.products[0]?.keywords ?? [])] });
    expect(products[1]).toEqual(third);
    expect(products[39]).toEqual({ ...third, id: '00000000-0000-4000-8000-000000000001' });
  });

  it.each([
    ['to the end', '/products/1', '/products/-', [0, 2, 3, 1]],
    ['to the last index', '/products/1', '/products/39', [0, 2, 3, 1]],
    ['forwards', '/products/0', '/products/2', [1, 2, 0, 3]],
    ['backwards', '/products/2', '/products/0', [2, 0, 1, 3]],
    ['to itself', '/products/1', '/products/1', [0, 1, 2, 3]],
  ])('moves an entry of a list %s', async (_, from, path, order) => {
    const { sendControl } = newSandbox();
    expect((await sendControl('PATCH', '/state', [{ op: 'move', from, path }])).status).toBe(204);
    const { products } = (await sendControl('GET', '/state')).body;
    const ids = [...products.slice(0, 3), order[3] === 3 ? products[3] : products.at(-1)].map(({ id }) => id);
    expect(ids).toEqual(order.map((index) => defaults.products[index]?.id));
    expect(products).toHaveLength(40);
  });

  it('refuses to move an entry to an index that the list does not have', async () => {
    const { sendControl } = newSandbox();
    const move = { op: 'move', from: '/products/0', path: '/products/40' };
    const reply = await sendControl('PATCH', '/state', [move]);
    expectProblem(reply, 409, 'patch-conflict');
    expect(reply.body.detail).toContain('there is no index "40" in a list of 40 entries');
  });

  it('applies none of the operations if a test fails', async () => {
    const { sendControl } = newSandbox();
    await sendControl('PUT', '');
    const test = { op: 'test', path: '/products/1/name', value: 'Old' };
    const reply = await sendControl('PATCH', '/state', [RENAME, test]);
    expectProblem(reply, 409, 'patch-conflict');
    expect(reply.body.detail).toBe(
      'Operation 1 of the patch (test /products/1/name) cannot be applied, so nothing was changed: the value has changed. Read the state again, and correct the patch.',
    );
    expect(getPointers(reply)).toEqual(['/1']);
    expect((await sendControl('GET', '')).body.revision).toBe(0);
  });

  it('reports the errors of the new state at their places, and creates no sandbox', async () => {
    const { sendControl } = newSandbox();
    const reply = await sendControl('PATCH', '/state', [
      { ...RENAME, value: 4 },
      { op: 'remove', path: '/products/1/priceCents' },
      { op: 'replace', path: '/cartItems/0/deliveryOptionId', value: '9' },
    ]);
    expectProblem(reply, 409, 'invalid-state');
    expect(getPointers(reply)).toEqual(['/products/0/name', '/products/1/priceCents']);
    expect((await sendControl('GET', '')).status).toBe(404);
  });

  it.each([
    ['removes a collection', { op: 'remove', path: '/orders' }, 409, 'invalid-state'],
    [
      'empties a collection that is never empty',
      { op: 'replace', path: '/deliveryOptions', value: [] },
      409,
      'invalid-state',
    ],
    ['breaks a reference', { op: 'remove', path: '/deliveryOptions/0' }, 409, 'invalid-state'],
    ['adds a property named __proto__', { op: 'add', path: '/products/0/__proto__', value: {} }, 409, 'invalid-state'],
    ['names a missing entry', { op: 'replace', path: '/products/40', value: {} }, 409, 'patch-conflict'],
    ['names an index with a zero before it', { op: 'remove', path: '/products/00' }, 409, 'patch-conflict'],
    ['names the end of a list to replace', { op: 'replace', path: '/products/-', value: {} }, 409, 'patch-conflict'],
    ['names an inherited property', { op: 'remove', path: '/products/0/constructor' }, 409, 'patch-conflict'],
    ['leads through a text', { op: 'add', path: '/products/0/name/x', value: 1 }, 409, 'patch-conflict'],
    ['moves a value into itself', { op: 'move', from: '/products', path: '/products/0' }, 409, 'patch-conflict'],
    ['has no value', { op: 'add', path: '/products/0' }, 400, 'invalid-patch'],
    ['has no source', { op: 'move', path: '/products/0' }, 400, 'invalid-patch'],
    ['names another list', { op: 'add', path: '/secrets', value: [] }, 404, 'unknown-collection'],
    ['names the whole state', { op: 'add', path: '', value: {} }, 400, 'invalid-request'],
    ['has an unknown operation', { op: 'merge', path: '/products' }, 400, 'invalid-request'],
  ])('rejects a patch that %s', async (_name, operation, status, code) => {
    const { sendControl } = newSandbox();
    await sendControl('PUT', '');
    expectProblem(await sendControl('PATCH', '/state', [operation]), status, code);
    expect((await sendControl('GET', '/state')).body).toEqual(defaults);
  });

  it('rejects a patch whose copies grow without limit', async () => {
    const { sendControl } = newSandbox();
    const double = [{ op: 'copy', from: '/products/0/keywords', path: '/products/0/keywords/-' }];
    const patch = Array.from({ length: 60 }, () => double).flat();
    const reply = await sendControl('PATCH', '/state', patch);
    expectProblem(reply, 409, 'patch-conflict');
    expect(reply.body.detail).toContain('copies more than 2 MB');
  });

  it('handles other requests while a large state is validated', async () => {
    const { sendControl, ask } = newSandbox();
    await sendControl('PUT', '/state', createOrdersText(8_000));
    const order: string[] = [];
    const patched = sendControl('PATCH', '/state', [RENAME]).then(() => order.push('patched'));
    while (!order.includes('patched')) order.push(String((await ask('GET', '/api/delivery-options')).status));
    await patched;
    expect(order.indexOf('patched')).toBeGreaterThan(3);
  });

  it('changes an entry beside an entry that violates the contract since a reload', async () => {
    const createText = (name: Schema) =>
      createApiDocument(createResourcePaths('/pets/{petId}', createObject({ id: { type: 'integer' }, name })));
    const folder = await folderWith({ 'openapi.json': createText({ type: 'string' }) });
    const contract = join(folder, 'openapi.json');
    const api = await startStorefront({ contract });
    const sendControl = createControlClient(api);
    await sendControl('PUT', '/default/state', { pets: ['R', 'Tom'].map((name, id) => ({ id, name })) });
    await writeFile(contract, createText({ type: 'string', minLength: 2 }));
    await waitForLog(api, '1 entry violates the new contract', 40);
    const replaceName = (value: string) =>
      sendControl('PATCH', '/default/state', [{ op: 'replace', path: '/pets/1/name', value }]);
    expect((await replaceName('Max')).status).toBe(204);
    expect(getPointers(await replaceName('M'))).toEqual(['/pets/1/name']);
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IN_CART, ITEM, ITEM_PATH, KETTLE } from '../support/fixtures/cart-item.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { contractText } from '../support/harness/live-contract.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { getSandboxClient, type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

const INVALID_ITEM = { productId: IN_CART, quantity: 0, deliveryOptionId: '1' };

/** Returns the details of a recorded request, by default of the last one. */
async function getDetails({ sendControl }: SandboxClient, id?: number) {
  const last = (await sendControl('GET', '/requests?limit=1')).body[0].id;
  return (await sendControl('GET', `/requests/${id ?? last}`)).body;
}

/** Returns the reasons why faults did not apply to a request, by the id of the fault. */
const toReasons = ({ faults }: { faults: { fault: { id: string }; reasons: string[] }[] }) =>
  faults.map(({ fault, reasons }) => [fault.id, reasons]);

describe('GET /_control/sandboxes/ID/requests/REQUEST', () => {
  it('returns the recorded request', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('GET', '/api/orders');
    const details = await getDetails(sandbox);
    expect(details.request).toEqual((await sandbox.sendControl('GET', '/requests')).body[0]);
    expect(details).toMatchObject({ violations: [], faults: [] });
    expect(details).not.toHaveProperty('changes');
  });

  it('returns the lines of the contract that the request violates', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/cart-items', { productId: 'x', quantity: 11 });
    const lines = contractText.split('\n');
    const line = lines.findIndex((text, index) => text === '          maximum: 10' && index > 1000) + 1;
    const { violations } = await getDetails(sandbox);
    expect(violations[1]).toMatchObject({
      violation: { pointer: '/quantity', rule: 'maximum' },
      source: { file: 'openapi.yaml', line, text: lines.slice(line - 1, line + 4).join('\n') },
    });
    expect(violations[0].source.text).toMatch(/^ +(format: uuid|maxLength: 36)\n/);
  });

  it.each([
    ['missing property', 'POST', '/api/cart-items', { quantity: 1 }, /^ +required: \[productId, quantity\]/],
    ['repeated parameter', 'GET', '/api/products?search=a&search=b', undefined, /^ +schema: \{ type: string \}/],
    ['missing body', 'POST', '/api/cart-items', undefined, /^ +required: true/],
    ['type of an alternative', 'PUT', ITEM_PATH, { deliveryOptionId: true }, /^ +anyOf:\n +- type: string/],
    ['parameter in the path', 'GET', '/api/orders/x', undefined, /format: uuid/],
  ])('finds the line of a %s', async (_title, method, path, body, text) => {
    const sandbox = newSandbox();
    await sandbox.ask(method, path, body);
    expect((await getDetails(sandbox)).violations[0].source.text).toMatch(text);
  });

  it('returns the lines of an overlay that changes the contract', async () => {
    const overlay = `overlay: 1.0.0
actions:
  - target: $.components.schemas.NewCartItem.properties.quantity
    update:
      maximum: 5
`;
    const folder = await folderWith({ 'openapi.yaml': contractText, 'openapi.overlay.yaml': overlay });
    const shop = getSandboxClient(await startStorefront({ contract: join(folder, 'openapi.yaml') }), 'default');
    await shop.ask('POST', '/api/cart-items', { ...ITEM, quantity: 6 });
    const [{ source }] = (await getDetails(shop)).violations;
    expect(source).toEqual({ file: 'openapi.overlay.yaml', line: 5, text: '      maximum: 5' });
  });

  it('says why active faults did not apply, the most similar fault first', async () => {
    const sandbox = newSandbox();
    const addFault = (fault: object) => sandbox.sendControl('POST', '/faults', { status: 503, ...fault });
    await addFault({ operation: 'listOrders', where: { query: { expand: 'products' } } });
    await addFault({ operation: 'createOrder', skip: 1 });
    await addFault({ operation: 'createOrder', probability: 0 });
    await addFault({ operation: 'createOrder', times: 1 });
    await sandbox.ask('POST', '/api/orders');
    expect(toReasons(await getDetails(sandbox))).toEqual([
      ['f2', ['skip: the fault skips the first 1 matching requests', 'another fault applied to the request']],
      [
        'f3',
        ['probability: the fault applies to 0 % of the matching requests', 'another fault applied to the request'],
      ],
      ['f1', ['operation: expected listOrders, got createOrder', 'query expand: expected "products", got no value']],
    ]);
  });

  it('says that faults do not apply to refused requests, and to earlier requests', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/cart-items', ITEM);
    await sandbox.sendControl('POST', '/faults', { operation: 'addCartItem', status: 503 });
    await sandbox.ask('POST', '/api/cart-items', {});
    expect(toReasons(await getDetails(sandbox))).toEqual([
      ['f1', ['the server refused the request before it applied faults']],
    ]);
    expect(toReasons(await getDetails(sandbox, 1))).toEqual([
      ['f1', ['the fault was added after the request, or its effect is not possible for the operation']],
    ]);
  });

  it('rejects the id of a request that does not exist', async () => {
    const { ask, sendControl } = newSandbox();
    await ask('GET', '/api/orders');
    expectProblem(await sendControl('GET', '/requests/2'), 404, 'unknown-journal-entry');
    expectProblem(await sendControl('GET', '/requests/x'), 400, 'invalid-request');
    await sendControl('DELETE', '/requests');
    const reply = await sendControl('GET', '/requests/1');
    expectProblem(reply, 404, 'unknown-journal-entry');
    expect(reply.body.detail).toContain('no longer in the journal');
  });
});

describe('the changes of a recorded request', () => {
  it('have the entries before and after it, and their positions', async () => {
    const sandbox = newSandbox();
    const [first] = defaults.cartItems;
    await sandbox.ask('POST', '/api/cart-items', ITEM);
    await sandbox.ask('PUT', ITEM_PATH, { quantity: 7 });
    await sandbox.ask('DELETE', ITEM_PATH);
    const added = { id: 3, productId: KETTLE, quantity: 3, deliveryOptionId: '1' };
    expect((await getDetails(sandbox, 1)).changes).toEqual([{ collection: 'cartItems', position: 2, after: added }]);
    expect((await getDetails(sandbox, 2)).changes).toEqual([
      { collection: 'cartItems', position: 0, before: first, after: { ...first, quantity: 7 } },
    ]);
    expect((await getDetails(sandbox, 3)).changes).toEqual([
      { collection: 'cartItems', before: { ...first, quantity: 7 } },
    ]);
  });

  it('have no entries that only move', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/orders');
    const { changes } = await getDetails(sandbox);
    expect(
      changes.map(({ collection, position }: { collection: string; position?: number }) => [collection, position]),
    ).toEqual([
      ['cartItems', undefined],
      ['cartItems', undefined],
      ['orders', 0],
    ]);
  });

  it('are those of one request, also if several are stored together', async () => {
    const sandbox = newSandbox();
    const { body: products } = await sandbox.ask('GET', '/api/products');
    const ids = products.slice(10, 20).map(({ id }: { id: string }) => id);
    await Promise.all(
      ids.map((productId: string) => sandbox.ask('POST', '/api/cart-items', { productId, quantity: 1 })),
    );
    const changed = await Promise.all(
      ids.map(async (_: string, index: number) => (await getDetails(sandbox, index + 2)).changes),
    );
    expect(changed.map(({ length }) => length)).toEqual(Array(10).fill(1));
    expect(new Set(changed.map(([{ after }]) => after.productId))).toEqual(new Set(ids));
  });

  it('include a reset, and are absent for a request that changed nothing', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('DELETE', ITEM_PATH);
    await sandbox.ask('POST', '/api/reset');
    expect((await getDetails(sandbox)).changes).toEqual([
      { collection: 'cartItems', position: 0, after: defaults.cartItems[0] },
    ]);
    await sandbox.ask('DELETE', `/api/cart-items/${KETTLE}`);
    expect(await getDetails(sandbox)).not.toHaveProperty('changes');
  });

  it('are kept for the last 20 requests that changed the state', async () => {
    const sandbox = newSandbox();
    for (let quantity = 1; quantity <= 21; quantity++) {
      await sandbox.ask('PUT', ITEM_PATH, { quantity: quantity + 10 });
      await sandbox.ask('GET', '/api/orders');
    }
    expect(await getDetails(sandbox, 1)).not.toHaveProperty('changes');
    expect((await getDetails(sandbox, 3)).changes).toHaveLength(1);
  });

  it("include those of a user's handler, but not those that were refused", async () => {
    const shop = getSandboxClient(
      await startStorefront({
        handlers: {
          resetData: async (_input, { update }) => {
            await update((state) => ({ next: { ...state, cartItems: [INVALID_ITEM] }, result: undefined })).catch(
              () => {},
            );
            await update((state) => ({ next: { ...state, cartItems: [] }, result: undefined }));
            return {};
          },
        },
      }),
      'default',
    );
    await shop.ask('POST', '/api/reset');
    const { request, changes } = await getDetails(shop);
    expect(request.decision).toEqual({ source: 'user-handler' });
    expect(changes).toEqual(defaults.cartItems.map((before) => ({ collection: 'cartItems', before })));
    expect(changes[0].before.productId).toBe(IN_CART);
  });
});

describe('GET /_control/sandboxes/ID/requests/REQUEST/unredacted', () => {
  const SECRET = 'hunter2';

  it('returns the credentials of a request, which all other operations redact', async () => {
    const sandbox = newSandbox();
    await sandbox.ask(
      'POST',
      `/api/cart-items?token=${SECRET}`,
      { ...ITEM, password: SECRET },
      { authorization: `Bearer ${SECRET}` },
    );
    const { body } = await sandbox.sendControl('GET', '/requests/1/unredacted');
    expect(body).toMatchObject({
      method: 'POST',
      path: '/api/cart-items',
      query: { token: SECRET },
      headers: { authorization: `Bearer ${SECRET}` },
      body: { ...ITEM, password: SECRET },
    });
    expect(body.url).toContain(`?token=${SECRET}`);
    for (const path of ['/requests', '/requests/1'])
      expect((await sandbox.sendControl('GET', path)).text, path).not.toContain(SECRET);
  });

  it('responds with 404 if the journal does not have the request', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('GET', '/api/orders');
    expectProblem(await sandbox.sendControl('GET', '/requests/2/unredacted'), 404, 'unknown-journal-entry');
  });
});

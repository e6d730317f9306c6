import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { defaults, getProductId, projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { contractText, waitForLog } from '../support/harness/live-contract.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const overlay = readFileSync(projectFile('test/examples/shop/openapi.overlay.yaml'), 'utf8');
const handlers = projectFile('test/examples/shop/handlers.mjs');

const socks = getProductId('Cushioned');
const [order] = defaults.orders;

/** Starts the shop with the operations of test/examples/shop, and with more paths: an OpenAPI overlay updates `$.paths` with them. */
async function startExtended(paths = {}, options: Parameters<typeof startStorefront>[0] = {}) {
  const more = `  - target: $.paths\n    update: ${JSON.stringify(paths)}\n`;
  const folder = await folderWith({ 'openapi.yaml': contractText, 'openapi.overlay.yaml': overlay + more });
  const contract = join(folder, 'openapi.yaml');
  const shop = await startStorefront({ contract, ...options });
  return { ...shop, contract, overlayFile: join(folder, 'openapi.overlay.yaml') };
}

const product = { $ref: '#/components/schemas/Product' };
const ok = { description: 'd', content: { 'application/json': { schema: product } } };
const productId = { name: 'productId', in: 'path', required: true, schema: { type: 'string' } };
const newProduct = { type: 'object', required: ['name', 'priceCents'], properties: { name: {}, priceCents: {} } };

/** Operations that change the products. */
const ADMIN = {
  '/api/products/{productId}': {
    parameters: [productId],
    get: { operationId: 'getProduct', responses: { 200: ok, 404: { description: 'd' } } },
    delete: { operationId: 'deleteProduct', responses: { 204: { description: 'd' }, 409: { description: 'd' } } },
  },
  '/api/products': {
    post: {
      operationId: 'createProduct',
      requestBody: { required: true, content: { 'application/json': { schema: newProduct } } },
      responses: { 201: ok },
    },
  },
  '/api/delivery-options/{id}': {
    get: {
      operationId: 'getDeliveryOption',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        200: {
          description: 'd',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/DeliveryOption' } } },
        },
      },
    },
  },
};

const text = { type: 'string' };
const createItem = (schema: object) => ({ 'application/json': { schema } });

/** Returns operations that list and create the entries of a collection. */
function createPaths(path: string, entry: object = { type: 'object', properties: { id: text, name: text } }) {
  const post = {
    requestBody: { required: true, content: createItem(entry) },
    responses: { 201: { description: 'd', content: createItem(entry) } },
  };
  const list = { description: 'd', content: createItem({ type: 'array', items: entry }) };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: text }];
  const item = { parameters, get: { responses: { 200: { description: 'd', content: createItem(entry) } } } };
  return { [path]: { get: { responses: { 200: list } }, post }, [`${path}/{id}`]: item };
}

describe('The shop with additional operations in its contract', () => {
  it('stores the resources of these operations beside its own data', async () => {
    const { ask, mocked, folder } = await startExtended({}, { handlers });
    const created = await ask('POST', '/api/reviews', { productId: socks, stars: 4 });
    expect([created.status, mocked]).toEqual([201, []]);
    expect((await ask('GET', `/api/reviews/${created.body.id}`)).body).toEqual(created.body);
    expect((await ask('GET', `/api/reviews?productId=${socks}`)).body).toEqual([created.body]);
    expect((await ask('GET', `/api/reviews?productId=${getProductId('Cordless')}`)).body).toEqual([]);
    expect((await ask('POST', '/api/cart-items', { productId: socks, quantity: 1 })).status).toBe(201);
    expect((await ask('GET', `/api/tracking/${order?.id}`)).body).toMatchObject({ orderId: order?.id });
    const readStored = async () => JSON.parse(await readFile(join(folder, 'db.json'), 'utf8'));
    await expect.poll(readStored).toMatchObject({ reviews: [created.body], cartItems: [{ quantity: 3 }, {}] });
  });

  it('checks the products to which these resources refer', async () => {
    const { ask } = await startExtended();
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await ask('POST', '/api/reviews', { productId: unknown, stars: 4 })).status).toBe(422);
    expect((await ask('POST', '/api/wishlist', { productId: unknown })).status).toBe(404);
    expect((await ask('POST', '/api/wishlist', { productId: socks })).body).toMatchObject({ id: socks, name: /Socks/ });
    expect((await ask('GET', '/api/wishlist')).body).toMatchObject([{ id: socks }]);
    expect((await ask('DELETE', `/api/wishlist/${socks}`)).status).toBe(204);
    expect((await ask('GET', '/api/wishlist')).body).toEqual([]);
  });

  it('has these resources in each sandbox, snapshot and reset', async () => {
    const shop = await startExtended();
    const control = createControlClient(shop);
    await control('POST', '', { id: 'a' });
    const ask = createSandboxClient(shop, 'a');
    await ask('POST', '/api/reviews', { productId: socks, stars: 4 });
    await control('PUT', '/a/snapshots/reviewed');
    await ask('POST', '/api/reset');
    expect((await ask('GET', '/api/reviews')).body).toEqual([]);
    await control('POST', '/a/snapshots/reviewed/restore');
    expect((await ask('GET', '/api/reviews')).body).toMatchObject([{ stars: 4 }]);
    expect((await shop.ask('GET', '/api/reviews')).body).toEqual([]);
  });

  it('reads and changes its own data by operations that it has no handler for', async () => {
    const { ask } = await startExtended(ADMIN);
    expect((await ask('GET', `/api/products/${socks}`)).body).toMatchObject({ id: socks, priceCents: 2399 });
    expect((await ask('GET', '/api/delivery-options/2')).body).toEqual(defaults.deliveryOptions[1]);
    const created = await ask('POST', '/api/products', { name: 'Walnut Chessboard', priceCents: 4900 });
    expect((await ask('GET', '/api/products?search=chessboard')).body).toEqual([created.body]);
    expect((await ask('POST', '/api/cart-items', { productId: created.body.id, quantity: 1 })).status).toBe(201);
  });

  it('stores a collection with the name of a member of all objects', async () => {
    const { ask } = await startExtended(createPaths('/api/constructor'));
    expect((await ask('GET', '/api/constructor')).body).toEqual([]);
    const { body } = await ask('POST', '/api/constructor', { name: 'a' });
    expect((await ask('GET', '/api/constructor')).body).toEqual([body]);
  });

  it('stores entries with another schema in a collection of their own, also with the name of one of the shop', async () => {
    const { ask, port } = await startExtended({
      ...createPaths('/api/admin/products'),
      ...createPaths('/api/v2/delivery-options'),
    });
    expect((await ask('POST', '/api/admin/products', { name: 'a' })).status).toBe(201);
    expect((await ask('GET', '/api/v2/delivery-options')).body).toEqual([]);
    const { body } = await createControlClient({ port })('GET', '/default/state');
    expect(body).toMatchObject({ ...defaults, products2: [{ name: 'a' }], deliveryOptions2: [] });
    expect((await ask('POST', '/api/reviews', { productId: socks, stars: 4 })).status).toBe(201);
  });

  it('refuses a change that would break the rules of its own data', async () => {
    const { ask } = await startExtended(ADMIN);
    const refused = await ask('DELETE', `/api/products/${socks}`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('/cartItems/0/productId')]);
    expect((await ask('GET', '/api/cart-items?expand=product')).body[0].product).toMatchObject({ id: socks });
  });

  it('starts with a data file of the shop alone, and refuses one without products', async () => {
    const data = join(await folderWith({ 'db.json': JSON.stringify(defaults) }), 'db.json');
    const { ask, contract } = await startExtended({}, { data });
    expect((await ask('GET', '/api/reviews')).body).toEqual([]);
    expect((await ask('GET', '/api/products')).body).toHaveLength(defaults.products.length);
    const { products: _, ...others } = defaults;
    const incomplete = join(await folderWith({ 'db.json': JSON.stringify(others) }), 'db.json');
    await expect(createStorefront({ contract, data: incomplete, log: 'off' })).rejects.toThrow('/products is missing');
  });

  it('serves operations that are added while the server runs, and keeps the data of removed ones', async () => {
    const shop = await startExtended();
    await shop.ask('POST', '/api/reviews', { productId: socks, stars: 4 });
    await writeFile(shop.overlayFile, overlay.replaceAll('/api/reviews', '/api/ratings'));
    await waitForLog(shop, 'new collections: ratings');
    expect((await shop.ask('POST', '/api/ratings', { productId: socks, stars: 5 })).status).toBe(201);
    await writeFile(shop.overlayFile, overlay);
    await waitForLog(shop, 'new collections: reviews');
    expect((await shop.ask('GET', '/api/reviews')).body).toMatchObject([{ stars: 4 }]);
  });
});

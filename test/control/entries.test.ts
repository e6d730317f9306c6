import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';
import { startApi } from '../support/harness/start-api.ts';

const { newSandbox } = useSharedShop();

/** A column of a table. */
type Column = { readonly title: string; readonly format: string };

/** Returns a page of entries of a new sandbox of the shop. */
async function listEntries(query: string) {
  const { sendControl } = newSandbox();
  await sendControl('PUT', '');
  return (await sendControl('GET', `/state/${query}`)).body;
}

describe('GET /_control/sandboxes/ID/state/COLLECTION', () => {
  it('returns the products with their picture, name, price and rating', async () => {
    const { total, columns, entries } = await listEntries('products');
    expect([total, entries.length]).toEqual([40, 40]);
    expect(columns.map(({ title, format }: Column) => `${title}: ${format}`).slice(0, 4)).toEqual([
      'Picture: image',
      'Name: text',
      'Price: money',
      'Rating: number',
    ]);
    const [product] = defaults.products;
    expect(entries[0]).toMatchObject({ position: 0, entry: product });
    expect(entries[0].cells.slice(0, 3)).toEqual([`/${product?.image}`, product?.name, product?.priceCents]);
  });

  it('returns the cart with the names of its products, and its total', async () => {
    const { entries, summary } = await listEntries('cartItems');
    expect(entries[0].cells).toEqual([
      '/images/products/socks.svg',
      'Cushioned Merino Wool Hiking Socks',
      2399,
      2,
      '7 days',
      0,
    ]);
    expect(summary.at(-1)).toEqual({ title: 'Total', value: 11876, format: 'money' });
  });

  it('returns the orders with their time, number of products and total', async () => {
    const { entries } = await listEntries('orders');
    expect(entries[0].cells.slice(0, 3)).toEqual(['2025-08-12T14:37:21.482Z', 3, 8127]);
  });

  it('returns the pages of a collection', async () => {
    const { total, entries } = await listEntries('products?offset=38&limit=5');
    expect(total).toBe(40);
    expect(entries.map(({ position }: { position: number }) => position)).toEqual([38, 39]);
    expect((await listEntries('products?offset=900')).entries).toEqual([]);
  });

  it('finds a text in the values and in the cells of an entry, in upper or lower case', async () => {
    const { total, entries } = await listEntries('products?search=KETTLE');
    expect([total, entries[0].position]).toEqual([1, 14]);
    expect((await listEntries('cartItems?search=hiking')).total).toBe(1);
    expect((await listEntries('products?search=no%20such%20text')).total).toBe(0);
    expect((await listEntries('products?search=e&offset=1&limit=1')).entries).toHaveLength(1);
  });

  it('shows the scalar properties and the id of the entries of another contract', async () => {
    const Pet = createObject({
      'name!': { type: 'string' },
      id: { type: 'integer' },
      born: { type: 'string', format: 'date-time' },
      tags: { type: 'array', items: { type: 'string' } },
      isTame: { type: ['boolean', 'null'] },
      owner: createObject({ name: { type: 'string' } }),
    });
    const api = await startApi({ paths: createResourcePaths('/pets/{petId}', Pet) });
    await api.ask('POST', '/pets', { name: 'Rex', isTame: true });
    const { columns, entries } = (await createControlClient(api)('GET', '/default/state/pets')).body;
    expect(columns).toEqual([
      { title: 'name', format: 'text' },
      { title: 'born', format: 'time' },
      { title: 'isTame', format: 'boolean' },
      { title: 'id', format: 'id' },
    ]);
    expect(entries[0].cells).toEqual(['Rex', null, true, 1]);
  });

  it('shows whole entries if the contract does not describe their properties', async () => {
    const api = await startApi({ paths: createResourcePaths('/notes/{noteId}', { type: 'object' }) });
    await api.ask('POST', '/notes', { text: 'Hello' });
    const { columns, entries } = (await createControlClient(api)('GET', '/default/state/notes')).body;
    expect(columns.at(-1)).toEqual({ title: expect.any(String), format: expect.any(String) });
    expect(entries[0].entry).toMatchObject({ text: 'Hello' });
  });

  it('rejects an unknown collection, and lists the collections', async () => {
    const { sendControl } = newSandbox();
    await sendControl('PUT', '');
    const reply = await sendControl('GET', '/state/cart');
    expectProblem(reply, 404, 'unknown-collection');
    expect(reply.body.detail).toContain('products, deliveryOptions, cartItems, orders');
  });
});

describe('GET /_control/sandboxes/ID/state/COLLECTION/search', () => {
  it('explains how the search finds products, with the cells of their table', async () => {
    const { words, suggestion, results, columns } = await listEntries('products/search?term=ketle');
    expect(suggestion).toBe('kettle');
    expect(words).toMatchObject([{ word: 'ketle', matches: [{ text: 'kettle', how: 'misspelled', entries: 1 }] }]);
    expect(results).toMatchObject([{ position: 14, entry: defaults.products[14] }]);
    expect(results[0].cells).toHaveLength(columns.length);
  });

  it('explains at most the number of results in limit', async () => {
    const { total, results } = await listEntries('products/search?term=kitchen&limit=2');
    expect([total, results.length]).toEqual([6, 2]);
  });

  it.each(['orders', 'cartItems'])('is refused for a collection without a search: %s', async (collection) => {
    const { sendControl } = newSandbox();
    await sendControl('PUT', '');
    const reply = await sendControl('GET', `/state/${collection}/search?term=kettle`);
    expectProblem(reply, 404, 'no-search');
    expect(reply.body.detail).toContain('products');
  });

  it('is refused by an application without a search', async () => {
    const api = await startApi({ paths: createResourcePaths('/notes/{noteId}', { type: 'object' }) });
    expectProblem(await createControlClient(api)('GET', '/default/state/notes/search?term=a'), 404, 'no-search');
  });
});

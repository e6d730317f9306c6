import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getSearch } from '../../src/shop/search/product-search.ts';
import { createLargeState, createProducts } from '../support/fixtures/many-products.ts';
import { advanceClockByReads } from '../support/harness/advance-clock.ts';
import { eventually } from '../support/harness/edited-file.ts';
import { replaceInContract, startWithContractFile, withProductFields } from '../support/harness/live-contract.ts';
import { connectRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/** More than 8 MB of JSON: more than the buffers of a connection and the small entries of the response cache. */
const products = createProducts(2_500).map((product) => ({ ...product, image: `images/${'x'.repeat(3_200)}.jpg` }));
const large = { ...createLargeState(0), products };
const largeText = JSON.stringify(products);

async function startLarge(
  state: object = large,
  options: Parameters<typeof startStorefront>[0] = {},
): Promise<TestShop> {
  const data = join(await tempFolder(), 'db.json');
  await writeFile(data, JSON.stringify(state));
  return startStorefront({ data, ...options });
}

describe('a long list', () => {
  it('has the same status, headers and bytes as a short list with these entries, also from the response cache', async () => {
    const shop = await startLarge();
    const short = await sendRawRequest((await startStorefront()).port, 'GET /api/products');
    for (let time = 1; time <= 2; time++) {
      const { status, headers, size, body } = await sendRawRequest(shop.port, 'GET /api/products');
      expect(status).toBe(200);
      expect({ ...headers, date: [], 'content-length': [] }).toEqual({
        ...short.headers,
        date: [],
        'content-length': [],
      });
      expect(headers['content-length']).toEqual([String(size)]);
      expect(JSON.stringify(body) === largeText).toBe(true);
    }
    const head = await sendRawRequest(shop.port, 'HEAD /api/products');
    expect(head.headers['content-length']).toEqual([String(Buffer.byteLength(largeText))]);
    expect(head.size).toBe(0);
  });

  it('of a search is the result of the search', async () => {
    const state = createLargeState(2_000);
    const shop = await startLarge(state);
    const search = getSearch([...state.products]);
    for (const term of ['shoes', 'shose', 'running shoes', 'o', 'towels 1999', 'no such thing', ' ']) {
      // The second response comes from the response cache.
      for (let time = 1; time <= 2; time++) {
        const { body } = await shop.ask('GET', `/api/products?search=${encodeURIComponent(term)}`);
        expect(body, term).toEqual(search(term));
      }
    }
  });

  it('does not delay other requests', async () => {
    const shop = await startLarge(createLargeState(10_000), { responseCache: false });
    const client = connectRaw(shop.port);
    client.write('GET /api/payment-summary HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until(/\}$/);
    const before = client.received();
    advanceClockByReads();
    client.write('GET /api/products HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let others = 0;
    for (; client.received() === before; others++)
      expect((await shop.ask('GET', '/api/delivery-options')).status).toBe(200);
    // Without slices, the server would send the list before it handles the second of the other requests.
    expect(others).toBeGreaterThan(5);
  });

  it('is the list of one state, although the state changes while the client receives it', async () => {
    const shop = await startLarge();
    const client = connectRaw(shop.port);
    client.write('GET /api/products HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await client.until('HTTP/1.1 200');
    client.socket.pause();
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect((await shop.ask('GET', '/api/products')).body).toHaveLength(40);
    client.socket.resume();
    const text = await client.end();
    expect(text.slice(text.indexOf('\r\n\r\n') + 4) === Buffer.from(largeText).toString('latin1')).toBe(true);
  });

  it.each([
    ['receives it', 'HTTP/1.1 200'],
    ['waits for it', ''],
  ])('can be requested again after a client has closed the connection while it %s', async (_when, received) => {
    const shop = await startLarge(large, { responseCache: false });
    const client = connectRaw(shop.port);
    client.write('GET /api/products HTTP/1.1\r\nHost: localhost\r\n\r\n');
    // The server has read the request when it responds to a later one.
    await shop.ask('GET', '/api/delivery-options');
    await client.until(received);
    client.socket.destroy();
    await eventually(() =>
      expect(shop.log.map(({ notes }) => String(notes))).toContain('the client closed the connection'),
    );
    expect((await shop.ask('GET', '/api/products')).text === largeText).toBe(true);
  });

  it('is in the journal with its size and its first 4 kB', async () => {
    const shop = await startLarge();
    for (let time = 0; time < 2; time++) await shop.ask('GET', '/api/products');
    const { body } = await shop.ask('GET', '/_control/sandboxes/default/requests');
    expect(body).toHaveLength(2);
    for (const { response } of body) {
      expect(response).toMatchObject({ status: 200, bytes: Buffer.byteLength(largeText), isTruncated: true });
      expect(Buffer.byteLength(response.body)).toBeGreaterThan(4_092);
      expect(largeText.startsWith(response.body)).toBe(true);
    }
  });

  it('is replaced by a problem document with --verify strict if it violates the contract', async () => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, JSON.stringify(createLargeState(1_100)));
    const contract = replaceInContract('type: array\n', 'type: array\n                maxItems: 1050\n');
    const { shop } = await startWithContractFile({ data, errorsExpected: true }, contract);
    const { status, body } = await shop.ask('GET', '/api/products');
    expect([status, body.detail]).toEqual([500, expect.stringContaining('must NOT have more than 1050 items')]);
    expect((await shop.ask('GET', '/api/products?search=1099')).body).toHaveLength(1);
  });

  it('has the fields that the contract gained, the same in every response', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'db.json'), JSON.stringify(createLargeState(2_000)));
    const contract = withProductFields('weightGrams: { type: integer, minimum: 50, maximum: 5000 }');
    const { shop } = await startWithContractFile({ data: join(folder, 'db.json') }, contract);
    const { body, headers } = await shop.ask('GET', '/api/products');
    expect(headers.get('x-mocked')).toBe('/*/weightGrams');
    expect(body).toHaveLength(2_000);
    expect(body.every(({ weightGrams }: { weightGrams: number }) => weightGrams >= 50)).toBe(true);
    const found = await shop.ask('GET', '/api/products?search=1999');
    expect(found.body).toEqual([body[1_999]]);
  });
});

import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { defaults } from '../support/default-data.ts';
import { contractText, startLive, toldOf, withReviews } from '../support/live-contract.ts';

describe('a contract that is saved while the shop runs', () => {
  it('brings its new operations, mocked, and leaves the state as it is', async () => {
    const { shop, save } = await startLive();
    await shop.ask('POST', '/api/orders');
    expect((await shop.ask('GET', '/api/reviews')).status).toBe(404);
    await save(withReviews);
    expect(await toldOf(shop, 'was read anew')).toContain('new operations: listReviews (mocked)');
    const { status, headers, body } = await shop.ask('GET', '/api/reviews');
    expect([status, headers.get('x-mocked'), typeof body[0]]).toEqual([200, 'operation', 'string']);
    expect((await shop.ask('GET', '/api/orders')).body).toHaveLength(defaults.orders.length + 1);
    expect((await shop.ask('GET', '/openapi.yaml')).text).toBe(withReviews);
    await save(contractText);
    await toldOf(shop, 'operations that are gone: listReviews');
    expect((await shop.ask('GET', '/api/reviews')).status).toBe(404);
  });

  it('leaves requests that have begun to the contract that they began under', async () => {
    const { shop, save } = await startLive({}, withReviews);
    const slow = shop.ask('GET', '/api/reviews', undefined, { Prefer: 'delay=1500' });
    await new Promise((done) => setTimeout(done, 100));
    await save(contractText);
    await toldOf(shop, 'operations that are gone');
    expect((await slow).status).toBe(200);
  });

  it('is waited for where an editor takes it away first', async () => {
    const { shop, path, save } = await startLive();
    await rm(path);
    await new Promise((done) => setTimeout(done, 500));
    expect((await shop.ask('GET', '/api/products')).status).toBe(200);
    await save(withReviews);
    await toldOf(shop, 'listReviews');
  });
});

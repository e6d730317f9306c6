import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LOOK_MS, signatureOf, watchFile } from '../../src/server/contract-watcher.ts';
import type { Handler } from '../../src/shop/operations/handler.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { contractText, replaced, startLive, toldOf, withReviews } from '../support/harness/live-contract.ts';

const SUMMARY = {
  totalItems: 1,
  productCostCents: 100,
  shippingCostCents: 0,
  totalCostBeforeTaxCents: 100,
  taxCents: 10,
  totalCostCents: 110,
};

/** Something that one waits for and another gives. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((done) => {
    give = done;
  });
  return { given, give };
}

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
    const [begun, gate] = [signal(), signal()];
    const getPaymentSummary: Handler<'getPaymentSummary'> = async () => {
      begun.give();
      await gate.given;
      return { body: SUMMARY };
    };
    const { shop, save } = await startLive({ handlers: { getPaymentSummary } });
    const slow = shop.ask('GET', '/api/payment-summary');
    await begun.given;
    await save(replaced('  /api/payment-summary:\n', '  /api/summary:\n'));
    await toldOf(shop, 'was read anew');
    expect((await shop.ask('GET', '/api/payment-summary')).status).toBe(404);
    gate.give();
    expect((await slow).body).toEqual(SUMMARY);
  });
});

describe('the file of a contract', () => {
  it('is waited for where an editor takes it away first, and while it is written', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(await folderWith({ 'openapi.yaml': contractText }), 'openapi.yaml');
    const changed = vi.fn(async () => {});
    onTestFinished(watchFile(path, signatureOf(path), changed));
    await rm(path);
    vi.advanceTimersByTime(5_000);
    await writeFile(path, 'half of it');
    vi.advanceTimersByTime(LOOK_MS);
    await writeFile(path, withReviews);
    vi.advanceTimersByTime(LOOK_MS);
    expect(changed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5_000);
    expect(changed).toHaveBeenCalledOnce();
  });
});

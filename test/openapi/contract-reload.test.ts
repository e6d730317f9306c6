import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getFileSignature, POLL_MS, watchFile } from '../../src/server/file-watcher.ts';
import type { Handler } from '../../src/shop/operations/handler.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import {
  contractText,
  replaceInContract,
  startWithContractFile,
  waitForLog,
  withReviews,
} from '../support/harness/live-contract.ts';

const SUMMARY = {
  totalItems: 1,
  productCostCents: 100,
  shippingCostCents: 0,
  totalCostBeforeTaxCents: 100,
  taxCents: 10,
  totalCostCents: 110,
};

/** Creates a promise and the function that resolves it. */
function createSignal() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('saving the contract while the server runs', () => {
  it('adds new operations, mocked, and keeps the state', async () => {
    const { shop, save } = await startWithContractFile();
    await shop.ask('POST', '/api/orders');
    expect((await shop.ask('GET', '/api/reviews')).status).toBe(404);
    await save(withReviews);
    expect(await waitForLog(shop, 'was reloaded')).toContain('new operations: listReviews (mocked)');
    const { status, headers, body } = await shop.ask('GET', '/api/reviews');
    expect([status, headers.get('x-mocked'), typeof body[0]]).toEqual([200, 'operation', 'string']);
    expect((await shop.ask('GET', '/api/orders')).body).toHaveLength(defaults.orders.length + 1);
    expect((await shop.ask('GET', '/openapi.yaml')).text).toBe(withReviews);
    await save(contractText);
    await waitForLog(shop, 'removed operations: listReviews');
    expect((await shop.ask('GET', '/api/reviews')).status).toBe(404);
  });

  it('logs that the contract is valid again if an error was corrected', async () => {
    const { shop, save, path } = await startWithContractFile();
    await save('paths: [');
    await waitForLog(shop, 'The previous contract stays in use', 40);
    await save(contractText);
    expect(await waitForLog(shop, 'valid again')).toBe(
      `${path} is valid again. It contains the contract that the server already uses`,
    );
  });

  it('completes requests in progress under the contract that they started with', async () => {
    const [started, gate] = [createSignal(), createSignal()];
    const getPaymentSummary: Handler<'getPaymentSummary'> = async () => {
      started.resolve();
      await gate.promise;
      return { body: SUMMARY };
    };
    const { shop, save } = await startWithContractFile({ handlers: { getPaymentSummary } });
    const slow = shop.ask('GET', '/api/payment-summary');
    await started.promise;
    await save(replaceInContract('  /api/payment-summary:\n', '  /api/summary:\n'));
    await waitForLog(shop, 'was reloaded');
    expect((await shop.ask('GET', '/api/payment-summary')).status).toBe(404);
    gate.resolve();
    expect((await slow).body).toEqual(SUMMARY);
  });
});

describe('watchFile', () => {
  it('waits while an editor removes the file and while it is written', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(await folderWith({ 'openapi.yaml': contractText }), 'openapi.yaml');
    const changed = vi.fn(async () => {});
    onTestFinished(watchFile(path, getFileSignature(path), changed));
    await rm(path);
    vi.advanceTimersByTime(5_000);
    await writeFile(path, 'half of it');
    vi.advanceTimersByTime(POLL_MS);
    await writeFile(path, withReviews);
    vi.advanceTimersByTime(POLL_MS);
    expect(changed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5_000);
    expect(changed).toHaveBeenCalledOnce();
  });
});

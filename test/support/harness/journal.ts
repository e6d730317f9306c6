import { expect } from 'vitest';
import { ITEM } from '../fixtures/cart-item.ts';
import type { SandboxClient } from './shared-shop.ts';
import type { TestResponse } from './start-storefront.ts';

/** A request journal, or one of its entries, as the control API returns it. */
export type Journal = TestResponse['body'];

/** Returns the entries in the journal of a sandbox. `query`: the query of the request, for example `?limit=1`. */
export async function getJournal({ sendControl }: Pick<SandboxClient, 'sendControl'>, query = ''): Promise<Journal> {
  const { status, body } = await sendControl('GET', `/requests${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Returns the ids of the entries in the journal of a sandbox. `query`: the query of the request, for example `?limit=1`. */
export async function getIds(sandbox: Pick<SandboxClient, 'sendControl'>, query = ''): Promise<readonly number[]> {
  return (await getJournal(sandbox, query)).map(({ id }: { id: number }) => id);
}

/** Returns the latest entry in the journal of a sandbox. */
export async function getLastEntry(sandbox: SandboxClient): Promise<Journal> {
  return (await getJournal(sandbox, '?limit=1'))[0];
}

/** Sends `count` requests for the payment summary, one after the other. */
export async function sendRequests({ ask }: Pick<SandboxClient, 'ask'>, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await ask('GET', '/api/payment-summary');
}

/** Sends five different requests in a sandbox. Returns the sandbox. */
export async function sendFiveRequests(sandbox: SandboxClient): Promise<SandboxClient> {
  await sandbox.ask('GET', '/api/orders', undefined, { 'X-Page': 'orders' });
  await sandbox.ask('POST', '/api/cart-items', ITEM, { 'X-Page': 'product' });
  await sandbox.ask('POST', '/api/cart-items', { ...ITEM, quantity: 11 });
  await sandbox.ask('GET', '/api/products?search=kettle');
  await sandbox.ask('GET', '/api/none');
  return sandbox;
}

/** Verifies the requests in the journal of a sandbox with the control API. Returns the result. */
export async function verify({ sendControl }: SandboxClient, filter: object): Promise<TestResponse['body']> {
  const { status, body } = await sendControl('POST', '/requests/verify', filter);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

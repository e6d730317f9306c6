import { expect } from 'vitest';
import type { SandboxClient } from './shared-shop.ts';

/** Adds a fault to a sandbox. Returns the id of the fault. */
export async function addFault({ sendControl }: SandboxClient, fault: object): Promise<string> {
  const { status, body } = await sendControl('POST', '/faults', fault);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.id;
}

/** Returns the counters of a fault: the number of requests that matched it, the number of requests to which it applied, and whether it has expired. */
export async function getCounters(
  { sendControl }: SandboxClient,
  id: string,
): Promise<readonly [matched: number, applied: number, expired: boolean]> {
  const { body } = await sendControl('GET', `/faults/${id}`);
  return [body.matched, body.applied, body.expired];
}

/** Returns the number of orders in a sandbox. */
export async function countOrders({ sendControl }: SandboxClient): Promise<number> {
  return (await sendControl('GET', '')).body.counts.orders;
}

/** Sends the same request `count` times, one after the other. Returns the statuses, separated by spaces: `503 503 200`. */
export async function getStatuses(
  { ask }: SandboxClient,
  count: number,
  method = 'GET',
  path = '/api/orders',
): Promise<string> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await ask(method, path)).status);
  return statuses.join(' ');
}

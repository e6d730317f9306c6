import { describe, expect, it } from 'vitest';
import { checked, told } from '../support/harness/check.ts';
import { type OrdersWays, ordersContract, ordersServer } from '../support/reference-servers/orders-server.ts';

const WAYS: readonly [about: string, ways: OrdersWays, headers: Readonly<Record<string, string>>][] = [
  ['sends error bodies that its contract does not describe', {}, {}],
  ['requires a key, and gets it', { isSecured: true }, { 'x-key': 'right' }],
  ['requires a key, and does not get it', { isSecured: true }, {}],
  ['is behind a proxy that sends HTML pages', { hasProxy: true }, {}],
  ['limits the rate of requests', { letsThrough: 40 }, {}],
];

describe('checkServer for a correct server', () => {
  it.each(WAYS)('finds nothing in a server that %s', async (_, ways, headers) => {
    const contract = await ordersContract();
    for (const seed of [1, 2]) {
      const { url } = await ordersServer(ways);
      const verdict = await checked(url, { contract, headers, seed, runs: 20, isFresh: false });
      expect(told(verdict.findings)).toEqual([]);
      expect(verdict.unchecked).toEqual([]);
    }
  });

  it('notes once that the server limits the rate of requests', async () => {
    const { url } = await ordersServer({ letsThrough: 30 });
    const { notes } = await checked(url, { contract: await ordersContract(), isFresh: false });
    expect(notes.filter((note) => note.includes('limits the request rate'))).toHaveLength(1);
  });

  it('sends no request without a body if a form has no fields', async () => {
    const { url, seen } = await ordersServer();
    await checked(url, { contract: await ordersContract(), runs: 20, isFresh: false });
    const forms = seen.filter(({ headers }) => headers['content-type'] === 'application/x-www-form-urlencoded');
    expect(forms.length).toBeGreaterThan(3);
    expect(forms.filter(({ body }) => body.length === 0)).toEqual([]);
  });
});

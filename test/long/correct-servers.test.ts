import { describe, expect, it } from 'vitest';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import {
  loadOrdersContract,
  type OrdersVariants,
  startOrdersServer,
} from '../support/reference-servers/orders-server.ts';

const KEY = { 'x-key': 'right' };

// A server whose contract requires a key checks the key. Otherwise it would not be correct.
const WAYS: readonly [about: string, ways: OrdersVariants, headers: Readonly<Record<string, string>>][] = [
  ['sends error bodies that its contract does not describe', { isSecured: false }, {}],
  ['requires a key, and gets it', { isSecured: true }, KEY],
  ['is behind a proxy that sends HTML pages', { isSecured: true, hasProxy: true }, KEY],
  ['limits the rate of requests', { isSecured: true, letsThrough: 40 }, KEY],
  ['limits the rate of requests, and requires no key', { isSecured: false, letsThrough: 40 }, {}],
];

describe('checkServer for a correct server', () => {
  it.each(WAYS)('finds nothing in a server that %s', async (_, ways, headers) => {
    const contract = await loadOrdersContract(ways);
    for (const seed of [1, 2]) {
      const { url } = await startOrdersServer(ways);
      const verdict = await runCheck(url, { contract, headers, seed, runs: 20, isFresh: false });
      expect(formatFindings(verdict.findings)).toEqual([]);
      expect(verdict.unchecked).toEqual([]);
    }
  });

  it('finds nothing in a server that requires a key and does not get it, and is incomplete', async () => {
    const { url } = await startOrdersServer({ isSecured: true });
    const contract = await loadOrdersContract();
    const verdict = await runCheck(url, { contract, runs: 20, isFresh: false });
    expect(formatFindings(verdict.findings)).toEqual([]);
    expect(verdict.unchecked).toContainEqual(expect.stringMatching(/^\w+ \(only [\d, ]*401[\d, ]* received\)$/));
    expect(verdict.notes).toContainEqual(expect.stringContaining('send credentials with --header'));
  });

  it('notes once that the server limits the rate of requests', async () => {
    const { url } = await startOrdersServer({ letsThrough: 30 });
    const { notes } = await runCheck(url, { contract: await loadOrdersContract(), isFresh: false });
    expect(notes.filter((note) => note.includes('limits the request rate'))).toHaveLength(1);
  });

  it('sends no request without a body if a form has no fields', async () => {
    const { url, seen } = await startOrdersServer();
    await runCheck(url, { contract: await loadOrdersContract(), runs: 20, isFresh: false });
    const forms = seen.filter(({ headers }) => headers['content-type'] === 'application/x-www-form-urlencoded');
    expect(forms.length).toBeGreaterThan(3);
    expect(forms.filter(({ body }) => body.length === 0)).toEqual([]);
  });
});

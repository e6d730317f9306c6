import { expect, it } from 'vitest';
import { EntityTags } from '../../src/check/entity-tags.ts';
import type { Exchange } from '../../src/check/exchange.ts';

const ROUTE = { operationId: 'getReport' } as never;

function createExchange(text: string, etag = '"a"'): Exchange {
  const headers = { etag, 'content-type': 'application/json' };
  const response = { status: 200, headers, text, body: JSON.parse(text) as unknown, jsonError: undefined };
  return { request: { method: 'GET', target: '/reports/1' }, response };
}

it('the record of ETags finds a difference at the end of a long body, of which it keeps only the beginning', () => {
  const [first, same, other] = ['x', 'x', 'y'].map((end) => createExchange(`["${'a'.repeat(5_000)}${end}"]`));
  const tags = new EntityTags();
  expect([first, same].map((one) => tags.record(ROUTE, one as Exchange))).toEqual([false, true]);
  expect(tags.same.size).toBe(0);
  tags.record(ROUTE, other as Exchange);
  const [kept] = tags.same.get(ROUTE) ?? [];
  expect(kept?.response.text).toMatch(/^\["a{998}…$/);
  expect(kept?.response.body).toBeUndefined();
});

import { expect, it, vi } from 'vitest';
import { createLogger } from '../../src/server/logger.ts';
import { getTraceId } from '../../src/util/ids.ts';
import { getJournal } from '../support/harness/journal.ts';
import { getSandboxClient } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACE_PARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

it.each([
  [TRACE_PARENT, TRACE_ID],
  [`cc-${TRACE_ID}-00f067aa0ba902b7-01`, TRACE_ID],
  [`cc-${TRACE_ID}-00f067aa0ba902b7-01-what-the-future-brings`, TRACE_ID],
  [`cc-${TRACE_ID}-00f067aa0ba902b7-01.what`, undefined],
  [`${TRACE_PARENT}-more`, undefined],
  [`ff-${TRACE_ID}-00f067aa0ba902b7-01`, undefined],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${TRACE_ID}-${'0'.repeat(16)}-01`, undefined],
  [TRACE_PARENT.toUpperCase(), undefined],
  [`${TRACE_PARENT}, ${TRACE_PARENT}`, undefined],
  [`00-${TRACE_ID}-00f067aa0ba902b7`, undefined],
  ['', undefined],
  [undefined, undefined],
])('traceparent %j has the trace id %j', (header, expected) => {
  expect(getTraceId(header)).toBe(expected);
});

it('the log and the journal have the trace id of a request, also of one from the response cache', async () => {
  const shop = await startStorefront();
  const headers = { traceparent: TRACE_PARENT };
  await shop.ask('GET', '/api/products', undefined, headers);
  await shop.ask('GET', '/api/products', undefined, headers);
  await shop.ask('POST', '/api/orders', undefined, headers);
  await shop.ask('GET', '/api/orders', undefined, { traceparent: 'invalid' });
  const expected = [TRACE_ID, TRACE_ID, TRACE_ID, undefined];
  await vi.waitFor(() => expect(shop.log.filter(({ method }) => method)).toHaveLength(4), { timeout: 60_000 });
  expect(shop.log.filter(({ method }) => method).map(({ traceId }) => traceId)).toEqual(expected);
  const journal = await getJournal(getSandboxClient(shop, 'default'));
  expect(journal.map(({ traceId }: { traceId?: string }) => traceId)).toEqual(expected);
});

it('a readable log line ends with the trace id', () => {
  const lines: string[] = [];
  const log = createLogger('pretty', { write: (line) => lines.push(line) });
  log.info({ method: 'GET', path: '/', status: 200, ms: 1, traceId: TRACE_ID });
  expect(lines).toEqual([expect.stringMatching(`1 ms ${TRACE_ID}\n$`)]);
});

import { Journal, JournalMemory } from '../../../src/sandbox/journal/journal.ts';
import type { RecordedRequest } from '../../../src/sandbox/journal/recorded-request.ts';
import { NOW_MS } from './start-storefront.ts';

/** Returns a recorded request for the list of products. `overrides`: properties with other values. */
export function createRequest(overrides: Partial<RecordedRequest> = {}): RecordedRequest {
  return {
    method: 'GET',
    url: '/api/products',
    prefix: '',
    rawHeaders: [],
    response: undefined,
    durationMs: 0,
    operationId: 'listProducts',
    remarks: undefined,
    ...overrides,
  };
}

/** Returns the recorded response of a request, with this body. */
export function createResponse(text: string, headers: Record<string, string> = {}): RecordedRequest['response'] {
  return { status: 200, headers, bytes: Buffer.byteLength(text), text };
}

/**
 * Creates journals that share a memory limit and a monotonic clock. The clock advances by a second each time it is read. `maxRecords`: the maximum number of
 * requests in each journal.
 */
export function createTestJournals<const Numbers extends readonly number[]>(
  ...maxRecords: Numbers
): { -readonly [Index in keyof Numbers]: Journal } {
  let timeMs = 0;
  const elapsedMs = () => {
    timeMs += 1_000;
    return timeMs;
  };
  const parts = { nowMs: () => NOW_MS, elapsedMs, memory: new JournalMemory(), onUnfollow() {} };
  return maxRecords.map((most) => new Journal({ ...parts, maxRecords: most })) as {
    -readonly [Index in keyof Numbers]: Journal;
  };
}

/** Creates a journal that stores at most `maxRecords` requests. */
export function createJournal(maxRecords: number): Journal {
  return createTestJournals(maxRecords)[0];
}

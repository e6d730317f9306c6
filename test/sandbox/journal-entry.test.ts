import { describe, expect, it } from 'vitest';
import { type RecordedRequest, toJournalEntry, truncateText } from '../../src/sandbox/journal/recorded-request.ts';
import { createJournal, createRequest, createResponse } from '../support/harness/journals.ts';

const REDACTED = '[redacted]';

/** Returns the journal entry of a request. */
function getEntry(overrides: Partial<RecordedRequest>) {
  const journal = createJournal(1);
  journal.add(createRequest(overrides));
  const [entry] = journal.records().map(toJournalEntry);
  if (!entry) throw new Error('the journal has none');
  return entry;
}

describe('toJournalEntry', () => {
  it('returns all parts of a request, with the duration rounded to 0.1 ms', () => {
    expect(
      getEntry({
        method: 'POST',
        url: '/_sandbox/w1/api/orders?a=1&a=2&b=%20',
        prefix: '/_sandbox/w1',
        rawHeaders: ['Host', 'shop', 'X-Page', 'a', 'x-page', 'b'],
        bodyText: '{"a":1}',
        response: createResponse('[]', { 'Content-Type': 'application/json' }),
        durationMs: 1.2345,
        operationId: 'createOrder',
        remarks: { notes: ['a note'], responseViolations: ['a violation'], forced: { faults: ['f1'] } },
      }),
    ).toEqual({
      id: 1,
      at: '2025-06-01T12:00:00.000Z',
      durationMs: 1.2,
      operation: 'createOrder',
      request: {
        method: 'POST',
        url: '/_sandbox/w1/api/orders?a=1&a=2&b=%20',
        path: '/api/orders',
        query: { a: ['1', '2'], b: ' ' },
        headers: { host: 'shop', 'x-page': 'a, b' },
        body: { a: 1 },
      },
      response: { status: 200, headers: { 'content-type': 'application/json' }, bytes: 2, body: [] },
      notes: ['a note'],
      responseViolations: ['a violation'],
      forced: { faults: ['f1'] },
    });
  });

  it('omits empty parts', () => {
    expect(getEntry({ operationId: undefined, remarks: { notes: [], violations: [] } })).toEqual({
      id: 1,
      at: '2025-06-01T12:00:00.000Z',
      durationMs: 0,
      request: { method: 'GET', url: '/api/products', path: '/api/products', query: {}, headers: {} },
      response: null,
    });
  });

  it.each<readonly [what: string, sent: string | undefined, body: object]>([
    ['an object', '{"a":1}', { body: { a: 1 } }],
    ['null', 'null', { body: null }],
    ['a string', '"a"', { body: 'a' }],
    ['invalid JSON', '{"a":', { body: '{"a":' }],
    ['a form', 'a=1', { body: 'a=1' }],
    ['a long number', `1${'2'.repeat(4_096)}`, { body: `1${'2'.repeat(4_095)}`, isTruncated: true }],
    ['a string of 4 kB', JSON.stringify('x'.repeat(4_094)), { body: 'x'.repeat(4_094) }],
    ['an empty body', '', {}],
    ['no body', undefined, {}],
  ])('returns a body as JSON, otherwise as text: %s', (_, sent, expected) => {
    const { method, url, path, query, headers, ...rest } = getEntry({ bodyText: sent }).request;
    expect([method, url, path, query, headers]).toEqual(['GET', '/api/products', '/api/products', {}, {}]);
    expect(rest).toEqual(expected);
  });

  it('truncates a long response', () => {
    const text = truncateText('x'.repeat(5_000));
    const { response } = getEntry({ response: { status: 200, headers: {}, bytes: 5_000, text } });
    expect(response).toEqual({ status: 200, headers: {}, bytes: 5_000, body: text, isTruncated: true });
  });

  it('redacts secrets in every part', () => {
    const entry = getEntry({
      url: '/api/products?token=hunter2',
      rawHeaders: ['Authorization', 'Bearer hunter2', 'COOKIE', 'a=hunter2', 'X-Api-Key', 'hunter2'],
      bodyText: '{"user":{"password":"hunter2"}}',
      response: createResponse('{"sessionId":"hunter2"}', { 'Set-Cookie': 'a=hunter2' }),
      remarks: {
        notes: ['ignored /api/products?token=hunter2'],
        violations: [
          { in: 'query', pointer: '/token', rule: 'type', value: 'hunter2', remedy: 'send a number' },
          { in: 'body', pointer: '', rule: 'type', value: { password: 'hunter2' }, remedy: 'send a list' },
        ],
      },
    });
    expect(JSON.stringify(entry)).not.toContain('hunter2');
    expect(entry.request.body).toEqual({ user: { password: REDACTED } });
    expect(entry.violations?.[1]?.value).toEqual({ password: REDACTED });
  });

  it('redacts secrets in a path', () => {
    expect(JSON.stringify(getEntry({ url: '/api/orders;token=hunter2' }))).not.toContain('hunter2');
  });

  it('redacts secrets in a URL in a header', () => {
    const entry = getEntry({ rawHeaders: ['Referer', 'http://shop/login?token=hunter2'] });
    expect(JSON.stringify(entry)).not.toContain('hunter2');
  });

  it.each(['//api//products', '/', '/%', '/?', '/?=', '/?&&', '*', '/a?%zz', '/:99999', '/\\\\a'])(
    'accepts any URL: %s',
    (url) => {
      expect(getEntry({ url }).request.url).toBe(url);
    },
  );
});

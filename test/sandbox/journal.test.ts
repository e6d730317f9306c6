import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateText } from '../../src/sandbox/journal/compact.ts';
import {
  createJournals,
  type Journal,
  type Journals,
  type RecordedRequest,
} from '../../src/sandbox/journal/journal.ts';
import { toJournalEntry } from '../../src/sandbox/journal/journal-entry.ts';
import { redactSecrets, redactText } from '../../src/util/redact-secrets.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';

const KEPT_BYTES = 4096;
const MOST_BYTES = 32 * 1024 * 1024;

/** Returns a request for the list of products with some properties replaced. */
function createRequest(overrides: Partial<RecordedRequest> = {}): RecordedRequest {
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

/** Returns the journal entry of a request. */
function getEntry(overrides: Partial<RecordedRequest>) {
  const journal = createJournal(1);
  journal.add(createRequest(overrides));
  const [entry] = journal.entries().map(toJournalEntry);
  if (!entry) throw new Error('the journal has none');
  return entry;
}

/** Returns a response with this body. */
function createResponse(text: string, headers: Record<string, string> = {}): RecordedRequest['response'] {
  return { status: 200, headers, bytes: Buffer.byteLength(text), text };
}

/** Creates journals whose monotonic clock advances by a second on each read. */
function createTestJournals(): Journals {
  let elapsedMs = 0;
  const elapsed = () => {
    elapsedMs += 1_000;
    return elapsedMs;
  };
  return createJournals(() => NOW_MS, elapsed);
}

/** Creates a journal of at most this number of requests. */
function created(journals: Journals, most: number): Journal {
  return journals.create(most);
}

function createJournal(most: number): Journal {
  return created(createTestJournals(), most);
}

/** Returns the ids of the requests in a journal. */
function getIds(journal: Journal): readonly number[] {
  return journal.entries().map(({ id }) => id);
}

/** A request of a million bytes: the URL has them, because bodies are truncated. */
const LARGE: Partial<RecordedRequest> = { url: `/${'x'.repeat(999_999)}` };

describe('truncateText', () => {
  it.each<readonly [about: string, text: string, kept: string]>([
    ['an empty text', '', ''],
    ['a short text', 'abc', 'abc'],
    ['4,096 bytes', 'a'.repeat(4096), 'a'.repeat(4096)],
    ['one byte more', 'a'.repeat(4097), 'a'.repeat(4096)],
    ['characters of two bytes', 'é'.repeat(2048), 'é'.repeat(2048)],
    ['a character of two bytes across the limit', `a${'é'.repeat(2048)}`, `a${'é'.repeat(2047)}`],
    ['a character of three bytes across the limit', '€'.repeat(1366), '€'.repeat(1365)],
    ['a character of four bytes across the limit', `a${'😀'.repeat(1024)}`, `a${'😀'.repeat(1023)}`],
    ['a surrogate pair across the limit', `${'a'.repeat(4095)}😀`, 'a'.repeat(4095)],
    ['a surrogate pair just within the limit', `${'a'.repeat(4092)}😀`, `${'a'.repeat(4092)}😀`],
    ['a surrogate pair just within the limit, and more text', `${'a'.repeat(4092)}😀b`, `${'a'.repeat(4092)}😀`],
  ])('returns the first 4 kB in whole characters: %s', (_, text, kept) => {
    expect(truncateText(text)).toBe(kept);
  });

  it('returns as many whole characters as fit, at each position of the limit', () => {
    for (const character of ['a', 'é', '€', '😀']) {
      for (let before = 4080; before <= 4100; before++) {
        const text = 'a'.repeat(before) + character.repeat(10);
        const beginning = truncateText(text);
        const bytes = Buffer.byteLength(beginning);
        expect(text.startsWith(beginning)).toBe(true);
        expect(bytes).toBeLessThanOrEqual(KEPT_BYTES);
        if (beginning !== text) expect(bytes).toBeGreaterThan(KEPT_BYTES - Buffer.byteLength(character));
      }
    }
  });
});

describe('a journal', () => {
  it('numbers requests in the order of arrival', () => {
    const journal = createJournal(5);
    for (const url of ['/a', '/b', '/c']) journal.add(createRequest({ url }));
    expect(journal.entries().map(({ id, url, atMs }) => [id, url, atMs])).toEqual([
      [1, '/a', NOW_MS],
      [2, '/b', NOW_MS],
      [3, '/c', NOW_MS],
    ]);
  });

  it('keeps only the newest requests up to its limit', () => {
    const journal = createJournal(3);
    for (let n = 0; n < 7; n++) journal.add(createRequest());
    expect(getIds(journal)).toEqual([5, 6, 7]);
  });

  it('continues its numbers after it is cleared', () => {
    const journal = createJournal(3);
    for (let n = 0; n < 2; n++) journal.add(createRequest());
    journal.clear();
    expect(getIds(journal)).toEqual([]);
    for (let n = 0; n < 4; n++) journal.add(createRequest());
    expect(getIds(journal)).toEqual([4, 5, 6]);
  });

  it('returns the id of the last dropped request until it is cleared', () => {
    const journal = createJournal(3);
    const lastDroppedId = [0, 1, 2].map(() => {
      for (let n = 0; n < 2; n++) journal.add(createRequest());
      return journal.lastDroppedId();
    });
    journal.clear();
    expect([...lastDroppedId, journal.lastDroppedId()]).toEqual([0, 1, 3, 0]);
  });

  it('keeps the newest requests in any order of additions and clears', () => {
    const steps = fc.array(fc.constantFrom('add', 'add', 'add', 'add', 'clear'), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), steps, (most, actions) => {
        const journal = createJournal(most);
        let [last, lastDroppedId, kept]: [number, number, number[]] = [0, 0, []];
        for (const step of actions) {
          if (step === 'clear') {
            journal.clear();
            [lastDroppedId, kept] = [0, []];
          } else {
            journal.add(createRequest());
            kept.push(++last);
            if (kept.length > most) lastDroppedId = kept.shift() ?? 0;
          }
          expect([getIds(journal), journal.lastDroppedId()]).toEqual([kept, lastDroppedId]);
        }
      }),
    );
  });

  it('drops a request that started before it was cleared', () => {
    const journal = createJournal(3);
    journal.clear();
    // Each read of the clock advances it by a second.
    journal.add(createRequest({ durationMs: 1_500 }));
    journal.add(createRequest({ durationMs: 500 }));
    expect(journal.entries().map(({ durationMs: ms }) => ms)).toEqual([500]);
  });

  it('drops requests and notifies no followers after its end', () => {
    const journal = createJournal(3);
    const notifications: string[] = [];
    journal.follow({
      onEntry: () => void notifications.push('a request'),
      onEnd: (ending) => void notifications.push(`${ending?.event} ${ending?.sandbox}`),
    });
    journal.end({ event: 'removed', sandbox: 'w1', atMs: NOW_MS });
    journal.add(createRequest());
    expect([getIds(journal), notifications]).toEqual([[], ['removed w1']]);
  });

  it('notifies its followers of each request until they stop', () => {
    const journal = createJournal(1);
    const notifications: [string, number][] = [];
    const follow = (who: string) =>
      journal.follow({ onEntry: ({ id }) => void notifications.push([who, id]), onEnd() {} });
    journal.add(createRequest());
    const [stopOne, stopOther] = [follow('one'), follow('other')];
    journal.add(createRequest());
    stopOne();
    journal.add(createRequest());
    stopOther();
    journal.add(createRequest());
    expect(notifications).toEqual([
      ['one', 2],
      ['other', 2],
      ['other', 3],
    ]);
  });
});

describe('the journals of a server', () => {
  it('hold 32 MB in total, and the largest journals drop their oldest requests', () => {
    const journals = createTestJournals();
    const [quiet, old, busy] = [10, 1_000_000, 1_000_000].map((most) => created(journals, most)) as [
      Journal,
      Journal,
      Journal,
    ];
    quiet.add(createRequest());
    for (let n = 0; n < 10; n++) old.add(createRequest(LARGE));
    for (let n = 0; n < 22; n++) busy.add(createRequest(LARGE));
    expect([quiet, old, busy].map((journal) => getIds(journal).length)).toEqual([1, 10, 22]);
    for (let n = 0; n < 4; n++) busy.add(createRequest(LARGE));
    expect(getIds(quiet)).toEqual([1]);
    expect(getIds(busy)[0]).toBeGreaterThan(1);
    expect(getIds(busy).at(-1)).toBe(26);
    expect(getIds(old).length + getIds(busy).length).toBeLessThanOrEqual(MOST_BYTES / 1_000_000);
  });

  it('do not count dropped requests towards the limit', () => {
    const journals = createTestJournals();
    const [kept, cleared, short] = [10, 1_000, 2].map((most) => created(journals, most)) as [Journal, Journal, Journal];
    kept.add(createRequest());
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 20; n++) cleared.add(createRequest(LARGE));
      cleared.clear();
      for (let n = 0; n < 20; n++) short.add(createRequest(LARGE));
    }
    expect([getIds(kept), getIds(cleared), getIds(short)]).toEqual([[1], [], [79, 80]]);
  });

  it.each<readonly [what: string, overrides: Partial<RecordedRequest>]>([
    ['the body of a request', { bodyText: 'x'.repeat(4_000) }],
    ['the URL of a request', { url: `/${'x'.repeat(3_999)}` }],
    ['the headers of a request', { rawHeaders: ['X-Page', 'x'.repeat(4_000)] }],
    ['the response', { response: createResponse('x'.repeat(4_000)) }],
  ])('count %s towards the limit', (_, overrides) => {
    const journal = createJournal(20_000);
    for (let n = 0; n < 9_000; n++) journal.add(createRequest(overrides));
    expect(getIds(journal).length).toBeLessThanOrEqual(MOST_BYTES / 4_000);
    expect(getIds(journal).at(-1)).toBe(9_000);
  });

  it('keep recording with continuous numbers after the limit is reached', () => {
    const journal = createJournal(1_000);
    for (let n = 0; n < 200; n++) journal.add(createRequest(LARGE));
    const ids = getIds(journal);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => 200 - ids.length + 1 + n));
    expect(ids.length).toBeGreaterThan(10);
  });
});

const LEFT_OUT = '[left out]';

describe('redactSecrets', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'set-cookie',
    'token',
    'accessToken',
    'client_secret',
    'password',
    'PASSWD',
    'passphrase',
    'credentials',
    'sessionId',
    'apiKey',
    'x-api-key',
    'API_KEY',
    'cardNumber',
    'card-number',
    'cvc',
    'cvv2',
    'pwd',
    'db_pwd',
    'pin',
    'x-pin',
    'auth',
    'X-Auth-User',
    'jwt',
    'accessKey',
    'passcode',
  ])('redacts the value of %s', (name) => {
    expect(redactSecrets({ [name]: 'hunter2', other: 'a' })).toEqual({ [name]: LEFT_OUT, other: 'a' });
  });

  it('redacts values at any depth and of any type', () => {
    expect(redactSecrets([{ a: { tokens: [1, { b: 2 }], c: [{ password: null }] } }])).toEqual([
      { a: { tokens: LEFT_OUT, c: [{ password: LEFT_OUT }] } },
    ]);
  });

  it.each(['keywords', 'shipping', 'author', 'pinned', 'spinner', 'authored_by', 'key'])(
    'does not redact the value of %s',
    (name) => {
      expect(redactSecrets({ [name]: 'a' })).toEqual({ [name]: 'a' });
      expect(redactText(`/api/products?${name}=a`)).toBe(`/api/products?${name}=a`);
    },
  );

  it.each([1, 'password', null, true, [], {}, { productId: 'a', quantity: 2 }])(
    'returns other values unchanged: %j',
    (value) => {
      expect(redactSecrets(value)).toEqual(value);
    },
  );
});

/** Returns long texts of each kind that is redacted, with one part repeated. In quadratic time they would take hours. */
function longTexts(part: string): readonly string[] {
  const body = part.repeat(500_000).slice(0, 500_000);
  return [`token ${body}`, `{"a":"${body} token`, `/api?token=a&b=${body}`, `{"password":${body}`];
}

describe('redactText', () => {
  it.each([
    ['/api/products?token=hunter2', `/api/products?token=${LEFT_OUT}`],
    ['/api/products?a=b&api_key=hunter2&c=d', `/api/products?a=b&api_key=${LEFT_OUT}&c=d`],
    ['password=hunter2&a=b', `password=${LEFT_OUT}&a=b`],
    ['{"password":"hunter2","a":"b', `{"password":"${LEFT_OUT}","a":"b`],
    ['{"a":"b","password":"hunt', `{"a":"b","password":"${LEFT_OUT}"`],
    ['{"password" : "hun\\"ter2", "a": 1', `{"password" : "${LEFT_OUT}", "a": 1`],
    ['{"cvc": 123, "a": 1', `{"cvc": "${LEFT_OUT}", "a": 1`],
    ['{"tokens":["hunter2","hunter3"],"a":1', `{"tokens":"${LEFT_OUT}","a":1`],
    ['/api/products?filter=%7B%22password%22%3A%22hunter2%22%7D&a=b', `/api/products?filter=${LEFT_OUT}&a=b`],
    ['/api/products?filter=%7B%22name%22%3A%22a%22%7D', '/api/products?filter=%7B%22name%22%3A%22a%22%7D'],
    ['/login?next=%2Fapi%3Ftoken%3Dhunter2', `/login?next=${LEFT_OUT}`],
    ['cvc 123 is above the maximum of 99', `cvc ${LEFT_OUT} is above the maximum of 99`],
    ['card.pin is 12.5, no whole number', `card.pin is ${LEFT_OUT}, no whole number`],
    ['password "hunter2" is too short', `password ${LEFT_OUT} is too short`],
    ['quantity 11 is above the maximum of 10', 'quantity 11 is above the maximum of 10'],
    ['/api/products?search=a', '/api/products?search=a'],
    ['{"a":"b","c":[1,2', '{"a":"b","c":[1,2'],
  ])('redacts the secrets in %j', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    '{"user":{"password":"hunter2"},"a":"b',
    '{"users":[{"name":"a","password":"hunter2"}],"a":"b',
    '{"a":{"b":{"token":"hunter2","c":1',
    '{"session":{"id":"a","key":"hunter2"},"a":"b',
    '{"credentials":[["a","b"],["c","hunter2"]],"a":"b',
    '{"token":"a","pass\\u0077ord":"hunter2","a":"b',
    '{"pass\\u0077ord":"hunter2","a":"b',
  ])('redacts a secret in a nested object or list: %s', (text) => {
    expect(redactText(text)).not.toContain('hunter2');
  });

  it.each([
    '/api/products?pass%77ord=hunter2',
    '/api/products?api%5Fkey=hunter2',
    '/api/products?token="hunter2',
    '/api/products?token=%22a"hunter2',
  ])('redacts a secret in a URL with any percent-encoding: %s', (text) => {
    expect(redactText(text)).not.toContain('hunter2');
  });

  it('handles deeply nested percent-encoded parameters', () => {
    for (const text of [`${'a='.repeat(3_990)}%token`, `${'a='.repeat(1_990)}%${'25'.repeat(1_990)}token`])
      expect(redactText(text).length).toBeGreaterThan(0);
  });

  it.each([
    ['quotes', '"'],
    ['escaped quotes', '\\"'],
    ['strings of escaped quotes', '"\\"'],
    ['escapes', '\\'],
    ['names', '"a":'],
    ['secret names', '"password":'],
    ['secret strings', '"password":"'],
    ['secret lists', '"password":['],
    ['objects', '{"a":{'],
    ['lists', '['],
    ['closing brackets', ']'],
    ['a long word', 'a'],
    ['long names', 'a.b-'],
    ['messages', 'a is "'],
    ['messages with escaped quotes', 'a \\"'],
    ['messages with numbers', 'token 1 '],
    ['parameters', '&a=%22'],
    ['values', 'a=b;'],
    ['percent signs', '%'],
    ['question marks', '?'],
    ['spaces', ' '],
  ])('takes linear time for 500,000 characters of %s', (_, part) => {
    const texts = longTexts(part);
    expect(redactSecrets(texts)).toHaveLength(texts.length);
  });
});

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
        remarks: { notes: ['a note'], responseViolations: ['a breach'], forced: { faults: ['f1'] } },
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
      responseViolations: ['a breach'],
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
    expect(entry.request.body).toEqual({ user: { password: LEFT_OUT } });
    expect(entry.violations?.[1]?.value).toEqual({ password: LEFT_OUT });
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

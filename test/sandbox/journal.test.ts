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

/** A request as it is handed over: one for the products, but for what is given. */
function asked(given: Partial<RecordedRequest> = {}): RecordedRequest {
  return {
    method: 'GET',
    url: '/api/products',
    prefix: '',
    rawHeaders: [],
    answer: undefined,
    ms: 0,
    operationId: 'listProducts',
    remarks: undefined,
    ...given,
  };
}

/** A request as the journal shows it. */
function shown(given: Partial<RecordedRequest>) {
  const journal = journalOf(1);
  journal.add(asked(given));
  const [entry] = journal.entries().map(toJournalEntry);
  if (!entry) throw new Error('the journal has none');
  return entry;
}

/** An answer of JSON. */
function answering(text: string, headers: Record<string, string> = {}): RecordedRequest['answer'] {
  return { status: 200, headers, bytes: Buffer.byteLength(text), text };
}

/** Journals whose clocks stand, but for the one that tells what came first. */
function journalsOf(): Journals {
  let elapsedMs = 0;
  const elapsed = () => {
    elapsedMs += 1_000;
    return elapsedMs;
  };
  return createJournals(() => NOW_MS, elapsed);
}

/** A journal of so many requests among others. */
function created(journals: Journals, most: number): Journal {
  return journals.create(most);
}

function journalOf(most: number): Journal {
  return created(journalsOf(), most);
}

/** The ids of the requests in a journal. */
function idsIn(journal: Journal): readonly number[] {
  return journal.entries().map(({ id }) => id);
}

/** A URL that takes a million bytes: of a body a part is kept alone. */
const LARGE: Partial<RecordedRequest> = { url: `/${'x'.repeat(999_999)}` };

describe('the beginning of a text', () => {
  it.each<readonly [about: string, text: string, kept: string]>([
    ['nothing', '', ''],
    ['a short one', 'abc', 'abc'],
    ['4,096 bytes', 'a'.repeat(4096), 'a'.repeat(4096)],
    ['one byte more', 'a'.repeat(4097), 'a'.repeat(4096)],
    ['characters of two bytes', 'é'.repeat(2048), 'é'.repeat(2048)],
    ['one of two bytes over the bound', `a${'é'.repeat(2048)}`, `a${'é'.repeat(2047)}`],
    ['one of three bytes over the bound', '€'.repeat(1366), '€'.repeat(1365)],
    ['one of four bytes over the bound', `a${'😀'.repeat(1024)}`, `a${'😀'.repeat(1023)}`],
    ['a pair at the bound', `${'a'.repeat(4095)}😀`, 'a'.repeat(4095)],
    ['a pair just within', `${'a'.repeat(4092)}😀`, `${'a'.repeat(4092)}😀`],
    ['a pair just within, and more', `${'a'.repeat(4092)}😀b`, `${'a'.repeat(4092)}😀`],
  ])('is 4 kB of it, whole characters: %s', (_, text, kept) => {
    expect(truncateText(text)).toBe(kept);
  });

  it('is the text itself, or whole characters of its beginning that just fit, wherever the bound falls', () => {
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
  it('has the requests in the order in which they came, numbered', () => {
    const journal = journalOf(5);
    for (const url of ['/a', '/b', '/c']) journal.add(asked({ url }));
    expect(journal.entries().map(({ id, url, atMs }) => [id, url, atMs])).toEqual([
      [1, '/a', NOW_MS],
      [2, '/b', NOW_MS],
      [3, '/c', NOW_MS],
    ]);
  });

  it('has so many at most, the newest', () => {
    const journal = journalOf(3);
    for (let n = 0; n < 7; n++) journal.add(asked());
    expect(idsIn(journal)).toEqual([5, 6, 7]);
  });

  it('goes on with its numbers once it is cleared', () => {
    const journal = journalOf(3);
    for (let n = 0; n < 2; n++) journal.add(asked());
    journal.clear();
    expect(idsIn(journal)).toEqual([]);
    for (let n = 0; n < 4; n++) journal.add(asked());
    expect(idsIn(journal)).toEqual([4, 5, 6]);
  });

  it('tells up to which request it has forgotten those that had to leave, until it is cleared', () => {
    const journal = journalOf(3);
    const forgotten = [0, 1, 2].map(() => {
      for (let n = 0; n < 2; n++) journal.add(asked());
      return journal.forgotten();
    });
    journal.clear();
    expect([...forgotten, journal.forgotten()]).toEqual([0, 1, 3, 0]);
  });

  it('is a list of the last ones, in whatever order it is added to and cleared', () => {
    const steps = fc.array(fc.constantFrom('add', 'add', 'add', 'add', 'clear'), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), steps, (most, taken) => {
        const journal = journalOf(most);
        let [last, forgotten, kept]: [number, number, number[]] = [0, 0, []];
        for (const step of taken) {
          if (step === 'clear') {
            journal.clear();
            [forgotten, kept] = [0, []];
          } else {
            journal.add(asked());
            kept.push(++last);
            if (kept.length > most) forgotten = kept.shift() ?? 0;
          }
          expect([idsIn(journal), journal.forgotten()]).toEqual([kept, forgotten]);
        }
      }),
    );
  });

  it('takes nothing that began before it was cleared', () => {
    const journal = journalOf(3);
    journal.clear();
    // Its clock goes on by a second each time that it is looked at.
    journal.add(asked({ ms: 1_500 }));
    journal.add(asked({ ms: 500 }));
    expect(journal.entries().map(({ ms }) => ms)).toEqual([500]);
  });

  it('takes nothing any more once it has ended, and tells nobody', () => {
    const journal = journalOf(3);
    const told: string[] = [];
    journal.follow({
      tell: () => void told.push('a request'),
      end: (ending) => void told.push(`${ending?.event} ${ending?.sandbox}`),
    });
    journal.end({ event: 'removed', sandbox: 'w1', atMs: NOW_MS });
    journal.add(asked());
    expect([idsIn(journal), told]).toEqual([[], ['removed w1']]);
  });

  it('tells those who follow it of each request, until they stop', () => {
    const journal = journalOf(1);
    const told: [string, number][] = [];
    const follow = (who: string) => journal.follow({ tell: ({ id }) => void told.push([who, id]), end() {} });
    journal.add(asked());
    const [stopOne, stopOther] = [follow('one'), follow('other')];
    journal.add(asked());
    stopOne();
    journal.add(asked());
    stopOther();
    journal.add(asked());
    expect(told).toEqual([
      ['one', 2],
      ['other', 2],
      ['other', 3],
    ]);
  });
});

describe('the journals of a server', () => {
  it('hold 32 MB together: those that hold most lose their oldest', () => {
    const journals = journalsOf();
    const [quiet, old, busy] = [10, 1_000_000, 1_000_000].map((most) => created(journals, most)) as [
      Journal,
      Journal,
      Journal,
    ];
    quiet.add(asked());
    for (let n = 0; n < 10; n++) old.add(asked(LARGE));
    for (let n = 0; n < 22; n++) busy.add(asked(LARGE));
    expect([quiet, old, busy].map((journal) => idsIn(journal).length)).toEqual([1, 10, 22]);
    for (let n = 0; n < 4; n++) busy.add(asked(LARGE));
    expect(idsIn(quiet)).toEqual([1]);
    expect(idsIn(busy)[0]).toBeGreaterThan(1);
    expect(idsIn(busy).at(-1)).toBe(26);
    expect(idsIn(old).length + idsIn(busy).length).toBeLessThanOrEqual(MOST_BYTES / 1_000_000);
  });

  it('count what has left no more', () => {
    const journals = journalsOf();
    const [kept, cleared, short] = [10, 1_000, 2].map((most) => created(journals, most)) as [Journal, Journal, Journal];
    kept.add(asked());
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 20; n++) cleared.add(asked(LARGE));
      cleared.clear();
      for (let n = 0; n < 20; n++) short.add(asked(LARGE));
    }
    expect([idsIn(kept), idsIn(cleared), idsIn(short)]).toEqual([[1], [], [79, 80]]);
  });

  it.each<readonly [what: string, given: Partial<RecordedRequest>]>([
    ['a body', { sent: 'x'.repeat(4_000) }],
    ['a URL', { url: `/${'x'.repeat(3_999)}` }],
    ['headers', { rawHeaders: ['X-Page', 'x'.repeat(4_000)] }],
    ['an answer', { answer: answering('x'.repeat(4_000)) }],
  ])('count %s of a request', (_, given) => {
    const journal = journalOf(20_000);
    for (let n = 0; n < 9_000; n++) journal.add(asked(given));
    expect(idsIn(journal).length).toBeLessThanOrEqual(MOST_BYTES / 4_000);
    expect(idsIn(journal).at(-1)).toBe(9_000);
  });

  it('go on taking requests once the bound was met, each with its own numbers', () => {
    const journal = journalOf(1_000);
    for (let n = 0; n < 200; n++) journal.add(asked(LARGE));
    const ids = idsIn(journal);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => 200 - ids.length + 1 + n));
    expect(ids.length).toBeGreaterThan(10);
  });
});

const LEFT_OUT = '[left out]';

describe('a value without secrets', () => {
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
  ])('is without the value of %s', (name) => {
    expect(redactSecrets({ [name]: 'hunter2', other: 'a' })).toEqual({ [name]: LEFT_OUT, other: 'a' });
  });

  it('is so however deep, whatever the value', () => {
    expect(redactSecrets([{ a: { tokens: [1, { b: 2 }], c: [{ password: null }] } }])).toEqual([
      { a: { tokens: LEFT_OUT, c: [{ password: LEFT_OUT }] } },
    ]);
  });

  it.each(['keywords', 'shipping', 'author', 'pinned', 'spinner', 'authored_by', 'key'])(
    'keeps the value of %s',
    (name) => {
      expect(redactSecrets({ [name]: 'a' })).toEqual({ [name]: 'a' });
      expect(redactText(`/api/products?${name}=a`)).toBe(`/api/products?${name}=a`);
    },
  );

  it.each([1, 'password', null, true, [], {}, { productId: 'a', quantity: 2 }])('is the same else: %j', (value) => {
    expect(redactSecrets(value)).toEqual(value);
  });
});

/** Long texts of each kind that is redacted, made of one part repeated. In a time that grows with the square of their length they would take hours. */
function longTexts(part: string): readonly string[] {
  const body = part.repeat(500_000).slice(0, 500_000);
  return [`token ${body}`, `{"a":"${body} token`, `/api?token=a&b=${body}`, `{"password":${body}`];
}

describe('a text without secrets', () => {
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
  ])('is %j without it', (text, expected) => {
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
  ])('is so of what stands in an object or a list too: %s', (text) => {
    expect(redactText(text)).not.toContain('hunter2');
  });

  it.each([
    '/api/products?pass%77ord=hunter2',
    '/api/products?api%5Fkey=hunter2',
    '/api/products?token="hunter2',
    '/api/products?token=%22a"hunter2',
  ])('is so of a URL however it is escaped: %s', (text) => {
    expect(redactText(text)).not.toContain('hunter2');
  });

  it('can be had of one whose parameters hold others, however deep', () => {
    for (const text of [`${'a='.repeat(3_990)}%token`, `${'a='.repeat(1_990)}%${'25'.repeat(1_990)}token`])
      expect(redactText(text).length).toBeGreaterThan(0);
  });

  it.each([
    ['quotes', '"'],
    ['escaped quotes', '\\"'],
    ['texts of escaped quotes', '"\\"'],
    ['escapes', '\\'],
    ['names', '"a":'],
    ['secret names', '"password":'],
    ['secret texts', '"password":"'],
    ['secret lists', '"password":['],
    ['objects', '{"a":{'],
    ['lists', '['],
    ['ends of lists', ']'],
    ['a long word', 'a'],
    ['long names', 'a.b-'],
    ['sentences', 'a is "'],
    ['sentences of escaped quotes', 'a \\"'],
    ['numbers told', 'token 1 '],
    ['parameters', '&a=%22'],
    ['values', 'a=b;'],
    ['stray %', '%'],
    ['questions', '?'],
    ['spaces', ' '],
  ])('is redacted in time even where it is 500,000 characters of %s', (_, part) => {
    const texts = longTexts(part);
    expect(redactSecrets(texts)).toHaveLength(texts.length);
  });
});

describe('a request as the journal shows it', () => {
  it('has what it is, to a tenth of a millisecond', () => {
    expect(
      shown({
        method: 'POST',
        url: '/_sandbox/w1/api/orders?a=1&a=2&b=%20',
        prefix: '/_sandbox/w1',
        rawHeaders: ['Host', 'shop', 'X-Page', 'a', 'x-page', 'b'],
        sent: '{"a":1}',
        answer: answering('[]', { 'Content-Type': 'application/json' }),
        ms: 1.2345,
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

  it('has no more than there is', () => {
    expect(shown({ operationId: undefined, remarks: { notes: [], violations: [] } })).toEqual({
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
    ['a text', '"a"', { body: 'a' }],
    ['what is no JSON', '{"a":', { body: '{"a":' }],
    ['a form', 'a=1', { body: 'a=1' }],
    ['a long number', `1${'2'.repeat(4_096)}`, { body: `1${'2'.repeat(4_095)}`, isTruncated: true }],
    ['a text of 4 kB', JSON.stringify('x'.repeat(4_094)), { body: 'x'.repeat(4_094) }],
    ['nothing', '', {}],
    ['none', undefined, {}],
  ])('has its body as JSON, or as text: %s', (_, sent, expected) => {
    const { method, url, path, query, headers, ...rest } = shown({ sent }).request;
    expect([method, url, path, query, headers]).toEqual(['GET', '/api/products', '/api/products', {}, {}]);
    expect(rest).toEqual(expected);
  });

  it('has of a long answer the beginning', () => {
    const text = truncateText('x'.repeat(5_000));
    const { response } = shown({ answer: { status: 200, headers: {}, bytes: 5_000, text } });
    expect(response).toEqual({ status: 200, headers: {}, bytes: 5_000, body: text, isTruncated: true });
  });

  it('tells no secret, wherever it stands', () => {
    const entry = shown({
      url: '/api/products?token=hunter2',
      rawHeaders: ['Authorization', 'Bearer hunter2', 'COOKIE', 'a=hunter2', 'X-Api-Key', 'hunter2'],
      sent: '{"user":{"password":"hunter2"}}',
      answer: answering('{"sessionId":"hunter2"}', { 'Set-Cookie': 'a=hunter2' }),
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

  it('tells none of a path', () => {
    expect(JSON.stringify(shown({ url: '/api/orders;token=hunter2' }))).not.toContain('hunter2');
  });

  it('tells none of a URL in a header', () => {
    const entry = shown({ rawHeaders: ['Referer', 'http://shop/login?token=hunter2'] });
    expect(JSON.stringify(entry)).not.toContain('hunter2');
  });

  it.each(['//api//products', '/', '/%', '/?', '/?=', '/?&&', '*', '/a?%zz', '/:99999', '/\\\\a'])(
    'can be one of any URL: %s',
    (url) => {
      expect(shown({ url }).request.url).toBe(url);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { runAtOnce } from '../../src/util/slices.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { getLastRecord, openStream, startNumbers } from '../support/harness/streams.ts';

const NUMBER = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };

/** A Media Type Object with three items. */
const THREE = { schema: NUMBER, example: [{ n: 1 }, { n: 2 }, { n: 3 }] };

const EVENTS = 'text/event-stream';

describe('a mocked stream', () => {
  it.each([
    [EVENTS, 'data: {"n":1}\n\ndata: {"n":2}\n\ndata: {"n":3}\n\n'],
    ['application/x-ndjson', '{"n":1}\n{"n":2}\n{"n":3}\n'],
    ['application/jsonl', '{"n":1}\n{"n":2}\n{"n":3}\n'],
    ['application/json-seq', '\u001e{"n":1}\n\u001e{"n":2}\n\u001e{"n":3}\n'],
    [
      'multipart/mixed',
      `--storefront-part${[1, 2, 3].map((n) => `\r\nContent-Type: application/json\r\n\r\n{"n":${n}}\r\n--storefront-part`).join('')}--\r\n`,
    ],
  ])('of %s sends the same items at once and at a pace', async (type, text) => {
    const { ask } = await startNumbers(type, THREE);
    const atOnce = await ask('GET', '/numbers');
    expect([atOnce.text, atOnce.headers.get('content-length')]).toEqual([text, String(text.length)]);
    const paced = await ask('GET', '/numbers', undefined, { Prefer: 'pace=5ms' });
    expect([paced.text, paced.headers.get('preference-applied')]).toEqual([text, 'pace=5ms']);
    expect(paced.headers.get('content-type')).toBe(atOnce.headers.get('content-type'));
  });

  it.each([
    [
      'with the media type of its encoding',
      { itemSchema: { type: 'string' }, itemEncoding: { contentType: 'text/plain' } },
    ],
    ['of another type each', { schema: { type: 'array', prefixItems: [{ const: 'a' }, { const: 5 }] } }],
  ])('of multipart/mixed has parts %s', async (_, media) => {
    const { ask } = await startNumbers('multipart/mixed', { ...media, example: ['a', 5] });
    const type = 'itemEncoding' in media ? 'text/plain' : 'application/json';
    const texts = type === 'text/plain' ? ['a', '5'] : ['"a"', '5'];
    const parts = texts.map((text) => `\r\nContent-Type: ${type}\r\n\r\n${text}\r\n--storefront-part`);
    for (const path of ['/numbers', '/numbers?__pace=1'])
      expect((await ask('GET', path)).text).toBe(`--storefront-part${parts.join('')}--\r\n`);
  });

  it('has one part for each of the items that a list describes by position', async () => {
    const schema = { type: 'array', prefixItems: [{ const: 'a' }, { const: 5 }], minItems: 2, items: false };
    const { ask } = await startNumbers('multipart/mixed', { schema });
    expect((await ask('GET', '/numbers')).text.match(/^(?:"a"|5)\r$/gm)).toHaveLength(2);
  });

  it('sends an event without data as such, at once and at a pace', async () => {
    const schema = { type: 'object', properties: { event: { type: 'string' }, data: NUMBER } };
    const { ask } = await startNumbers(EVENTS, { schema, example: [{ event: 'ping' }] });
    for (const path of ['/numbers', '/numbers?__pace=1']) expect((await ask('GET', path)).text).toBe('event: ping\n\n');
  });

  it.each([
    ['multipart/mixed', '\n'],
    ['multipart/mixed', '\r\n'],
    ['multipart/mixed; boundary=a.b', '\n'],
  ])('of %s sends the parts of a text with line ends %j', async (type, end) => {
    const part = (n: number) => ['--a.b', 'Content-Type: application/json', '', `{"n":${n}}`];
    const example = ['A preamble', ...part(1), ...part(2), '--a.b--', ''].join(end);
    const { ask } = await startNumbers(type, { ...THREE, example });
    const { text } = await ask('GET', '/numbers');
    expect(text).toBe(
      `--storefront-part${[1, 2].map((n) => `\r\nContent-Type: application/json\r\n\r\n{"n":${n}}\r\n--storefront-part`).join('')}--\r\n`,
    );
  });

  it.each([
    ['three items without limits', NUMBER, 3],
    ['as many items as the schema of the list asks for', { type: 'array', items: NUMBER, minItems: 5 }, 5],
    ['at most as many items as the schema of the list allows', { type: 'array', items: NUMBER, maxItems: 2 }, 2],
  ])('generates %s', async (_, schema, count) => {
    const { ask } = await startNumbers('application/jsonl', { schema });
    const { text } = await ask('GET', '/numbers');
    const items = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(items).toHaveLength(count);
    for (const item of items) expect(item).toEqual({ n: expect.any(Number) });
  });

  it('sends as many items as the request asks for', async () => {
    const { ask } = await startNumbers('application/jsonl', THREE);
    expect((await ask('GET', '/numbers', undefined, { Prefer: 'items=1' })).text).toBe('{"n":1}\n');
    expect((await ask('GET', '/numbers?__items=4')).text).toBe('{"n":1}\n{"n":2}\n{"n":3}\n{"n":1}\n');
  });

  it('sends an item when the one before is a pace old', async () => {
    const server = await startNumbers(EVENTS, THREE, { streamPace: 60_000 });
    const stream = await openStream(server, '/numbers');
    expect(await stream.until(/\n\n/)).toBe('data: {"n":1}\n\n');
  });

  it.each([
    ['with the option streamOpen', '/numbers', { streamOpen: true }],
    ['with the preference open', '/numbers?__open', {}],
  ])('stays open %s, until the server stops', async (_, path, options) => {
    const server = await startNumbers(EVENTS, THREE, options);
    const stream = await openStream(server, path);
    await stream.until(/"n":3/);
    await server.close();
    expect((await stream.ended).isComplete).toBe(true);
  });

  it('sends whole events if the schema describes them', async () => {
    const schema = {
      type: 'object',
      required: ['data', 'event'],
      properties: { event: { const: 'tick' }, id: { type: 'string' }, retry: { type: 'integer' }, data: NUMBER },
    };
    const { ask } = await startNumbers(EVENTS, { schema });
    expect((await ask('GET', '/numbers?__items=2')).text).toMatch(
      /^event: tick\n(id: 1\n)?data: \{"n":-?\d+\}\n\nevent: tick\n(id: 2\n)?data: \{"n":-?\d+\}\n\n$/,
    );
  });

  it('encodes the JSON of a data text', async () => {
    const data = { type: 'string', contentMediaType: 'application/json', contentSchema: NUMBER };
    const schema = { type: 'object', required: ['data'], properties: { data } };
    const { ask } = await startNumbers(EVENTS, { schema });
    expect((await ask('GET', '/numbers?__items=1')).text).toMatch(/^data: \{"n":-?\d+\}\n\n$/);
  });

  it('is refused if the server already sends as many streams as its option allows', async () => {
    const server = await startNumbers(EVENTS, THREE, { maxStreams: 1 });
    const stream = await openStream(server, '/numbers?__open');
    await stream.until(/"n":3/);
    const { status, body } = await server.ask('GET', '/numbers?__open');
    expect([status, body.detail]).toEqual([
      503,
      expect.stringMatching(
        /already sends 1 streams, its maximum: close some of them, or start it with --max-streams 2/,
      ),
    ]);
    expect((await server.ask('GET', '/numbers')).status).toBe(200);
  });

  it('has no body for a HEAD request', async () => {
    const { ask } = await startNumbers(EVENTS, THREE);
    const { status, headers, text } = await ask('HEAD', '/numbers?__open&__pace=1s');
    expect([status, headers.get('content-type'), text]).toEqual([200, EVENTS, '']);
  });

  it.each(['pace=-1', 'pace=2h', 'pace=61s', 'items=1001', 'open=maybe'])('is refused with %s', async (preference) => {
    const { ask } = await startNumbers(EVENTS, THREE);
    const { status, body } = await ask('GET', '/numbers', undefined, { Prefer: preference });
    expect([status, body.violations[0].pointer]).toEqual([400, '/Prefer']);
  });
});

describe('the example of a stream', () => {
  it.each([
    [[{ n: 1 }, { n: 'two' }], ['/example/1/n']],
    [{ n: 'one' }, ['/example/n']],
    ['data: {"n":1}\n\n', []],
    [[{ n: 1 }], []],
  ])('%j is validated item by item', async (example, pointers) => {
    const content = { [EVENTS]: { schema: NUMBER, example } };
    const get = { operationId: 'watch', responses: { 200: { description: 'd', content } } };
    const path = await writeDocument({ paths: { '/numbers': { get } } });
    const issues = runAtOnce((await loadContract({ path, strict: false })).findInvalidExamples());
    const prefix = '/paths/~1numbers/get/responses/200/content/text~1event-stream';
    expect(issues.map(({ pointer }) => pointer)).toEqual(pointers.map((pointer) => prefix + pointer));
  });
});

describe('a handler that returns an async iterable', () => {
  it('has its values sent as they come, with ids and names of events', async () => {
    let resume = () => {};
    const waiting = new Promise<void>((resolve) => {
      resume = resolve;
    });
    async function* generate() {
      yield { n: 1 };
      await waiting;
      yield { event: 'last', id: 7, data: { n: 2 } };
    }
    const server = await startNumbers(EVENTS, {}, { handlers: { watch: () => ({ body: generate() }) } });
    const stream = await openStream(server, '/numbers');
    expect(await stream.until(/\n\n/)).toBe('data: {"n":1}\n\n');
    resume();
    expect((await stream.ended).text).toBe('data: {"n":1}\n\nevent: last\nid: 7\ndata: {"n":2}\n\n');
  });

  it('stops when the client leaves', async () => {
    let hasStopped = false;
    async function* generate() {
      try {
        for (let n = 1; ; n++) {
          yield { n };
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } finally {
        hasStopped = true;
      }
    }
    const server = await startNumbers('application/jsonl', THREE, {
      handlers: { watch: () => ({ body: generate() }) },
    });
    const stream = await openStream(server, '/numbers');
    await stream.until(/"n":3/);
    stream.leave();
    await expect.poll(() => hasStopped).toBe(true);
    await expect.poll(async () => (await getLastRecord(server)).notes?.[0]).toMatch(/because the client closed/);
  });

  it('produces no more values than a slow client can take', async () => {
    let last = 0;
    async function* generate() {
      for (last = 1; last < 100_000; last++) yield { n: last, text: 'x'.repeat(10_000) };
    }
    const server = await startNumbers('application/jsonl', THREE, {
      handlers: { watch: () => ({ body: generate() }) },
    });
    const { port } = server;
    const { connect } = await import('node:net');
    const socket = connect(port, '127.0.0.1').pause();
    socket.write('GET /numbers HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await expect.poll(() => last).toBeGreaterThan(1);
    let before = 0;
    await expect
      .poll(
        () => {
          const hasPaused = last === before;
          before = last;
          return hasPaused;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(last).toBeLessThan(5_000);
    socket.destroy();
  });

  it('does not keep other requests waiting', async () => {
    let hasStopped = false;
    async function* generate() {
      try {
        for (let n = 1; ; n++) yield { n };
      } finally {
        hasStopped = true;
      }
    }
    const server = await startNumbers('application/jsonl', THREE, {
      handlers: { watch: () => ({ body: generate() }) },
    });
    const stream = await openStream(server, '/numbers');
    await stream.until(/"n":3/);
    expect((await server.ask('GET', '/_control/health')).status).toBe(200);
    expect(hasStopped).toBe(false);
    stream.leave();
    await expect.poll(() => hasStopped).toBe(true);
  });

  it.each([
    ['throws null', () => Promise.reject(null), /because of an error: null$/],
    ['returns no result', () => 5, /because of an error: the iterator returned 5$/],
  ])('closes the connection if the iterator %s', async (_, next, note) => {
    const body = { [Symbol.asyncIterator]: () => ({ next }) };
    const options = { handlers: { watch: () => ({ body }) }, errorsExpected: true };
    const server = await startNumbers('application/jsonl', THREE, options);
    expect(await (await openStream(server, '/numbers')).ended).toEqual({ text: '', isComplete: false });
    await expect.poll(async () => (await getLastRecord(server)).notes?.[0]).toMatch(note);
  });

  it('closes the connection if the iterable throws', async () => {
    async function* generate() {
      yield { n: 1 };
      throw new Error('the source is broken');
    }
    const options = { handlers: { watch: () => ({ body: generate() }) }, errorsExpected: true };
    const server = await startNumbers('application/jsonl', THREE, options);
    const stream = await openStream(server, '/numbers');
    expect(await stream.ended).toEqual({ text: '{"n":1}\n', isComplete: false });
    await expect.poll(async () => (await getLastRecord(server)).notes?.[0]).toMatch(/the source is broken/);
  });

  it('has invalid items logged, and none of them sent with verify: strict', async () => {
    async function* generate() {
      yield { n: 1 };
      yield { n: 'two' };
    }
    const options = { handlers: { watch: () => ({ body: generate() }) }, errorsExpected: true };
    const strict = await startNumbers('application/jsonl', THREE, options);
    expect((await (await openStream(strict, '/numbers')).ended).text).toBe('{"n":1}\n');
    const logging = await startNumbers('application/jsonl', THREE, { ...options, verify: 'log' });
    expect((await logging.ask('GET', '/numbers')).text).toBe('{"n":1}\n{"n":"two"}\n');
    await expect
      .poll(async () => (await getLastRecord(logging)).responseViolations)
      .toEqual(['body/1/n must be integer']);
  });

  it('is refused for an operation without a stream', async () => {
    async function* generate() {
      yield 1;
    }
    const options = { handlers: { watch: () => ({ body: generate() }) }, errorsExpected: true };
    const { ask } = await startNumbers('application/json', {}, options);
    const { status, body } = await ask('GET', '/numbers');
    expect([status, body.detail]).toEqual([500, expect.stringContaining('document text/event-stream')]);
  });
});

describe('the journal', () => {
  it('has an open stream as a waiting request, and its bounded text at the end', async () => {
    const example = Array.from({ length: 1_000 }, (_, n) => ({ n }));
    const server = await startNumbers('application/jsonl', { schema: NUMBER, example });
    const stream = await openStream(server, '/numbers?__open');
    await stream.until(/"n":999/);
    expect(await getLastRecord(server)).toMatchObject({ operation: 'watch', state: 'waiting' });
    stream.leave();
    await expect.poll(async () => (await getLastRecord(server)).state).toBe(undefined);
    const { response, notes } = await getLastRecord(server);
    expect(notes).toEqual(['the stream sent 1000 items, and ended because the client closed the connection']);
    expect([response?.status, response?.bytes]).toEqual([200, 9_890]);
    expect(String(response?.body).length).toBe(4_096);
  });
});

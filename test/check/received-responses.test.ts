import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Client } from '../../src/check/client.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Starts a server that sends a body with some headers, and returns the response that a client receives. */
async function receive(headers: Readonly<Record<string, string>>, ...bodies: readonly (Buffer | string)[]) {
  const { url } = await startRecorder((_, response) => {
    response.writeHead(200, headers);
    for (const body of bodies) response.write(body);
    response.end();
  });
  return new Client(url, {}).send({ method: 'GET', target: '/' });
}

describe('The client of a check', () => {
  const text = '{"a":"é"}';
  const CODED: readonly [coding: string, body: Buffer][] = [
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate, gzip', gzipSync(deflateSync(text))],
    ['identity', Buffer.from(text)],
  ];
  it.each(CODED)('decodes a body with the content coding %s', async (coding, body) => {
    const response = await receive({ ...JSON_TYPE, 'content-encoding': coding }, body);
    expect([response.body, response.httpError]).toEqual([{ a: 'é' }, undefined]);
  });

  it('reports a body that does not have its content coding', async () => {
    const { httpError } = await receive({ ...JSON_TYPE, 'content-encoding': 'gzip' }, text);
    expect(httpError).toMatch(/^The body is not valid for its Content-Encoding gzip: /);
  });

  it('reports JSON whose bytes are not UTF-8', async () => {
    const { jsonError } = await receive(JSON_TYPE, Buffer.from([0x22, 0xe9, 0x22]));
    expect(jsonError).toBe('its bytes are not UTF-8 (RFC 8259, section 8.1)');
  });

  it('decodes a text with the charset of its content type', async () => {
    expect((await receive({ 'content-type': 'text/plain; charset=latin1' }, Buffer.from([0xe9]))).text).toBe('é');
  });

  it('reads headers that repeat a long URL', async () => {
    const link = `</?q=${'a'.repeat(30_000)}>; rel="next"`;
    expect((await receive({ ...JSON_TYPE, link }, text)).headers.link).toBe(link);
  });

  it('says if the headers of a response are too large', async () => {
    const received = receive({ ...JSON_TYPE, link: 'a'.repeat(300_000) }, text);
    await expect(received).rejects.toThrow('the headers of the response are larger than 256 KiB');
  });

  it('sends a User-Agent, unless the user has set one', async () => {
    const { url, seen } = await startRecorder();
    await new Client(url, {}).send({ method: 'GET', target: '/' });
    await new Client(url, { 'user-agent': 'own' }).send({ method: 'GET', target: '/' });
    expect(seen.map(({ headers }) => headers['user-agent'])).toEqual(['storefront-check', 'own']);
  });
});

describe('The client of a check, on a response that does not end', () => {
  /** Starts a server whose response begins and never ends. */
  const startEndless = (headers: Readonly<Record<string, string>>) =>
    startRecorder((_, response) => void response.writeHead(200, headers).write('data: 1\n\n'));

  it('returns the first part of an event stream', async () => {
    const { url } = await startEndless({ 'content-type': 'text/event-stream' });
    const response = await new Client(url, {}).send({ method: 'GET', target: '/' });
    expect([response.status, response.text]).toEqual([200, 'data: 1\n\n']);
  });

  it('throws an error about JSON that does not end in time', async () => {
    const { url } = await startEndless(JSON_TYPE);
    const sending = new Client(url, {}, { timeoutMs: 2_000 }).send({ method: 'GET', target: '/' });
    await expect(sending).rejects.toMatchObject({
      kind: 'unfinished',
      message: 'the response did not end within 2 s',
    });
  });

  it('stops reading when the check is stopped', async () => {
    const controller = new AbortController();
    const { url } = await startRecorder((_, response) => {
      response.writeHead(200, JSON_TYPE).write('[');
      setImmediate(() => controller.abort());
    });
    const sending = new Client(url, {}, { signal: controller.signal }).send({ method: 'GET', target: '/' });
    await expect(sending).rejects.toThrow();
  });
});

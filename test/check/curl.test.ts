import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createJsonRequest, type RequestToSend, toCurl } from '../../src/check/exchange.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const URL = 'http://localhost:3000';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('toCurl', () => {
  const LINES: readonly [what: string, ask: RequestToSend, line: string][] = [
    [
      'a GET',
      createJsonRequest('GET', '/a?b=1&c=%27'),
      "curl --globoff --path-as-is 'http://localhost:3000/a?b=1&c=%27'",
    ],
    ['a HEAD', createJsonRequest('HEAD', '/a'), "curl --globoff --path-as-is -I 'http://localhost:3000/a'"],
    [
      'another method',
      createJsonRequest('DELETE', '/a'),
      "curl --globoff --path-as-is -X DELETE 'http://localhost:3000/a'",
    ],
    [
      'a body of JSON',
      createJsonRequest('POST', '/a', { b: "it's" }),
      `curl --globoff --path-as-is -X POST 'http://localhost:3000/a' -H 'content-type: application/json' --data-raw '{"b":"it'\\''s"}'`,
    ],
    [
      'a long body',
      { method: 'PUT', target: '/a', headers: JSON_TYPE, body: ' '.repeat(9_999), printCommand: "printf '%9999s' ''" },
      "printf '%9999s' '' | curl --globoff --path-as-is -X PUT 'http://localhost:3000/a' -H 'content-type: application/json' --data-binary @-",
    ],
  ];
  it.each(LINES)('prints %s', (_, ask, line) => {
    expect(toCurl(URL, ask)).toBe(line);
  });

  it('adds the headers of all requests, unless the request overrides them', () => {
    const line = toCurl(URL, { method: 'GET', target: '/', headers: { b: '2' } }, { a: "it's", b: '1' });
    expect(line).toMatch(/ -H 'a: it'\\''s' -H 'b: 2'$/);
  });
});

describe('A curl command in a shell', () => {
  const text = (body: string): RequestToSend => ({
    method: 'POST',
    target: '/',
    headers: { 'content-type': 'text/plain' },
    body,
  });
  const SENT: readonly [what: string, ask: RequestToSend][] = [
    [
      'quotes, backslashes, dollars and line breaks',
      createJsonRequest('POST', '/a', { b: `it's "\\" $HOME \`ls\` !! \n\t é 😀` }),
    ],
    ['line breaks as they are', text("it's\r\n\t$HOME \\n 'twice'\n\n")],
    ['a body of bytes', { ...text(''), body: Buffer.from([...Array(255).keys()].map((byte) => byte + 1)) }],
    ['a body with the byte 0', text('a\u0000b')],
    ['a body that begins with @', text('@/etc/hostname')],
    ['a long body', { ...text(`${' '.repeat(99_999)}{}`), printCommand: `printf '%99999s%s' '' '{}'` }],
    ['braces, brackets and dots in the target', { method: 'GET', target: '/a/../b/{}/[1-2]?c={d,e}&f[]=%' }],
    ['a body without a content type', { method: 'POST', target: '/', body: '{}' }],
    ['a header without a value', { method: 'GET', target: '/', headers: { 'x-empty': '' } }],
  ];
  it.each(SENT)('sends %s', async (_, ask) => {
    const { url, seen } = await startRecorder();
    await promisify(execFile)('bash', ['-c', `set -o pipefail; ${toCurl(url, ask).replaceAll('curl ', 'curl -sS ')}`]);
    const { method, target, headers = {}, body = '' } = ask;
    const [first] = seen;
    expect(first).toMatchObject({ method, target, headers });
    expect(first?.headers['content-type']).toBe(headers['content-type']);
    expect(first?.body.toString('latin1')).toBe(Buffer.from(body).toString('latin1'));
  });
});

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  describeMissingSecrets,
  explainUnsendable,
  listSecretHeaders,
  toCopiedRequest,
  toCurl,
  toExampleRequest,
  toFetch,
  toSentRequest,
  toTest,
} from '../../src/console/model/code.ts';
import type { JournalEntry } from '../../src/control/operation.ts';

const ORIGIN = 'http://localhost:3000';

/** Creates a journal entry of a request with a body. */
function createEntry(request: Partial<JournalEntry['request']> = {}): JournalEntry {
  const defaults = { method: 'POST', url: '/_sandbox/w1/notes?a=1', path: '/notes', query: {}, headers: {} };
  const response = { status: 201, headers: {}, bytes: 0 };
  const at = '2026-01-01T00:00:00.000Z';
  return { id: 1, at, durationMs: 1, operation: 'addNote', request: { ...defaults, ...request }, response };
}

/** Returns the arguments that a shell passes to curl. */
function runShell(command: string): readonly string[] {
  const script = `curl() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }\n${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('the curl command of a request', () => {
  it.each(["it's", '"; rm -rf x; "', '$(id) `id` $HOME', 'a\\b\nc', '@file', '!!'])(
    'passes the body %j unchanged to curl',
    (text) => {
      const command = toCurl(toSentRequest(createEntry({ body: text })), ORIGIN, 'default');
      expect(runShell(command)).toEqual(['-X', 'POST', `${ORIGIN}/notes?a=1`, '--data-raw', text]);
    },
  );

  it('names the sandbox, and switches off patterns in the URL', () => {
    const entry = createEntry({ method: 'GET', url: '/notes?filter[a]=1', path: '/notes' });
    expect(runShell(toCurl(toSentRequest(entry), ORIGIN, 'w1'))).toEqual([
      '--globoff',
      `${ORIGIN}/notes?filter[a]=1`,
      '-H',
      'x-sandbox: w1',
    ]);
  });
});

describe('the request of an example', () => {
  it('has the credentials that the contract requires', () => {
    const example = { title: 'Add a note', method: 'POST', path: '/notes', headers: { 'x-key': 'example' }, body: {} };
    expect(toExampleRequest(example)).toEqual({
      method: 'POST',
      target: '/notes',
      headers: { 'x-key': 'example', 'content-type': 'application/json' },
      body: '{}',
    });
  });
});

describe('a request that is sent again', () => {
  it('has no headers that the client sets by itself, and no redacted secrets', () => {
    const headers = {
      host: 'localhost:3000',
      'content-length': '2',
      'sec-fetch-mode': 'cors',
      authorization: '[redacted]',
      'content-type': 'application/json',
      prefer: 'status=404',
    };
    expect(toSentRequest(createEntry({ headers, body: {} })).headers).toEqual({
      'content-type': 'application/json',
      prefer: 'status=404',
    });
  });
});

describe('the secrets of a request', () => {
  const headers = { authorization: '[redacted]', 'x-key': '[redacted]', accept: 'text/plain' };
  const entry = createEntry({ method: 'GET', url: '/notes', path: '/notes', headers });

  it('are sent and copied if the user has entered them, and nothing is missing then', () => {
    const secrets = { authorization: 'Bearer abc', 'x-key': 'k' };
    expect(listSecretHeaders(entry)).toEqual(['authorization', 'x-key']);
    expect(toSentRequest(entry, secrets).headers).toEqual(secrets);
    expect(toCurl(toCopiedRequest(entry, secrets), ORIGIN, 'default')).toContain("-H 'authorization: Bearer abc'");
    expect(toTest(entry, secrets)).toContain("authorization: 'Bearer abc'");
    expect(describeMissingSecrets(entry, secrets)).toBeUndefined();
  });

  it('have a placeholder in copied code if the user has not entered them', () => {
    const command = toCurl(toCopiedRequest(entry, { 'x-key': 'k', authorization: '' }), ORIGIN, 'default');
    expect(runShell(command)).toEqual([`${ORIGIN}/notes`, '-H', 'authorization: CREDENTIALS', '-H', 'x-key: k']);
    expect(toSentRequest(entry, { authorization: '' }).headers).toEqual({});
    expect(describeMissingSecrets(entry, { 'x-key': 'k' })).toBe(
      'The journal does not store secrets. Enter the header authorization to send the request with it. Copied code has CREDENTIALS in its place until then.',
    );
  });
});

describe('what a request lacks when it is sent again', () => {
  it.each([
    [{ headers: { authorization: '[redacted]', accept: '*/*' } }, 'Enter the header authorization to'],
    [{ url: '/notes?api_key=%5Bredacted%5D' }, '[redacted] in the query,'],
    [{ url: '/notes?api_key=[redacted]&a=%' }, '[redacted] in the query,'],
    [
      { body: { password: '[redacted]' }, headers: { 'x-token': '[redacted]' } },
      'the header x-token to send the request with it. Copied code has CREDENTIALS in its place until then. The request is sent with [redacted] in the body,',
    ],
  ])('is named: %j', (request, places) => {
    expect(describeMissingSecrets(createEntry(request))).toContain(places);
  });

  it('is nothing if no secret was removed', () => {
    expect(describeMissingSecrets(createEntry({ headers: { accept: '*/*' }, body: 'x' }))).toBeUndefined();
  });

  it('prevents sending if the journal does not have the whole body', () => {
    expect(explainUnsendable(createEntry({ isTruncated: true }))).toBe(
      "The request can't be sent again: the journal has only a part of its body.",
    );
    expect(explainUnsendable(createEntry({ headers: { 'content-type': 'multipart/form-data' } }))).toMatch(/parts/);
    expect(explainUnsendable(createEntry())).toBeUndefined();
  });
});

describe('the code of a request', () => {
  it('is valid JavaScript for any text', async () => {
    const text = `'"\\\n\u2028\${x}</script>`;
    const sent = toSentRequest(createEntry({ body: { text, 'a-b': [null, 1, true] } }));
    const calls: unknown[][] = [];
    const run = new Function('fetch', `return (async () => { ${toFetch(sent, ORIGIN, 'w1')} })()`);
    await run(async (...parameters: unknown[]) => calls.push(parameters));
    const [[url, options] = []] = calls as [string, { body: string; headers: object }][];
    expect(url).toBe(`${ORIGIN}/notes?a=1`);
    expect(options?.headers).toEqual({ 'x-sandbox': 'w1' });
    expect(JSON.parse(options?.body ?? '')).toEqual({ text, 'a-b': [null, 1, true] });
  });

  it('is a test that verifies the operation and the status', () => {
    const code = toTest(createEntry({ body: { text: 'x' } }));
    expect(code).toContain("it('addNote responds with 201', async () => {");
    expect(code).toContain("body: JSON.stringify({ text: 'x' }),");
    expect(code).toContain("await sandbox.verify({ operation: 'addNote', status: 201, times: 1 });");
  });
});

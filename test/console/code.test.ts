import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  describeSecrets,
  explainUnsendable,
  hasSecrets,
  toCurl,
  toExampleRequest,
  toFetch,
  toSentRequest,
  toTest,
} from '../../src/console/model/code.ts';
import type { JournalEntry } from '../../src/control/operation.ts';

const ORIGIN = 'http://localhost:3000';

type Recorded = JournalEntry['request'];

/** Creates a recorded request. */
function createRequest(request: Partial<Recorded> = {}): Recorded {
  return { method: 'POST', url: '/_sandbox/w1/notes?a=1', path: '/notes', query: {}, headers: {}, ...request };
}

/** The operation and the response of the request. */
const ENTRY = { operation: 'addNote', response: { status: 201, headers: {}, bytes: 0 } };

/** Returns the arguments that a shell passes to curl. */
function runShell(command: string): readonly string[] {
  const script = `curl() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }\n${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('the curl command of a request', () => {
  it.each(["it's", '"; rm -rf x; "', '$(id) `id` $HOME', 'a\\b\nc', '@file', '!!'])(
    'passes the body %j unchanged to curl',
    (text) => {
      const command = toCurl(toSentRequest(createRequest({ body: text })), ORIGIN, 'default');
      expect(runShell(command)).toEqual(['-X', 'POST', `${ORIGIN}/notes?a=1`, '--data-raw', text]);
    },
  );

  it('names the sandbox, and switches off patterns in the URL', () => {
    const entry = createRequest({ method: 'GET', url: '/notes?filter[a]=1', path: '/notes' });
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
  it('has no headers that the client sets by itself', () => {
    const headers = {
      host: 'localhost:3000',
      'content-length': '2',
      'sec-fetch-mode': 'cors',
      authorization: 'Bearer abc',
      'content-type': 'application/json',
      prefer: 'status=404',
    };
    expect(toSentRequest(createRequest({ headers, body: {} })).headers).toEqual({
      authorization: 'Bearer abc',
      'content-type': 'application/json',
      prefer: 'status=404',
    });
  });
});

describe('the secrets of a request', () => {
  it.each([
    [{ headers: { authorization: '[redacted]', accept: '*/*' } }, true],
    [{ url: '/notes?api_key=%5Bredacted%5D' }, true],
    [{ url: '/notes?api_key=[redacted]&a=%' }, true],
    [{ body: { password: '[redacted]' } }, true],
    [{ headers: { accept: '*/*' }, body: 'x' }, false],
  ])('are found: %j', (request, expected) => {
    expect(hasSecrets(createRequest(request))).toBe(expected);
    expect(describeSecrets(createRequest(request)) !== undefined).toBe(expected);
  });

  it('do not include the cookies when the page sends the request again', () => {
    const authorized = { headers: { authorization: '[redacted]' } };
    expect(describeSecrets(createRequest(authorized))).not.toContain('cookies');
    expect(describeSecrets(createRequest({ headers: { cookie: '[redacted]' } }))).toContain('cookies of this browser');
  });
});

describe('a request that cannot be sent again', () => {
  it('is one whose body the journal does not have completely', () => {
    expect(explainUnsendable(createRequest({ isTruncated: true }))).toBe(
      "The request can't be sent again: the journal has only a part of its body.",
    );
    expect(explainUnsendable(createRequest({ headers: { 'content-type': 'multipart/form-data' } }))).toMatch(/parts/);
    expect(explainUnsendable(createRequest())).toBeUndefined();
  });
});

describe('the code of a request', () => {
  it('is valid JavaScript for any text', async () => {
    const text = `'"\\\n\u2028\${x}</script>`;
    const sent = toSentRequest(createRequest({ body: { text, 'a-b': [null, 1, true] } }));
    const calls: unknown[][] = [];
    const run = new Function('fetch', `return (async () => { ${toFetch(sent, ORIGIN, 'w1')} })()`);
    await run(async (...parameters: unknown[]) => calls.push(parameters));
    const [[url, options] = []] = calls as [string, { body: string; headers: object }][];
    expect(url).toBe(`${ORIGIN}/notes?a=1`);
    expect(options?.headers).toEqual({ 'x-sandbox': 'w1' });
    expect(JSON.parse(options?.body ?? '')).toEqual({ text, 'a-b': [null, 1, true] });
  });

  it('is a test that verifies the operation and the status', () => {
    const code = toTest(toSentRequest(createRequest({ body: { text: 'x' } })), ENTRY, {});
    expect(code).toContain('await startStorefront();');
    expect(code).toContain("it('addNote responds with 201', async () => {");
    expect(code).toContain("body: JSON.stringify({ text: 'x' }),");
    expect(code).toContain("await sandbox.verify({ operation: 'addNote', status: 201, times: 1 });");
  });

  it('is a test that starts the served contract with its handlers', () => {
    const options = { contract: 'api/notes.yaml', handlers: 'handlers.js' };
    const code = toTest(toSentRequest(createRequest()), ENTRY, options);
    expect(code).toContain("await startStorefront({ contract: 'api/notes.yaml', handlers: 'handlers.js' });");
  });
});

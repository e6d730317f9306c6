import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES, runCheck, toJson, writeReports } from '../../src/check/command.ts';
import { createCheckCommand } from '../../src/check/options.ts';
import { toJunit } from '../../src/check/report/junit.ts';
import { toMarkdown } from '../../src/check/report/markdown.ts';
import { toSarif } from '../../src/check/report/sarif.ts';
import { toText } from '../../src/check/report/text.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { getCoverage } from '../support/harness/coverage.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { NOTES_CONTRACT } from '../support/reference-servers/notes-server.ts';

interface Recorded {
  readonly method?: string;
  readonly url?: string;
  readonly sent?: unknown;
  readonly status?: number;
  readonly type?: string;
  readonly body?: unknown;
  readonly content?: object;
}

const NOTE = { id: '1', text: 'Call Ann' };

/** Returns an entry of a HAR file, by default a correct one. */
function entry({ method = 'GET', url = 'https://notes.test/notes', sent, status = 200, ...response }: Recorded = {}) {
  const { type = status < 400 ? 'application/json' : 'application/problem+json', body = [NOTE], content } = response;
  const text = status === 204 ? '' : JSON.stringify(body);
  return {
    request: {
      method,
      url,
      headers: [{ name: ':method', value: method }],
      ...(sent === undefined ? {} : { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
    },
    response: {
      status,
      headers: text === '' ? [] : [{ name: 'Content-Type', value: type }],
      content: content ?? { size: text.length, text },
    },
  };
}

/** Checks a text as a HAR file. Returns the exit code, the findings and the text of the report. */
async function checkText(text: string, args = '') {
  const folder = await folderWith({ 'api.yaml': NOTES_CONTRACT });
  await writeFile(join(folder, 'traffic.har'), text);
  return check(`--contract ${join(folder, 'api.yaml')} --har ${join(folder, 'traffic.har')} ${args}`);
}

async function check(line: string) {
  let command: Parameters<typeof runCheck>[0] | undefined;
  createCheckCommand({}, (one) => (command = one)).parse(line.trim().split(/\s+/), { from: 'user' });
  if (!command) throw new Error('the command line was not parsed');
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const start = () => Promise.reject(new Error('no server is needed'));
  const contract = projectFile('openapi.yaml');
  const report = await runCheck(command, { contract, model: shopModel, start, print, seed: 1, nowMs: 0 });
  const findings = report.failures.map(({ operationId, status, title }) => `${operationId} ${status} ${title}`);
  return { exit: writeReports(report, command, print), findings, report, text: toText(report) };
}

const checkEntries = (entries: readonly unknown[], args?: string) =>
  checkText(JSON.stringify({ log: { version: '1.2', entries } }), args);

describe('storefront check --har', () => {
  it('passes for correct traffic, and counts it', async () => {
    const created = { method: 'POST', sent: { text: 'Call Ann' }, status: 201, body: NOTE };
    const location = entry(created);
    location.response.headers.push({ name: 'Location', value: '/notes/1' });
    const { exit, text, report } = await checkEntries([
      entry(),
      location,
      entry({ url: 'https://notes.test/notes/1', body: NOTE }),
      entry({ url: 'https://notes.test/notes/7', status: 404, body: { detail: 'unknown' } }),
      entry({ url: 'https://notes.test/notes/1', method: 'DELETE', status: 204 }),
      entry({ url: 'https://cdn.test/app.js', type: 'text/javascript' }),
    ]);
    expect(exit).toBe(EXIT_CODES.passed);
    expect(report.title).toContain('Checked 5 of 6 recorded requests');
    expect(text).toContain('Recorded requests that belong to no operation: 1 (GET https://cdn.test/app.js)');
    expect(report.coverage.operations.map(({ operationId, requests }) => [operationId, requests])).toEqual([
      ['listNotes', 1],
      ['addNote', 1],
      ['readNote', 2],
      ['removeNote', 1],
    ]);
  });

  it.each<[string, Recorded, string]>([
    ['a wrong property', { body: [{ ...NOTE, text: 7 }] }, 'listNotes 200 body/*/text type'],
    ['an undocumented success', { status: 202 }, 'listNotes 202 status documented'],
    ['a wrong media type', { type: 'text/plain' }, 'listNotes 200 content type documented'],
    ['an error of the server', { status: 500, body: { detail: 'x' } }, 'listNotes 500 no server error'],
    [
      'an invalid request that succeeds',
      { method: 'POST', sent: { text: '' }, status: 201, body: NOTE },
      'addNote 201 refuses invalid requests: body /text minLength',
    ],
  ])('finds %s', async (_, recorded, finding) => {
    const { exit, findings, report } = await checkEntries([entry(), entry(recorded)]);
    expect(findings).toContain(finding);
    expect(exit).toBe(EXIT_CODES.failed);
    expect(report.failures[0]?.steps[0]?.request).toContain('https://notes.test/notes');
    expect(report.failures[0]?.reproduce).toBeUndefined();
  });

  it('does not judge a refused request, or a body that is not recorded', async () => {
    const { exit, findings, text } = await checkEntries([
      entry({ method: 'POST', sent: { text: '' }, status: 400, body: { detail: 'text' } }),
      entry({ content: { size: 900 } }),
    ]);
    expect([exit, findings]).toEqual([EXIT_CODES.passed, []]);
    expect(text).toContain('is missing or incomplete and was not checked: 1');
  });

  it('leaves out failed requests and WebSockets, forms of files, and bodies that browsers do not record', async () => {
    const upload = { method: 'POST', url: 'https://notes.test/notes', headers: [], bodySize: 90 };
    const form = { mimeType: 'multipart/form-data; boundary=x', text: '--x--' };
    const { exit, findings } = await checkEntries([
      entry(),
      entry({ status: -1 }),
      entry({ url: 'wss://notes.test/notes', status: 101 }),
      { request: { method: 'GET', url: '', headers: null }, response: { status: 0 } },
      entry({ content: { size: -1 } }),
      entry({ content: { size: 0, text: '' } }),
      { request: { ...upload, postData: form }, response: { status: 201, headers: null, content: null } },
    ]);
    expect([exit, findings]).toEqual([
      EXIT_CODES.failed,
      ['addNote 201 content type documented', 'addNote 201 header Location required'],
    ]);
  });

  it('redacts the secrets of the recording in all reports', async () => {
    const wrong = entry({ url: 'https://notes.test/notes?access_token=SECRET1', body: [{ id: 1, token: 'SECRET2' }] });
    const headers = [
      { name: 'Authorization', value: 'Bearer SECRET3' },
      { name: 'Cookie', value: 'sid=SECRET4' },
    ];
    const { exit, report } = await checkEntries([{ ...wrong, request: { ...wrong.request, headers } }]);
    expect(exit).toBe(EXIT_CODES.failed);
    for (const format of [toText, toJunit, toMarkdown, toSarif, toJson]) expect(format(report)).not.toContain('SECRET');
  });

  it('does not judge a page that a browser has loaded at the path of an operation', async () => {
    const page = (headers: Readonly<Record<string, string>>) => {
      const { request, response } = entry({ content: { text: '<!doctype html>' } });
      const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
      return { request: { ...request, headers: list }, response: { ...response, headers: HTML } };
    };
    const HTML = [{ name: 'content-type', value: 'text/html; charset=utf-8' }];
    const load = page({ Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Sec-Fetch-Dest': 'document' });
    const { findings, report } = await checkText(JSON.stringify({ log: { entries: [load, entry()] } }));
    expect(findings).toEqual([]);
    expect(report.notes).toContain(
      'Recorded requests that belong to no operation: 1 (GET https://notes.test/notes (a page))',
    );
    for (const headers of [{ Accept: 'application/json' }, { Accept: 'text/html', 'Sec-Fetch-Dest': 'empty' }]) {
      const fetched = await checkText(JSON.stringify({ log: { entries: [page(headers)] } }));
      expect(fetched.findings).toHaveLength(1);
    }
  });

  it('checks only the requests below a URL, and the selected operations', async () => {
    const wrong = { body: [{ id: 1 }] };
    const both = [entry({ url: 'https://a.test/api/notes' }), entry({ url: 'https://b.test/notes', ...wrong })];
    expect((await checkEntries(both, 'https://a.test/api')).findings).toEqual([]);
    expect((await checkEntries(both, 'https://b.test')).findings).not.toEqual([]);
    expect((await checkEntries(both, '--only readNote')).findings).toEqual([]);
    const none = await checkEntries(both, 'https://c.test');
    expect([none.exit, none.report.unchecked.length]).toEqual([EXIT_CODES.incomplete, 1]);
  });

  it.each([
    ['{', 'is not a HAR file'],
    ['{"log":{}}', 'is not a HAR file'],
    ['{"log":{"entries":[{"request":{"method":"GET","url":"x"},"response":{"status":200}}]}}', 'log.entries.0 has no'],
    ['{"log":{"entries":[null]}}', 'log.entries.0 has no'],
  ])('refuses %s', async (text, problem) => {
    await expect(checkText(text)).rejects.toThrow(problem);
  });

  it.each<[string, object, object, string]>([
    ['headers that are a text', { headers: 'x' }, {}, 'request.headers is not a list'],
    [
      'a header whose value is an object',
      {},
      { headers: [null, { name: 'a', value: {} }] },
      'response.headers.1 has no',
    ],
    ['a header whose name is a number', { headers: [{ name: 1, value: '' }] }, {}, 'request.headers.0 has no'],
    ['a body that is an object', {}, { content: { text: {} } }, 'response.content.text is not a text'],
  ])('refuses %s', async (_, request, response, problem) => {
    const correct = entry();
    const wrong = { request: { ...correct.request, ...request }, response: { ...correct.response, ...response } };
    const text = JSON.stringify({ log: { entries: [correct, wrong] } });
    await expect(checkText(text)).rejects.toThrow(/^Invalid HAR file .*traffic\.har: log\.entries\.1\./);
    await expect(checkText(text)).rejects.toThrow(problem);
  });
});

describe('storefront check --pact', () => {
  const read = { request: { method: 'get', path: '/notes/1' }, response: { status: 200, body: { text: 'Call Ann' } } };

  /** Checks interactions as a pact. */
  async function checkPact(interactions: readonly unknown[], metadata: object = {}) {
    const folder = await folderWith({ 'api.yaml': NOTES_CONTRACT });
    await writeFile(join(folder, 'pact.json'), JSON.stringify({ interactions, metadata }));
    return check(`--contract ${join(folder, 'api.yaml')} --pact ${join(folder, 'pact.json')}`);
  }

  it('accepts a part of a response, queries in both forms, wrapped bodies, and messages', async () => {
    const list = { method: 'GET', path: '/notes', query: 'limit=2' };
    const body = { content: { text: 'Call Ann' }, contentType: 'application/json', encoded: false };
    const { exit, findings, report } = await checkPact([
      read,
      { request: list, response: { status: 200, headers: { 'Content-Type': 'application/json' }, body: [] } },
      { request: { ...list, query: { limit: ['2'] } }, response: { status: 200 } },
      { type: 'Synchronous/HTTP', request: { method: 'POST', path: '/notes', body }, response: { status: 201, body } },
      { type: 'Asynchronous/Messages', contents: {} },
    ]);
    expect([exit, findings]).toEqual([EXIT_CODES.passed, []]);
    expect(report.title).toContain('Checked 4 of 4');
  });

  it.each<[string, object, string]>([
    ['a property of another type', { response: { status: 200, body: { text: 7 } } }, 'readNote 200 body/text type'],
    [
      'a property that the contract lacks',
      { response: { status: 200, body: { title: 'x' } } },
      'readNote 200 body/title additionalProperties',
    ],
    ['an undocumented status', { response: { status: 202 } }, 'readNote 202 status documented'],
    [
      'an invalid request',
      { request: { method: 'POST', path: '/notes', body: { text: '' } }, response: { status: 201 } },
      'addNote 201 refuses invalid requests: body /text minLength',
    ],
  ])('finds %s', async (_, change, finding) => {
    const { exit, findings } = await checkPact([{ ...read, ...change }]);
    expect([exit, findings]).toEqual([EXIT_CODES.failed, [finding]]);
  });

  it('refuses other files', async () => {
    await expect(checkPact([{ request: {} }])).rejects.toThrow('interactions.0 has no method, path or status');
    await expect(checkPact(7 as never)).rejects.toThrow('is not a pact');
  });
});

describe('storefront check --journal', () => {
  it('checks the recorded requests of all sandboxes', async () => {
    const { url } = await startStorefront({ durability: 'memory' });
    await fetch(`${url}/api/products`);
    await fetch(`${url}/_sandbox/w1/api/cart-items`);
    const passed = await check(`--journal ${url}`);
    expect([passed.exit, passed.findings]).toEqual([EXIT_CODES.passed, []]);
    expect(passed.report.title).toContain('Checked 2 of 2 recorded requests');

    const fault = { operation: 'getOrders', status: 418 };
    const body = JSON.stringify({ ...fault, allowUndocumented: true });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/_control/sandboxes/w2/faults`, { method: 'POST', headers, body });
    await fetch(`${url}/_sandbox/w2/api/orders`);
    expect((await check(`--journal ${url}`)).report.title).toContain('Checked 3 of 3');
  });

  it('counts the same points of the contract as the coverage of the server', async () => {
    const { url, ask } = await startStorefront();
    const item = { productId: 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6', quantity: 1 };
    await ask('GET', '/api/products?search=shoes&limit=1');
    await ask('POST', '/api/cart-items', item);
    await ask('POST', '/api/cart-items', { quantity: 11 });
    await ask('PUT', `/api/cart-items/${item.productId}`, { quantity: 2 });
    await ask('GET', '/api/orders/unknown');
    const { coverage } = (await check(`--journal ${url}`)).report;
    const list = ({ totals, operations }: typeof coverage.contract) => ({
      totals,
      points: operations.flatMap(({ operationId, requests, refused, points }) => [
        [operationId, requests, refused],
        ...points.filter(({ count }) => count > 0).map(({ kind, name, count }) => [kind, name, count]),
      ]),
    });
    expect(list(coverage.contract)).toEqual(list(await getCoverage({ url })));
    expect(coverage.contract.totals[0]).toEqual({ kind: 'operation', total: 11, touched: 4, onlyForced: 0 });
  });

  it('says what to do if the server has no journal', async () => {
    const { url } = await startStorefront({ durability: 'memory' });
    await expect(check(`--journal ${url}/nowhere`)).rejects.toThrow('Use the address of a storefront server');
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';

const ROOM = { type: 'object', properties: { beds: { type: 'integer', minimum: 1, maximum: 6 } }, required: ['beds'] };

const paths = {
  '/rooms': {
    get: createOperation('listRooms', { type: 'array', items: ROOM }),
    post: createOperation('addRoom', ROOM, {
      requestBody: { required: true, content: { 'application/json': { schema: ROOM } } },
    }),
  },
  '/hotels': { get: createOperation('listHotels', { type: 'array', items: {} }) },
};

interface Stop {
  /** How long the server keeps its connections open without responding before it stops, in ms. */
  readonly silentMs?: number;
  /** When it accepts connections again, in ms; undefined if it does not. */
  readonly restartMs?: number;
}

/** Starts a server that stops 50 ms after its response to a POST whose number of beds `isFatal`. */
async function startRooms(isFatal: (beds: number) => boolean, { silentMs, restartMs }: Stop = {}): Promise<string> {
  let isClosed = false;
  let isSilent = false;
  const server = createServer(async (request, response) => {
    const { method, url } = request;
    if (isSilent) return;
    let text = '';
    for await (const chunk of request) text += chunk;
    const send = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const path = url?.split('?')[0];
    if (path !== '/rooms' && path !== '/hotels') return void send(404, {});
    if (method === 'GET' || method === 'HEAD') return void send(200, []);
    if (method !== 'POST' || path === '/hotels')
      return void send(405, {}, { allow: path === '/hotels' ? 'GET' : 'GET, POST' });
    const { beds } = parse(text);
    const isValid = Number.isInteger(beds) && beds >= 1 && beds <= 6;
    send(isValid ? 200 : 400, isValid ? { beds } : {});
    if (!isValid || !isFatal(beds)) return;
    isSilent = silentMs !== undefined;
    setTimeout(stop, silentMs ?? 50);
  });
  const listen = (port = 0) => new Promise<void>((done) => void server.listen(port, '127.0.0.1', done));
  const stop = () => {
    if (!server.listening) return;
    const { port } = server.address() as AddressInfo;
    server.close(() => restartMs !== undefined && setTimeout(() => !isClosed && listen(port), restartMs));
    server.closeAllConnections();
  };
  await listen();
  onTestFinished(() => {
    isClosed = true;
    stop();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function parse(text: string): { readonly beds: number } {
  try {
    return { beds: NaN, ...JSON.parse(text) };
  } catch {
    return { beds: NaN };
  }
}

async function check(url: string) {
  const contract = await loadContract({ path: await writeDocument({ paths }), strict: false });
  const verdict = await runCheck(url, { contract, isFresh: false, runs: 5, waitSeconds: 1 });
  return { verdict, findings: formatFindings(verdict.findings) };
}

it('checkServer finds the request after whose response the server stops and starts again', async () => {
  const { verdict, findings } = await check(await startRooms((beds) => beds === 6, { restartMs: 200 }));
  expect(findings).toEqual([
    expect.stringMatching(/^behaviour addRoom none responds: The server responds with 200, and then stops/),
  ]);
  const [exchange] = verdict.findings[0]?.exchanges ?? [];
  expect(exchange?.request.body).toBe('{"beds":6}');
});

it('checkServer names the last requests to a server that stops after a response and does not start again', async () => {
  const { verdict, findings } = await check(await startRooms((beds) => beds === 6));
  expect(findings).toEqual([expect.stringMatching(/^behaviour \w+ none the server keeps running: /)]);
  expect(verdict.findings[0]?.stop?.suspects).toContain('addRoom');
  expect(verdict.unchecked).not.toEqual([]);
});

it('checkServer is incomplete if the server stopped once, and no repeated request stops it again', async () => {
  let left = 1;
  const { verdict, findings } = await check(await startRooms(() => left-- === 1, { restartMs: 200 }));
  // A request in flight when the server stops is reported as not reproducible.
  expect(findings.filter((finding) => !finding.includes('reproducible'))).toEqual([]);
  expect(verdict.unchecked).toEqual([expect.stringMatching(/^the cause of a restart of the server/)]);
});

it('checkServer names the last requests also if it notices the stop only after a second', async () => {
  const { findings } = await check(await startRooms((beds) => beds === 6, { silentMs: 1_500 }));
  expect(findings).toEqual([expect.stringMatching(/answered in the second before/)]);
});

it('checkServer has no finding for the same server without the defect', async () => {
  const { verdict, findings } = await check(await startRooms(() => false));
  expect([findings, verdict.unchecked]).toEqual([[], []]);
});

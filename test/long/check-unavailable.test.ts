import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';

const NUMBER = { type: 'object', properties: { a: { type: 'integer' } } };

const paths = {
  '/first': {
    get: createOperation('first', NUMBER, {
      parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
    }),
  },
  '/second': { get: createOperation('second', NUMBER) },
};

/** What a server does with a request to `/first`. It can stop the server. */
type OnFirst = (request: IncomingMessage, response: ServerResponse, stop: () => void) => void;

const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * Starts a server whose operation `second` violates its contract. `onFirst` handles the operation `first`. `restartMs`: when a stopped server accepts connections
 * again.
 */
async function startApi(onFirst: OnFirst, restartMs?: number): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
    else if (path === '/first') onFirst(request, response, stop);
    else if (path === '/second') response.writeHead(200, JSON_TYPE).end('{"a":"text"}');
    else response.writeHead(404).end();
  });
  let isClosed = false;
  const listen = (port = 0) => new Promise<void>((done) => void server.listen(port, '127.0.0.1', done));
  const stop = () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => restartMs !== undefined && setTimeout(() => !isClosed && listen(port), restartMs));
    server.closeAllConnections();
  };
  await listen();
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    isClosed = true;
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

async function check(url: string, options = {}) {
  const contract = await loadContract({ path: await writeDocument({ paths }), strict: false });
  const verdict = await runCheck(url, { contract, isFresh: false, runs: 20, waitSeconds: 1, ...options });
  return { verdict, findings: formatFindings(verdict.findings) };
}

const respond = (response: ServerResponse) => void response.writeHead(200, JSON_TYPE).end('{}');

/** Stops the server if the query has the character U+0000. */
const stopOnNul: OnFirst = ({ url = '' }, response, stop) => (url.includes('%00') ? stop() : respond(response));

const WRONG_SECOND = expect.stringMatching(/^input second 200 body\/a type/);

describe('checkServer on a request that stops the server', () => {
  it('fails and names the requests in flight', async () => {
    const { verdict, findings } = await check(await startApi(stopOnNul));
    expect(findings).toContainEqual(
      expect.stringMatching(
        /^behaviour first none the server keeps running: no response, and then the server no longer accepts/,
      ),
    );
    const requests = verdict.findings.find(({ rule }) => rule === 'responds')?.exchanges ?? [];
    expect(requests.some(({ request }) => request.target.includes('%00'))).toBe(true);
    expect(requests.length).toBeLessThanOrEqual(10);
    expect(verdict.unchecked).not.toEqual([]);
  });

  it('finds the one request if the server starts again', async () => {
    const { verdict, findings } = await check(await startApi(stopOnNul, 50));
    const { exchanges = [] } = verdict.findings.find(({ title }) => title === 'responds') ?? {};
    expect(exchanges.map(({ request }) => request.target)).toEqual([expect.stringContaining('%00')]);
    expect(findings).toContainEqual(WRONG_SECOND);
    expect(findings.filter((finding) => finding.includes('reproducible'))).toEqual([]);
    expect(verdict.unchecked).toEqual([]);
  });
});

describe('checkServer on one operation that is not available', () => {
  const LIMITS: readonly [what: string, status: number, headers: Record<string, string>][] = [
    ['with status 429', 429, { 'retry-after': '800' }],
    ['with status 503 and Retry-After', 503, { 'retry-after': '800' }],
  ];
  it.each(LIMITS)('checks the other operations if it limits the request rate %s', async (_, status, headers) => {
    let requests = 0;
    const url = await startApi((_, response) =>
      ++requests > 5 ? void response.writeHead(status, headers).end() : respond(response),
    );
    const { verdict, findings } = await check(url);
    expect(findings).toContainEqual(WRONG_SECOND);
    expect(verdict.unchecked).toContain('input of first');
    expect(verdict.unchecked).not.toContain('input of second');
    expect(verdict.notes).toContainEqual(
      expect.stringMatching(/^input of first was not checked completely: .*Retry-After/),
    );
  });

  it('reports a failure that could not be repeated because of the rate limit', async () => {
    let requests = 0;
    const url = await startApi((_, response) => {
      const status = ++requests < 8 ? 200 : requests === 8 ? 418 : 429;
      response.writeHead(status, { ...JSON_TYPE, ...(status === 429 ? { 'retry-after': '800' } : {}) }).end('{}');
    });
    const { findings } = await check(url);
    expect(findings).toContainEqual(expect.stringMatching(/^input first 418 status documented/));
  });

  it('comes back to it at the end', async () => {
    let requests = 0;
    const url = await startApi((_, response) =>
      ++requests === 5 ? void response.writeHead(429, { 'retry-after': '3' }).end() : respond(response),
    );
    const { verdict } = await check(url);
    expect(verdict.unchecked).toEqual([]);
  });

  it('checks the other operations if it does not respond in time', async () => {
    const { verdict, findings } = await check(await startApi(() => {}), { timeoutSeconds: 2 });
    expect(findings).toContainEqual(WRONG_SECOND);
    expect(findings).toContainEqual('input first none responds: no response within 2 s');
    expect(verdict.unchecked).not.toContain('input of second');
  });

  it('checks the other operations if its response does not end', async () => {
    const url = await startApi((_, response) => void response.writeHead(200, JSON_TYPE).write('{'));
    const { findings } = await check(url, { timeoutSeconds: 2 });
    expect(findings).toContainEqual(WRONG_SECOND);
    expect(findings).toContainEqual('input first none responds: the response did not end within 2 s');
  });
});

it('checkServer reports a server that closes the connection after an error without announcing it', async () => {
  const url = await startApi(({ url = '', socket }, response) => {
    if (!url.includes('%')) return respond(response);
    response.writeHead(400, JSON_TYPE).end('{}', () => socket.end());
  });
  const { findings } = await check(url);
  expect(findings).toContainEqual(expect.stringMatching(/^input first 400 announces closed connections: /));
});

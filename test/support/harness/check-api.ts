import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { checkServer, type Verdict } from '../../../src/check/check.ts';
import type { CheckOptions } from '../../../src/check/check-options.ts';
import { loadContract } from '../../../src/openapi/contract.ts';
import { writeDocument } from '../fixtures/other-document.ts';

/** A received request. The path is not decoded. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed JSON body; undefined if the content type is not JSON, or if the body is not valid JSON. */
  readonly json: unknown;
}

/** The response of a test server. An object is sent as JSON, and a string as it is. */
export interface SentResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a server whose responses `respond` returns. It is closed when the test ends. Returns its URL. */
export async function startApi(respond: (request: ReceivedRequest) => SentResponse): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const [path = '', query = ''] = url.split('?');
    const text = Buffer.concat(chunks).toString('latin1');
    const isJson = (headers['content-type'] ?? '').split(';')[0]?.trim() === 'application/json';
    const json = isJson ? parseJson(Buffer.concat(chunks)) : undefined;
    const sent = respond({ method, path, query: new URLSearchParams(query), headers, text, json });
    const isText = typeof sent.body === 'string';
    response.writeHead(sent.status, { ...(isText || sent.body === undefined ? {} : JSON_HEADERS), ...sent.headers });
    response.end(isText || sent.body === undefined ? sent.body : JSON.stringify(sent.body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/**
 * Checks a server with a document. Requests to a path that the document does not have get 404, and those with an undocumented method get 405; `respond` handles
 * all other requests.
 */
export async function checkApi(
  document: Parameters<typeof writeDocument>[0],
  respond: (request: ReceivedRequest) => SentResponse,
  options: Partial<CheckOptions> = {},
): Promise<Verdict> {
  const contract = await loadContract({ path: await writeDocument(document), strict: false });
  const url = await startApi((request) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const routed = contract.route(method, request.path);
    if (routed.kind === 'operation') return respond(request);
    if (routed.kind === 'unknown-path') return { status: 404 };
    return { status: 405, headers: { allow: routed.allow.join(', ') } };
  });
  const defaults = { headers: {}, seed: 1, runs: 20, mayWrite: true, isFresh: false, waitSeconds: 0 };
  return checkServer({ contract, url, ...defaults, ...options });
}

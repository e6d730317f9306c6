import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Answer, routes } from './other/operations.ts';
import { Refusal } from './other/problems.ts';
import { NOW_MS, Shop } from './other/shop.ts';
import { decoded, getTarget } from './other/target.ts';

/** A running server. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

const LIMITS = {
  maxHeaderSize: 65_536,
  requestTimeout: 30_000,
  headersTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  // The default response of Node.js to a request without `Host` is not a problem document.
  requireHostHeader: false,
};

const EVERYWHERE = {
  'cache-CONTROL': 'no-store, max-age=0',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'location, allow, retry-after',
  DATE: new Date(NOW_MS).toUTCString(),
};

/**
 * Starts a second shop on 127.0.0.1. It conforms to openapi.yaml, but shares no code with the project's shop and differs from it wherever the contract
 * allows this. So every finding of a check of this server is a false positive.
 */
export async function startOtherServer(): Promise<RunningServer> {
  const server = createServer(LIMITS);
  const frontDoor = new FrontDoor(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  frontDoor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: frontDoor.url, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}

/** Handles all connections of the server, including bytes that Node.js can't parse as HTTP. */
class FrontDoor {
  url = '';
  readonly #shop = new Shop();
  readonly #last = new WeakMap<Duplex, ServerResponse>();

  constructor(server: Server) {
    server.on('request', (request, response) => void this.#take(request, response));
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      const refusal = new Refusal('expectation-failed', 'Expect nothing but 100-continue.');
      send(request, response, refusedAnswer(refusal, getTarget(request.url ?? '').path));
    });
    server.on('clientError', (error: UnreadError, socket) => this.#takeUnread(error, socket));
    server.on('connect', ({ url = '' }, socket) => {
      sendRaw(socket, getRefusal('CONNECT', url), url.startsWith('/') ? getTarget(url).path : '/');
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#last.set(request.socket, response);
    try {
      send(request, response, await this.#answerTo(request));
    } catch (error) {
      // A client that has disconnected needs no response. All other errors are defects of this server, which a test must notice.
      if (request.destroyed && !request.complete) return;
      if (!(error instanceof Refusal)) throw error;
      send(request, response, refusedAnswer(error, getTarget(request.url ?? '').path));
    }
  }

  async #answerTo(request: IncomingMessage): Promise<Answer> {
    const { method = '', url = '', headers } = request;
    if (headers.host === undefined && request.httpVersion === '1.1') {
      throw new Refusal('malformed-request', 'The header Host is missing.');
    }
    const { segments, query } = getTarget(url);
    const operations = operationsAt(segments);
    if (method === 'OPTIONS' && operations) return optionsAnswer(request, operations);
    const operation = operations?.[method === 'HEAD' ? 'GET' : method];
    if (!operation) throw getRefusal(method, url);
    const parameter = decoded(segments.at(-1) ?? '') ?? '';
    return operation({ shop: this.#shop, query, parameter, request, serverUrl: this.url });
  }

  #takeUnread(error: UnreadError, socket: Duplex): void {
    const last = this.#last.get(socket);
    const isUnderWay = last !== undefined && !last.req.complete;
    if (!socket.writable || (isUnderWay && last.headersSent)) {
      socket.destroy();
      return;
    }
    const line = /^([\w!#$%&'*+.^`|~-]+) (\S+) HTTP\/1\.[01]\r?\n/.exec(error.rawPacket?.toString('latin1') ?? '');
    const [, method = '', url = isUnderWay ? (last.req.url ?? '') : ''] = line ?? [];
    const isOtherMethod = line !== null && !isUnderWay && (error.code === 'HPE_INVALID_METHOD' || method === 'CONNECT');
    sendRaw(socket, isOtherMethod ? getRefusal(method, url) : unreadRefusal(error.code), getTarget(url).path);
  }
}

type UnreadError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

function operationsAt(segments: readonly string[]) {
  const isAt = (pattern: string) => {
    const parts = pattern.split('/');
    if (parts.length !== segments.length) return false;
    return parts.every((part, at) => (part === '*' ? segments[at] !== '' : part === decoded(segments[at] ?? '')));
  };
  return Object.entries(routes).find(([pattern]) => isAt(pattern))?.[1];
}

function optionsAnswer({ headers }: IncomingMessage, operations: object): Answer {
  const allow = Object.keys(operations).join(',');
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) {
    return { status: 200, headers: { aLLOW: allow } };
  }
  const asked = headers['access-control-request-headers'];
  return {
    status: 204,
    headers: {
      aLLOW: allow,
      'access-control-allow-methods': allow,
      ...(asked !== undefined && { 'access-control-allow-headers': asked, vary: 'access-control-request-headers' }),
    },
  };
}

function getRefusal(method: string, url: string): Refusal {
  const operations = operationsAt(getTarget(url).segments);
  if (!operations) return new Refusal('unknown-path', 'Nothing is to be found here.');
  const allow = Object.keys(operations).join(',');
  return new Refusal('method-not-allowed', `${method} can’t be used here, but ${allow}.`, { allow });
}

function unreadRefusal(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('headers-too-large', 'Send no more than 64 kB of headers.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Refusal('request-timeout', 'Half a minute was not enough; hurry.');
  return new Refusal('malformed-request', 'This is not HTTP/1.1.');
}

function refusedAnswer(refusal: Refusal, path: string): Answer {
  const content = JSON.stringify(refusal.document(path), null, '\t');
  const { allow } = refusal.extras;
  const headers: Record<string, string> = allow === undefined ? {} : { aLLOW: allow };
  return { status: refusal.status, text: { type: 'application/problem+json', content }, headers };
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, json, headers } = answer;
  const text =
    answer.text ?? (json !== undefined && { type: 'application/json', content: JSON.stringify(json, null, '\t') });
  response.sendDate = false;
  response.writeHead(status, { ...EVERYWHERE, ...headers, ...(text && { 'CONTENT-Type': text.type }) });
  if (text && request.method !== 'HEAD') {
    // Node.js sends the two writes as chunks. The chunks can split a character that consists of several bytes.
    const bytes = Buffer.from(text.content);
    response.write(bytes.subarray(0, bytes.length / 2));
    response.write(bytes.subarray(bytes.length / 2));
  }
  response.end();
}

/** The time that a client has to read a response before its socket is destroyed, in ms. Without this time, the response would be discarded. */
const READ_TIME_MS = 500;

/** Writes a response directly to the socket, because Node.js has no response object for this request. Then closes the connection. */
function sendRaw(socket: Duplex, refusal: Refusal, path: string): void {
  const { status, text, headers } = refusedAnswer(refusal, path);
  const all = { ...EVERYWHERE, ...headers, 'CONTENT-Type': text?.type, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  setTimeout(() => socket.destroy(), READ_TIME_MS).unref();
  socket.resume();
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${text?.content}`);
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { decode, receive } from './plain/body.ts';
import { type Answer, problemAnswer, Refusal } from './plain/refusal.ts';
import { findRoute, getAllow, getOperation, perform, type Session } from './plain/routes.ts';
import { defaultShop } from './plain/shop.ts';

const REQUEST_TIME_MS = 30_000;
const HEADERS_BYTES = 64 * 1024;
const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]+) (\/\S*|https?:\S+)( HTTP\/1\.[01]\r?\n)?/;

/** A running server. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

interface Unreadable extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** The parts of a request's target. */
interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Starts a server for the shop's contract on 127.0.0.1 and a free port. It shares no code with the project's server. Its state is in memory and initially
 * contains the default data.
 */
export async function startPlainServer(): Promise<RunningServer> {
  const session: Session = { shop: defaultShop() };
  const server = createServer({
    maxHeaderSize: HEADERS_BYTES,
    requestTimeout: REQUEST_TIME_MS,
    headersTimeout: REQUEST_TIME_MS,
    connectionsCheckingInterval: 1000,
    // The default response of Node.js to a request without `Host` is not a problem document.
    requireHostHeader: false,
  });
  // By default, Node.js drops all headers after the 2,000th.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => void respond(session, request, response));
  server.on('checkExpectation', refuseExpectation);
  server.on('connect', (request, socket: Socket) => {
    endRaw(socket, refusedMethod('CONNECT', readTarget(request.url ?? '/').path));
  });
  answerUnreadable(server);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => close(server, sockets) };
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}

async function respond(session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = readTarget(request.url ?? '/');
  const answer = await answerTo(session, request, target).catch((error) => problemAnswer(error, target.path));
  // If the request was aborted, there is no client to respond to.
  if (!request.socket.destroyed) send(response, answer);
}

async function answerTo(session: Session, request: IncomingMessage, { path, query }: Target): Promise<Answer> {
  checkHost(request);
  const found = findRoute(path);
  if (request.method === 'OPTIONS') return options(request, getAllow(found.route));
  const operation = getOperation(found.route, request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
  // The body is not read if the contract documents no body for the operation.
  const sent = operation.body ? await receive(request) : Buffer.alloc(0);
  return perform(session, operation, found, query, () => (sent.length > 0 ? decode(request, sent) : undefined));
}

function checkHost(request: IncomingMessage): void {
  const hosts = request.headersDistinct.host?.length ?? 0;
  if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) return;
  throw new Refusal('malformed-request', 'the request has to have the header Host once');
}

function options(request: IncomingMessage, allow: string): Answer {
  const { origin, 'access-control-request-method': method, 'access-control-request-headers': asked } = request.headers;
  if (origin === undefined || method === undefined) return { status: 204, headers: { Allow: allow } };
  const allowed: Record<string, string> = asked === undefined ? {} : { 'Access-Control-Allow-Headers': asked };
  return { status: 204, headers: { Allow: allow, 'Access-Control-Allow-Methods': allow, ...allowed } };
}

function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const detail = `the expectation "${request.headers.expect}" is not understood: send 100-continue or none`;
  // The client may or may not send its body now, so the server can't find the start of the next request.
  const refusal = new Refusal('expectation-failed', detail, { headers: { Connection: 'close' } });
  send(response, problemAnswer(refusal, readTarget(request.url ?? '/').path));
}

function readTarget(url: string): Target {
  const text = url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = text.includes('?') ? text.indexOf('?') : text.length;
  // The additional `&` at the start prevents `URLSearchParams` from removing a second `?`.
  return { path: text.slice(0, end) || '/', query: new URLSearchParams(`&${text.slice(end + 1)}`) };
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, getHeaders(answer));
  response.end(answer.body);
}

function getHeaders({ type, body, headers }: Answer): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Allow, Location, Retry-After',
    'Cache-Control': 'no-store',
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
}

/** Responds to bytes that Node.js can't parse as an HTTP request. */
function answerUnreadable(server: Server): void {
  const paths = new WeakMap<object, string>();
  const responses = new WeakMap<object, ServerResponse>();
  server.on('request', (request, response) => responses.set(request.socket, response));
  server.on('connection', (socket) => {
    socket.on('data', (chunk: Buffer) => {
      const target = REQUEST_LINE.exec(chunk.toString('latin1'))?.[2];
      if (target !== undefined) paths.set(socket, readTarget(target).path);
    });
  });
  server.on('clientError', (error: Unreadable, socket) => {
    const last = responses.get(socket);
    const answer = unreadableAnswer(error, paths.get(socket) ?? '/');
    if (error.code === 'ECONNRESET') socket.destroy();
    else if (last?.req.complete && !last.writableFinished) last.once('finish', () => endRaw(socket as Socket, answer));
    // Closes the connection, because the rest of the body of a request that already has a response can't be parsed.
    else if (last?.headersSent && !last.req.complete) socket.end();
    else if (socket.writable) endRaw(socket as Socket, answer);
  });
}

function unreadableAnswer({ code, rawPacket, bytesParsed = 0 }: Unreadable, lastPath: string): Answer {
  const packet = rawPacket?.toString('latin1') ?? '';
  const headersBefore = packet.lastIndexOf('\r\n\r\n', bytesParsed);
  const unread = packet.slice(headersBefore < 0 ? 0 : headersBefore + 4);
  const [, method = '', target, version] = REQUEST_LINE.exec(unread) ?? REQUEST_LINE.exec(packet) ?? [];
  const path = target === undefined ? lastPath : readTarget(target).path;
  // Node.js can't parse a request with an unknown method.
  if (code === 'HPE_INVALID_METHOD' && version !== undefined) return refusedMethod(method, path);
  return problemAnswer(unreadable(code), path);
}

function unreadable(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request-timeout', 'send all of the request at once');
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('headers-too-large', 'the headers pass 64 kB: send less');
  return new Refusal('malformed-request', 'the request is not readable as HTTP/1.1');
}

/** Returns the response to a request whose method no path supports. */
function refusedMethod(method: string, path: string): Answer {
  try {
    getOperation(findRoute(path).route, method);
    return problemAnswer(unreadable(undefined), path);
  } catch (error) {
    return problemAnswer(error, path);
  }
}

function endRaw(socket: Socket, answer: Answer): void {
  const headers = { ...getHeaders(answer), Date: new Date().toUTCString(), Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n`;
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(answer.body ?? '')]));
}

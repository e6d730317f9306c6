import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { decode, receive } from './plain/body.ts';
import { type Answer, problemAnswer, Refusal } from './plain/refusal.ts';
import { allowOf, findRoute, operationOf, perform, type Session } from './plain/routes.ts';
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
 * Starts a server of the contract that shares no code with the backend, on 127.0.0.1 and a free port. Its state is in
 * memory and starts with the default data.
 */
export async function startPlainServer(): Promise<RunningServer> {
  const session: Session = { shop: defaultShop() };
  const server = createServer({
    maxHeaderSize: HEADERS_BYTES,
    requestTimeout: REQUEST_TIME_MS,
    headersTimeout: REQUEST_TIME_MS,
    connectionsCheckingInterval: 1000,
    // The default response of Node.js is not a problem document.
    requireHostHeader: false,
  });
  // By default Node.js drops headers after the 2000th.
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
  // An aborted request has no client to respond to.
  if (!request.socket.destroyed) send(response, answer);
}

async function answerTo(session: Session, request: IncomingMessage, { path, query }: Target): Promise<Answer> {
  checkHost(request);
  const found = findRoute(path);
  if (request.method === 'OPTIONS') return options(request, allowOf(found.route));
  const operation = operationOf(found.route, request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
  // No body is read if the contract describes none.
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
  // The client may send its body or not, so the start of the next request is unknown.
  const refusal = new Refusal('expectation-failed', detail, { headers: { Connection: 'close' } });
  send(response, problemAnswer(refusal, readTarget(request.url ?? '/').path));
}

function readTarget(url: string): Target {
  const text = url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = text.includes('?') ? text.indexOf('?') : text.length;
  // The & preserves a second ?.
  return { path: text.slice(0, end) || '/', query: new URLSearchParams(`&${text.slice(end + 1)}`) };
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, headersOf(answer));
  response.end(answer.body);
}

function headersOf({ type, body, headers }: Answer): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Allow, Location, Retry-After',
    'Cache-Control': 'no-store',
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
}

/** Responds to bytes that Node.js cannot parse as a request. */
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
    // The rest of the body of an answered request cannot be parsed.
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
  // Node.js cannot parse unknown methods.
  if (code === 'HPE_INVALID_METHOD' && version !== undefined) return refusedMethod(method, path);
  return problemAnswer(unreadable(code), path);
}

function unreadable(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request-timeout', 'send all of the request at once');
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('headers-too-large', 'the headers pass 64 kB: send less');
  return new Refusal('malformed-request', 'the request is not readable as HTTP/1.1');
}

/** Returns the response to a method that no path has. */
function refusedMethod(method: string, path: string): Answer {
  try {
    operationOf(findRoute(path).route, method);
    return problemAnswer(unreadable(undefined), path);
  } catch (error) {
    return problemAnswer(error, path);
  }
}

function endRaw(socket: Socket, answer: Answer): void {
  const headers = { ...headersOf(answer), Date: new Date().toUTCString(), Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n`;
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(answer.body ?? '')]));
}

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getPathname } from '../util/request-target.ts';
import { type AccessPolicy, getRequester, type Requester } from './access-policy.ts';
import { type Connections, runAfterResponse } from './connections.ts';
import { corsHeaders } from './cors.ts';
import { COMMON_HEADERS, createProblemResponse, DATA_HEADERS } from './pipeline/response.ts';
import { createMethodNotAllowed, getProblemKind, type HttpProblem } from './problem.ts';
import { type Log, logRequest } from './request-log.ts';

/** What is refused beside the app: each is answered with a problem document and has its line of log. */
export interface RequestRefusals {
  request(req: IncomingMessage, res: ServerResponse, fault: HttpProblem): void;
  /** What Node's parser or timers complain of. */
  clientError(error: ClientError, socket: Duplex): void;
  /** An `Expect` header that isn't 100-continue. */
  expectation(req: IncomingMessage, res: ServerResponse): void;
  /** A CONNECT. */
  tunnel(socket: Duplex): void;
}

/** What the interface has methods of. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** Refuses what never reaches the app. */
export function createRequestRefusals(connections: Connections, log: Log, access: AccessPolicy): RequestRefusals {
  function request(req: IncomingMessage, res: ServerResponse, fault: HttpProblem): void {
    logRequest(log, req, res, () => ({ notes: [fault.detail] }));
    sendProblem(req, res, fault, access);
  }

  function raw(socket: Duplex, fault: HttpProblem, error: ClientError): void {
    const path = getPath(error);
    log.info({ path, status: getProblemKind(fault).status, notes: [fault.detail] });
    sendRawProblem(socket, fault, { path, cors: corsHeaders(access, { ...requesterOf(error), path }) });
  }

  return {
    request,
    clientError(error, socket) {
      const fault = toClientProblem(error);
      const response = connections.lastOf(socket);
      if (!fault || !socket.writable) socket.destroy();
      else if (!response) raw(socket, fault, error);
      // What is wrong came after a request that was received whole: that one is answered first.
      else if (response.req.complete) runAfterResponse(response, () => raw(socket, fault, error));
      // What is wrong is in the body of a request: it is told so unless its answer has begun.
      else if (response.headersSent) socket.destroy();
      else sendProblem(response.req, response, fault, access);
    },
    expectation(req, res) {
      const detail = `the expectation ${JSON.stringify(req.headers.expect)} is not understood: send 100-continue or none`;
      request(req, res, { code: 'expectation-failed', detail });
    },
    tunnel(socket) {
      socket.on('error', () => socket.destroy());
      raw(socket, createMethodNotAllowed('CONNECT', 'a server that is no proxy', METHODS), new Error('CONNECT'));
    },
  };
}

/** What Node's HTTP parser and its timers complain of. */
export interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Returns the problem of an error of Node's parser or timers; undefined if the connection is closed. */
export function toClientProblem({ code, message }: ClientError): HttpProblem | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      code: 'headers-too-large',
      detail: 'request line and headers are larger than the limit of 64 kB: send less',
    };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { code: 'request-timeout', detail: 'the request did not arrive in time: send all of it at once' };
  }
  return { code: 'malformed-request', detail: `the request is not HTTP: ${message.replace(/^Parse Error: /, '')}` };
}

/** The path of the request that an error of the parser speaks of, without its query; "/" where it isn't known. */
export function getPath({ rawPacket }: ClientError): string {
  return toPath(/^[A-Z]+ (\/\S*) HTTP/.exec(rawPacket?.toString('latin1', 0, 4096) ?? '')?.[1]);
}

/** The host and the origin of the request that an error of the parser speaks of, as far as the parser still had its head. */
export function requesterOf({ rawPacket }: ClientError): Requester {
  const [head = ''] = (rawPacket?.toString('latin1') ?? '').split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: *(\\S+)[ \\t]*$`, 'im').exec(head)?.[1];
  return { host: header('host'), origin: header('origin') };
}

/** The path of a target; "/" where the target has none. */
function toPath(target = '/'): string {
  return target.startsWith('/') ? getPathname(target) : '/';
}

/** Answers beside the app, where Node has made a response of its own. The connection ends. */
export function sendProblem(req: IncomingMessage, res: ServerResponse, fault: HttpProblem, access: AccessPolicy): void {
  const path = toPath(req.url);
  const { status, headers, text } = besideApp(fault, path);
  res
    .writeHead(status, { ...headers, ...corsHeaders(access, { ...getRequester(req), path }) })
    .end(req.method === 'HEAD' ? undefined : text);
}

/** How long a client may go on sending after a refusal, in ms. Cutting it off at once could take the answer from it. */
const LINGER_MS = 1_000;

/** Answers on a bare connection, where Node has made no response, and ends it; `cors`: the headers of CORS. */
export function sendRawProblem(
  socket: Duplex,
  fault: HttpProblem,
  { path, cors }: { readonly path: string; readonly cors: Readonly<Record<string, string>> },
): void {
  const { status, headers, text } = besideApp(fault, path);
  const head = Object.entries({ ...headers, ...cors }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.resume().end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function besideApp(fault: HttpProblem, path: string) {
  const { status, headers, body } = createProblemResponse(fault, path);
  const text = JSON.stringify(body);
  return {
    status,
    text,
    headers: {
      ...headers,
      'Content-Length': String(Buffer.byteLength(text)),
      ...COMMON_HEADERS,
      ...DATA_HEADERS,
      Connection: 'close',
    },
  };
}

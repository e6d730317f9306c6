import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getPathname } from '../util/request-target.ts';
import { type AccessPolicy, corsHeaders, getRequester, type Requester } from './access-policy.ts';
import { type Connections, runAfterResponse } from './connections.ts';
import { COMMON_HEADERS, createProblemResponse, DATA_HEADERS } from './pipeline/response.ts';
import { createMethodNotAllowed, type HttpProblem } from './problem.ts';
import { type Log, logRequest } from './request-log.ts';

/** What the interface has methods of. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** Creates the listeners that refuse what never reaches the app. Each refusal has a problem document and a line of log. */
export function createRequestRefusals(connections: Connections, log: Log, access: AccessPolicy) {
  function send(res: ServerResponse, problem: HttpProblem): void {
    const { req } = res;
    const requester = { ...getRequester(req), path: toPath(req.url) };
    const { status, headers, text } = createLastResponse(problem, access, requester);
    res.writeHead(status, headers).end(req.method === 'HEAD' ? undefined : text);
  }

  function request(req: IncomingMessage, res: ServerResponse, problem: HttpProblem): void {
    logRequest(log, req, res, () => ({ notes: [problem.detail] }));
    send(res, problem);
  }

  function refuseRaw(socket: Duplex, problem: HttpProblem, error: ClientError): void {
    const path = getPath(error);
    const response = createLastResponse(problem, access, { ...getRawRequester(error), path });
    log.info({ path, status: response.status, notes: [problem.detail] });
    sendRaw(socket, response);
  }

  return {
    /** Refuses a request that Node has accepted. */
    request,
    /** Refuses what Node's parser or timers complain of. */
    clientError(error: ClientError, socket: Duplex): void {
      const problem = toClientProblem(error);
      const response = connections.lastOf(socket);
      if (!problem || !socket.writable) socket.destroy();
      else if (!response) refuseRaw(socket, problem, error);
      // What is wrong came after a request that was received whole: that one is answered first.
      else if (response.req.complete) runAfterResponse(response, () => refuseRaw(socket, problem, error));
      // What is wrong is in the body of a request: it is told so unless its answer has begun.
      else if (response.headersSent) socket.destroy();
      else send(response, problem);
    },
    /** Refuses an `Expect` header that is not 100-continue. */
    expectation(req: IncomingMessage, res: ServerResponse): void {
      const detail = `the Expect header ${JSON.stringify(req.headers.expect)} is not supported: send 100-continue or omit it`;
      request(req, res, { code: 'expectation-failed', detail });
    },
    /** Refuses a CONNECT. */
    tunnel(socket: Duplex): void {
      socket.on('error', () => socket.destroy());
      refuseRaw(socket, createMethodNotAllowed('CONNECT', 'this server', METHODS), new Error('CONNECT'));
    },
  };
}

/** What Node's HTTP parser and its timers complain of. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Returns the problem of an error of Node's parser or timers; undefined if the connection is closed. */
function toClientProblem({ code, message }: ClientError): HttpProblem | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW')
    return { code: 'headers-too-large', detail: 'request line and headers exceed the limit of 64 kB: send less data' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { code: 'request-timeout', detail: 'the complete request did not arrive in time: send it without pauses' };
  return { code: 'malformed-request', detail: `invalid HTTP request: ${message.replace(/^Parse Error: /, '')}` };
}

/** The path of the request that an error of the parser speaks of, without its query; "/" where it isn't known. */
function getPath({ rawPacket }: ClientError): string {
  return toPath(/^[A-Z]+ (\/\S*) HTTP/.exec(rawPacket?.toString('latin1', 0, 4096) ?? '')?.[1]);
}

/** The host and the origin of the request that an error of the parser speaks of, as far as the parser still had its head. */
function getRawRequester({ rawPacket }: ClientError): Requester {
  const [head = ''] = (rawPacket?.toString('latin1') ?? '').split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: *(\\S+)[ \\t]*$`, 'im').exec(head)?.[1];
  return { host: header('host'), origin: header('origin') };
}

/** The path of a target; "/" where the target has none. */
function toPath(target = '/'): string {
  return target.startsWith('/') ? getPathname(target) : '/';
}

/** How long a client may go on sending after a refusal, in ms. Cutting it off at once could take the response from it. */
const LINGER_MS = 1_000;

/** Sends a response on a bare connection, where Node has made none, and ends the connection. */
function sendRaw(socket: Duplex, { status, headers, text }: ReturnType<typeof createLastResponse>): void {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.resume().end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Returns the response to a request that never reaches the app, after which the connection ends. */
function createLastResponse(
  problem: HttpProblem,
  access: AccessPolicy,
  requester: Requester & { readonly path: string },
) {
  const { status, headers, body } = createProblemResponse(problem, requester.path);
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
      ...corsHeaders(access, requester),
    },
  };
}

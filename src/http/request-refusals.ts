import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getPathname } from '../util/request-target.ts';
import type { AccessPolicy, Requester } from './access-policy.ts';
import { type Connections, runAfterResponse } from './connections.ts';
import { getCorsHeaders } from './cors.ts';
import { COMMON_HEADERS, DATA_HEADERS } from './headers.ts';
import { createProblemResponse } from './pipeline/response.ts';
import { createMethodNotAllowed, type HttpProblem } from './problem.ts';
import { type Log, logRequest } from './record.ts';

/** The supported methods, for the problem document of a CONNECT request. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** Creates functions that refuse a request before the app receives it. Each function sends a problem document and writes a log line. */
export function createRequestRefusals(connections: Connections, log: Log, access: AccessPolicy) {
  function send(res: ServerResponse, problem: HttpProblem): void {
    const { req } = res;
    const { status, headers, text } = createLastResponse(problem, access, req.headers, toPath(req.url));
    res.writeHead(status, headers).end(req.method === 'HEAD' ? undefined : text);
  }

  function refuse(res: ServerResponse, problem: HttpProblem): void {
    logRequest(log, res, () => ({ notes: [problem.detail] }));
    send(res, problem);
  }

  function refuseUnparsed(socket: Duplex, problem: HttpProblem, error: ClientError): void {
    const path = parsePath(error);
    const response = createLastResponse(problem, access, parseRequester(error), path);
    log.info({ path, status: response.status, notes: [problem.detail] });
    sendRaw(socket, response);
  }

  return {
    /** Refuses a request that Node has parsed. */
    refuse,
    /** Refuses a request for which Node reports an error: Node can't parse the request, or it exceeds the time limit. */
    handleClientError(error: ClientError, socket: Duplex): void {
      const problem = toClientProblem(error);
      const response = connections.getLastResponse(socket);
      if (!problem || !socket.writable) socket.destroy();
      else if (!response) refuseUnparsed(socket, problem, error);
      // The error is in the next request on the connection. The response to the complete request is sent first.
      else if (response.req.complete) runAfterResponse(response, () => refuseUnparsed(socket, problem, error));
      // The error is in the body of a request. Its response has already begun, so it can't be replaced.
      else if (response.headersSent) socket.destroy();
      else send(response, problem);
    },
    /** Refuses an `Expect` header other than 100-continue. */
    refuseExpectation({ headers }: IncomingMessage, res: ServerResponse): void {
      const detail = `the Expect header ${JSON.stringify(headers.expect)} is not supported: send 100-continue or omit it`;
      refuse(res, { code: 'expectation-failed', detail });
    },
    /** Refuses a CONNECT request. */
    refuseConnect(socket: Duplex): void {
      socket.on('error', () => socket.destroy());
      refuseUnparsed(socket, createMethodNotAllowed('CONNECT', 'this server', METHODS), new Error('CONNECT'));
    },
  };
}

/** An error of Node's HTTP parser, or a timeout of the HTTP server. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Converts an error of Node's parser or a timeout to a problem. Returns undefined if the connection is closed. */
function toClientProblem({ code, message }: ClientError): HttpProblem | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW')
    return { code: 'headers-too-large', detail: 'request line and headers exceed the limit of 64 kB: send less data' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { code: 'request-timeout', detail: 'the complete request did not arrive in time: send it without pauses' };
  return { code: 'malformed-request', detail: `invalid HTTP request: ${message.replace(/^Parse Error: /, '')}` };
}

/** Returns the path, without the query, of a request that could not be parsed. Returns "/" if the path is unknown. */
function parsePath({ rawPacket }: ClientError): string {
  return toPath(/^[A-Z]+ (\/\S*) HTTP/.exec(rawPacket?.toString('latin1', 0, 4096) ?? '')?.[1]);
}

/** Returns the host and the origin of a request that could not be parsed. Each is undefined if the header is not found. */
function parseRequester({ rawPacket }: ClientError): Requester {
  const [head = ''] = (rawPacket?.toString('latin1') ?? '').split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: *(\\S+)[ \\t]*$`, 'im').exec(head)?.[1];
  return { host: header('host'), origin: header('origin') };
}

/** Returns the path of a request target, or "/" if the target has no path. */
function toPath(target = '/'): string {
  return target.startsWith('/') ? getPathname(target) : '/';
}

/** The delay between a refusal and the end of the connection, in ms. If the connection ended at once, the client could lose the response. */
const LINGER_MS = 1_000;

/** Writes a response to a socket for which Node has created no response object, and ends the connection. */
function sendRaw(socket: Duplex, { status, headers, text }: ReturnType<typeof createLastResponse>): void {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.resume().end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Creates the response to a refused request. The response tells the client that the connection ends. */
function createLastResponse(problem: HttpProblem, access: AccessPolicy, requester: Requester, path: string) {
  const { status, headers, body } = createProblemResponse(problem, path);
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
      ...getCorsHeaders(access, requester, path),
    },
  };
}

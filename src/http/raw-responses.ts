import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getPathname } from '../util/request-target.ts';
import { type AccessPolicy, getRequester, type Requester } from './access-policy.ts';
import { corsHeaders } from './cors.ts';
import { COMMON_HEADERS, DATA_HEADERS } from './headers.ts';
import { createProblemResponse } from './pipeline/response.ts';
import type { HttpProblem } from './problem.ts';

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

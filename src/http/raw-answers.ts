import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { problemAnswer } from './exchange.ts';
import type { Fault } from './problem.ts';

/** What Node's HTTP parser and its timers complain of. */
export interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** The fault that an error of Node's parser or timers stands for; undefined where nobody is left to be told. */
export function faultOfClientError({ code, message }: ClientError): Fault | undefined {
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
export function pathOf({ rawPacket }: ClientError): string {
  return pathIn(/^[A-Z]+ (\/\S*) HTTP/.exec(rawPacket?.toString('latin1', 0, 4096) ?? '')?.[1]);
}

/** The origin of the request that an error of the parser speaks of, where what the parser had of it says so. */
export function originOf({ rawPacket }: ClientError): string | undefined {
  return /^origin: *(\S+)\r$/im.exec(rawPacket?.toString('latin1') ?? '')?.[1];
}

/** The headers of CORS for an answer beside the app: whoever asks may read it, with credentials where the origin is known. */
function readableFor(origin: string | undefined) {
  const known = { 'Access-Control-Allow-Origin': origin ?? '*', Vary: 'Origin' };
  return origin === undefined ? known : { ...known, 'Access-Control-Allow-Credentials': 'true' };
}

function pathIn(target = '/'): string {
  return target.split('?')[0] ?? '/';
}

/** Answers beside the app, where Node has made a response of its own. The connection ends. */
export function answerBeside(req: IncomingMessage, res: ServerResponse, fault: Fault): void {
  const { status, headers, text } = besideApp(fault, pathIn(req.url));
  res
    .writeHead(status, { ...headers, ...readableFor(req.headers.origin) })
    .end(req.method === 'HEAD' ? undefined : text);
}

/** How long a client may go on sending after a refusal, in ms. Cutting it off at once could take the answer from it. */
const LINGER_MS = 1_000;

/** Answers on a bare connection, where Node has made no response, and ends it. */
export function answerRaw(
  socket: Duplex,
  fault: Fault,
  { path, origin }: { path: string; origin?: string | undefined },
): void {
  const { status, headers, text } = besideApp(fault, path);
  const head = Object.entries({ ...headers, ...readableFor(origin) }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.resume().end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function besideApp(fault: Fault, path: string) {
  const { status, headers, body } = problemAnswer(fault, path);
  const text = JSON.stringify(body);
  return {
    status,
    text,
    headers: {
      ...headers,
      'Content-Length': String(Buffer.byteLength(text)),
      'Cache-Control': 'no-store',
      'Access-Control-Expose-Headers': 'Allow,Retry-After',
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    },
  };
}

import { connect, type Socket } from 'node:net';
import { BenchError } from '../measurement.ts';
import { LOOPBACK } from '../send-request.ts';

/** The number of connections. Each sends its next request as soon as it has received a response. */
const CONNECTIONS = 10;

/** The end of the last chunk of a body with `Transfer-Encoding: chunked`. */
const LAST_CHUNK = '0\r\n\r\n';

/** The responses to many requests. */
export interface Responses {
  /** The number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The ids of the entries in the responses, if each response has one. */
  readonly ids: readonly number[];
  /** The longest time between a request and its response, in ms. */
  readonly longestMs: number;
}

/** Returns the bytes of a request. `body`: becomes JSON. */
export function toBytes(method: string, path: string, body?: unknown): Buffer {
  const content = body === undefined ? '' : JSON.stringify(body);
  const headers =
    body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(content)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: ${LOOPBACK}\r\n${headers}\r\n${content}`);
}

/**
 * Sends each of many different requests once. Unlike autocannon, it sends no request twice, and reads no more of a response than necessary.
 * Rejects with a `BenchError` if a connection ends.
 */
export function sendEach(port: number, requests: readonly Buffer[], connections = CONNECTIONS): Promise<Responses> {
  const statuses = new Map<number, number>();
  const ids: number[] = [];
  let longestMs = 0;
  let sent = 0;
  const run = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let received = '';
      let sentMs = 0;
      const sendNext = () => {
        const next = requests[sent++];
        sentMs = performance.now();
        if (next) socket.write(next);
        else socket.end();
      };
      socket.setNoDelay().setEncoding('latin1');
      socket.on('connect', sendNext);
      socket.on('error', reject);
      socket.on('close', () => (sent > requests.length ? resolve() : reject(new BenchError('a connection has ended'))));
      socket.on('data', (text) => {
        received += text;
        const headEnd = received.indexOf('\r\n\r\n') + 4;
        if (headEnd < 4 || !isComplete(received, headEnd)) return;
        const status = Number(received.slice(9, 12));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const [, id] = /"id":\s*(\d+)/.exec(received.slice(headEnd, headEnd + 500)) ?? [];
        if (id !== undefined) ids.push(Number(id));
        longestMs = Math.max(longestMs, performance.now() - sentMs);
        received = '';
        sendNext();
      });
    });
  const sockets = Array.from({ length: Math.min(connections, requests.length) }, () => connect(port, LOOPBACK));
  return Promise.all(sockets.map(run)).then(() => ({ statuses, ids, longestMs }));
}

function isComplete(received: string, headEnd: number): boolean {
  const head = received.slice(0, headEnd);
  const [, length] = /content-length: *(\d+)/i.exec(head) ?? [];
  if (length !== undefined) return received.length >= headEnd + Number(length);
  return !/transfer-encoding: *chunked/i.test(head) || received.endsWith(LAST_CHUNK);
}

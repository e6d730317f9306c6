import { connect } from 'node:net';
import type { SandboxClient } from './shared-shop.ts';

/** How a connection with one request has ended, and what was received before. */
export interface ConnectionEnd {
  /** `whole`: the complete response was received. `cut`: the connection was closed before. `reset`: the server has reset the connection. */
  readonly how: 'whole' | 'cut' | 'reset';
  /** The status of the response. Undefined if no status line was received. */
  readonly status: number | undefined;
  /** The received part of the body, and the value of `Content-Length`, in bytes. */
  readonly text: string;
  readonly announced: number;
}

/** The maximum time without data on a connection, in ms. */
const DEADLINE_MS = 60_000;

/** Sends a request in a sandbox over a new connection. Resolves to how the connection has ended. */
export function getConnectionEnd(
  { port, id }: Pick<SandboxClient, 'port' | 'id'>,
  method: string,
  path: string,
  body?: object,
) {
  return new Promise<ConnectionEnd>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error(`no response to ${method} ${path}`)));
    let came = '';
    let isReset = false;
    socket.setEncoding('latin1').on('data', (part) => {
      came += part;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') isReset = true;
      else reject(error);
    });
    socket.on('close', () => resolve(endingIn(came, isReset)));
    socket.write(requestText(method, path, { 'X-Sandbox': id }, body));
  });
}

/** Returns the text of an HTTP request with the header `Connection: close`. */
function requestText(method: string, path: string, headers: Record<string, string>, body?: object): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const typed = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': `${text.length}` };
  const lines = Object.entries({ Host: 'localhost', Connection: 'close', ...headers, ...typed });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}

function endingIn(came: string, isReset: boolean): ConnectionEnd {
  const end = came.indexOf('\r\n\r\n');
  const head = end < 0 ? came : came.slice(0, end);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const announced = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1] ?? 0);
  const body = Buffer.from(end < 0 ? '' : came.slice(end + 4), 'latin1');
  const isWhole = end >= 0 && body.length === announced;
  return {
    how: isReset ? 'reset' : isWhole ? 'whole' : 'cut',
    status: status === undefined ? undefined : Number(status),
    text: body.toString(),
    announced,
  };
}

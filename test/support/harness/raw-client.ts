import { connect, type Socket } from 'node:net';

/** The maximum time without data on a socket, in ms. It is shorter than the timeout of a test, so that the error says what the test was waiting for. */
const DEADLINE_MS = 60_000;

/** A response as the server has sent it. */
export interface RawResponse {
  readonly status: number;
  /** All values of each header, by the name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
  /** The size of the body, in bytes. */
  readonly size: number;
  /** The body parsed as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in there.
  readonly body: any;
}

/** A TCP connection that sends bytes without changes. */
export interface RawConnection {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** Returns all text that has been received. */
  received(): string;
  /** Waits until the received text matches a pattern. Rejects if the connection ends before. */
  until(pattern: string | RegExp): Promise<void>;
  /** Waits until the server closes the connection. Resolves to the received text. */
  end(): Promise<string>;
}

/** Connects to a port, by default of 127.0.0.1. */
export function connectRaw(port: number, host = '127.0.0.1'): RawConnection {
  const socket = connect({ port, host });
  let text = '';
  let closed = false;
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  socket.setEncoding('latin1');
  socket.on('data', (part) => {
    text += part;
    tell();
  });
  // Ignores a reset of the connection: only the received text matters.
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
    tell();
  });
  const waitFor = (isDone: () => boolean, what: string) =>
    new Promise<void>((resolve, reject) => {
      const finish = (error?: Error) => {
        clearTimeout(deadline);
        listeners.delete(look);
        if (error) reject(error);
        else resolve();
      };
      const look = () => {
        if (isDone()) finish();
        else if (closed) finish(new Error(`the connection ended before ${what}; it brought ${getEnd(text)}`));
      };
      const deadline = setTimeout(() => {
        socket.destroy();
        finish(new Error(`waited in vain for ${what}; it brought ${getEnd(text)}`));
      }, DEADLINE_MS);
      listeners.add(look);
      look();
    });
  return {
    socket,
    write: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    received: () => text,
    until: (pattern) =>
      waitFor(() => (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)), String(pattern)),
    async end() {
      await waitFor(() => closed, 'its end');
      return text;
    },
  };
}

/** Sends bytes over a new connection, and waits until the server closes the connection. Returns all responses. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<readonly RawResponse[]> {
  const connection = connectRaw(port);
  connection.write(bytes);
  return parseRawResponses(await connection.end());
}

/**
 * Sends one HTTP request over a new connection, and returns the response. `start`: the method and the path, for example `GET /api/orders`. `headers`:
 * additional header lines. `body`: the text of the body.
 */
export async function sendRawRequest(
  port: number,
  start: string,
  headers: readonly string[] = [],
  body = '',
): Promise<RawResponse> {
  const lines = [`${start} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
  const [reply, ...more] = await sendRaw(port, `${lines.join('\r\n')}\r\n\r\n${body}`);
  if (!reply || more.length > 0) throw new Error(`${start}: one answer was expected, ${more.length + 1} came`);
  return reply;
}

/** Parses a received text with one or more HTTP responses. A response ends where its Content-Length says, or at the end of the text if it has none. */
export function parseRawResponses(text: string): readonly RawResponse[] {
  const replies: RawResponse[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [start = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${start} `)?.[1]);
    if (end < 0 || Number.isNaN(status)) throw new Error(`this is no answer: ${JSON.stringify(rest)}`);
    const headers = headersIn(lines);
    const length = Number(headers['content-length']?.[0] ?? (isBodiless(status) ? 0 : Number.POSITIVE_INFINITY));
    const body = rest.slice(end + 4, end + 4 + length);
    replies.push({ status, headers, text: utf8(body), size: body.length, body: parsed(utf8(body)) });
    rest = rest.slice(end + 4 + length);
  }
  return replies;
}

function headersIn(lines: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 1).trim()];
  }
  return headers;
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The maximum length of a received text in an error message, in characters. */
const SHOWN_LENGTH = 1_000;

/** Returns a received text for an error message. For a long text, returns its length and its last 1,000 characters. */
function getEnd(text: string): string {
  if (text.length <= SHOWN_LENGTH) return JSON.stringify(text);
  return `${text.length} characters, at the end ${JSON.stringify(text.slice(-SHOWN_LENGTH))}`;
}

/** Returns whether responses with a status never have a body (RFC 9112, section 6.3). */
function isBodiless(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

import { connect, type Socket } from 'node:net';

/** How long a socket is listened to at most, in ms: less than a test may take, so that it can say what it waited for. */
const DEADLINE_MS = 25_000;

/** An answer as it came over the wire. */
export interface RawReply {
  readonly status: number;
  /** The names in lower case; of a header that came more than once, all values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
  /** The length of the body, in bytes. */
  readonly size: number;
  /** The body as JSON; undefined where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in there.
  readonly body: any;
}

/** A connection on which bytes are sent as they are. */
export interface RawConnection {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** All that has come so far. */
  received(): string;
  /** Resolves once the pattern is in what has come; rejects where the connection ends without it. */
  until(pattern: string | RegExp): Promise<void>;
  /** Resolves with all that came, once the server has closed the connection. */
  end(): Promise<string>;
}

/** Connects to a port of this machine. */
export function rawConnection(port: number, host = '127.0.0.1'): RawConnection {
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
  // A connection that was reset is closed like any other: what came before is what counts.
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
        else if (closed) finish(new Error(`the connection ended before ${what}; it brought ${endOf(text)}`));
      };
      const deadline = setTimeout(() => {
        socket.destroy();
        finish(new Error(`waited in vain for ${what}; it brought ${endOf(text)}`));
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

/** Sends bytes on a connection of their own and gives back the answers, once the server has closed it. */
export async function rawAsk(port: number, bytes: string | Buffer): Promise<readonly RawReply[]> {
  const connection = rawConnection(port);
  connection.write(bytes);
  return repliesIn(await connection.end());
}

/** Asks once, with these header lines, and gives back the one answer. Its body is the text where one is given. */
export async function rawRequest(
  port: number,
  start: string,
  headers: readonly string[] = [],
  body = '',
): Promise<RawReply> {
  const lines = [`${start} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
  const [reply, ...more] = await rawAsk(port, `${lines.join('\r\n')}\r\n\r\n${body}`);
  if (!reply || more.length > 0) throw new Error(`${start}: one answer was expected, ${more.length + 1} came`);
  return reply;
}

/** The answers in what came over a connection; bodies by their Content-Length, else to the end. */
export function repliesIn(text: string): readonly RawReply[] {
  const replies: RawReply[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [start = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${start} `)?.[1]);
    if (end < 0 || Number.isNaN(status)) throw new Error(`this is no answer: ${JSON.stringify(rest)}`);
    const headers = headersIn(lines);
    const length = Number(headers['content-length']?.[0] ?? (status < 200 ? 0 : Number.POSITIVE_INFINITY));
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

/** How much of what a connection brought an error shows, in characters. */
const SHOWN_LENGTH = 1_000;

/** The end of what a connection brought, and how much that was. */
function endOf(text: string): string {
  if (text.length <= SHOWN_LENGTH) return JSON.stringify(text);
  return `${text.length} characters, at the end ${JSON.stringify(text.slice(-SHOWN_LENGTH))}`;
}

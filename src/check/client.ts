import { setMaxListeners } from 'node:events';
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isJsonType } from '../openapi/responses.ts';
import type { Ask, Reply } from './exchange.ts';
import { TOO_LATE } from './findings.ts';
import { Pace } from './pace.ts';

/** Sends requests to one server. */
export interface Client {
  /** The server's address, without a slash at its end. */
  readonly url: string;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws a `NoResponseError` where no response comes. */
  send(ask: Ask, patienceMs?: number): Promise<Reply>;
  /** How many answers were 429. */
  readonly limited: number;
  close(): void;
}

/** No answer to a request, or none that is HTTP: `message` says why. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  /** Whether the connection was one that the server had kept, and closed just as it was used again. */
  readonly isStale: boolean;
  /** Whether nobody listens at the address. */
  readonly isRefused: boolean;

  constructor(message: string, { isStale = false, isRefused = false } = {}) {
    super(message);
    this.isStale = isStale;
    this.isRefused = isRefused;
  }
}

/** How long an answer may take, in ms, and how large it may be, in bytes. */
const PATIENCE_MS = 10_000;
const LARGEST_BYTES = 50_000_000;

/** How many connections are kept open. */
const CONNECTIONS = 10;

/** How often a request is sent again that is answered 429. */
const MOST_RETRIES = 5;

/**
 * A client of the server at `url`, over few connections that are kept. What is sent goes out as it stands: no path is mended, no redirect followed. After
 * a 429 it waits as Retry-After says, a minute at most, sends the request again, and goes on more slowly. No request is sent once `signal` is aborted.
 */
export function createClient(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal | undefined,
): Client {
  // Each request that is under way listens.
  if (signal) setMaxListeners(0, signal);
  const base = url.replace(/\/+$/, '');
  const { protocol, hostname, port, pathname } = new URL(base);
  const isSecure = protocol === 'https:';
  const agent = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, maxSockets: CONNECTIONS });
  const prefix = pathname.replace(/\/$/, '');
  // Node has an address in brackets as a name to look up.
  const common = { hostname: hostname.replace(/^\[|\]$/g, ''), port, ...(signal ? { signal } : {}) };
  const pace = new Pace(signal);
  let limited = 0;

  function once({ method, target, headers: own = {}, body }: Ask, patienceMs: number, isKept: boolean): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? secureRequest : plainRequest)({
        ...common,
        // What comes after an answer to HEAD must not be taken for the answer to another request.
        agent: isKept && method !== 'HEAD' ? agent : false,
        method,
        path: prefix + target,
        headers: { ...headers, ...own, ...lengthOf(own, body) },
      });
      const patience = setTimeout(() => fail(`${TOO_LATE} ${patienceMs / 1_000} s`), patienceMs);
      const fail = (message: string, code?: string) => {
        clearTimeout(patience);
        sent.destroy();
        const isStale = sent.reusedSocket && code === 'ECONNRESET';
        reject(new NoResponseError(message, { isStale, isRefused: code === 'ECONNREFUSED' }));
      };
      const done = (reply: Reply) => {
        clearTimeout(patience);
        resolve(reply);
      };
      let head: IncomingMessage | undefined;
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The parser of Node takes the body, which must not be there, for another answer.
        if (method === 'HEAD' && head && error.code?.startsWith('HPE_'))
          done({ ...replyOf(head, ''), notHttp: BODY_OF_HEAD });
        else fail(error.message || String(error.code), error.code);
      });
      sent.on('response', (answer) => {
        head = answer;
        gather(answer, done, fail);
      });
      sent.on('upgrade', () => fail('the response is 101, but the request has no Upgrade'));
      sent.end(body);
    });
  }

  async function attempt(ask: Ask, patienceMs: number): Promise<Reply> {
    try {
      return await once(ask, patienceMs, true);
    } catch (error) {
      // Another connection that was kept may be closed too.
      if (error instanceof NoResponseError && error.isStale) return once(ask, patienceMs, false);
      if (error instanceof NoResponseError) throw error;
      // Node refuses to send some texts.
      throw new NoResponseError(`the request cannot be sent: ${(error as Error).message}`);
    }
  }

  return {
    url: base,
    headers,
    get limited() {
      return limited;
    },
    async send(ask, patienceMs = PATIENCE_MS) {
      for (let retries = 0; ; retries++) {
        const sentMs = await pace.turn();
        const reply = await attempt(ask, patienceMs);
        if (reply.status !== TOO_MANY_REQUESTS) {
          pace.speedUp();
          return reply;
        }
        limited++;
        if (!pace.slowDown(sentMs, reply.headers) || retries === MOST_RETRIES) return reply;
      }
    },
    close: () => agent.destroy(),
  };
}

/** The status of a request that came too early (RFC 6585, section 4). */
export const TOO_MANY_REQUESTS = 429;

const BODY_OF_HEAD = 'The response to HEAD has a body, which RFC 9110, section 9.3.2, forbids';

/** The length of a body, which goes along unless it is sent in chunks. */
function lengthOf(headers: Readonly<Record<string, string>>, body: Ask['body']): { 'content-length'?: number } {
  if (body === undefined || headers['transfer-encoding'] !== undefined) return {};
  return { 'content-length': Buffer.byteLength(body) };
}

function gather(answer: IncomingMessage, done: (reply: Reply) => void, fail: (message: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LARGEST_BYTES) fail(`the response is larger than ${LARGEST_BYTES / 1_000_000} MB`);
  });
  answer.on('error', (error) => fail(`the response was cut off: ${error.message}`));
  answer.on('end', () => done(replyOf(answer, Buffer.concat(chunks).toString())));
}

function replyOf({ statusCode = 0, headers }: IncomingMessage, text: string): Reply {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  const reply = { status: statusCode, headers: Object.fromEntries(joined), text, notJson: undefined };
  if (text === '') return { ...reply, body: undefined };
  if (!isJsonType(headers['content-type'] ?? '')) return { ...reply, body: text };
  try {
    return { ...reply, body: JSON.parse(text) };
  } catch (error) {
    return { ...reply, body: text, notJson: (error as Error).message };
  }
}

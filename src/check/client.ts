import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isJsonType } from '../contract/responses.ts';
import type { Ask, Reply } from './exchange.ts';

/** Sends requests to one server. */
export interface Client {
  /** The server's address, without a slash at its end. */
  readonly url: string;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws `NoAnswer` where none comes. */
  send(ask: Ask, patienceMs?: number): Promise<Reply>;
  close(): void;
}

/** No answer to a request, or none that is HTTP: `message` says why. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Whether the connection was one that the server had kept, and closed just as it was used again. */
  readonly isStale: boolean;

  constructor(message: string, isStale = false) {
    super(message);
    this.isStale = isStale;
  }
}

/** How long an answer may take, in ms, and how large it may be, in bytes. */
const PATIENCE_MS = 10_000;
const LARGEST_BYTES = 50_000_000;

/** A client of the server at `url`, over few connections that are kept. What is sent goes out as it stands: no path is mended, no redirect followed. */
export function createClient(url: string, headers: Readonly<Record<string, string>>): Client {
  const base = url.replace(/\/+$/, '');
  const { protocol, hostname, port, pathname } = new URL(base);
  const isSecure = protocol === 'https:';
  const agent = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, maxSockets: 10 });
  const prefix = pathname.replace(/\/$/, '');
  // Node has an address in brackets as a name to look up.
  const common = { agent, hostname: hostname.replace(/^\[|\]$/g, ''), port };

  function once({ method, target, headers: own = {}, body }: Ask, patienceMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? secureRequest : plainRequest)({
        ...common,
        method,
        path: prefix + target,
        headers: { ...headers, ...own, ...lengthOf(own, body) },
      });
      const patience = setTimeout(() => fail(`no answer came within ${patienceMs / 1_000} s`), patienceMs);
      const fail = (message: string, code?: string) => {
        clearTimeout(patience);
        sent.destroy();
        reject(new NoAnswer(message, sent.reusedSocket && code === 'ECONNRESET'));
      };
      const done = (reply: Reply) => {
        clearTimeout(patience);
        resolve(reply);
      };
      sent.on('error', (error: NodeJS.ErrnoException) => fail(error.message || String(error.code), error.code));
      sent.on('response', (answer) => gather(answer, done, fail));
      sent.on('upgrade', () => fail('it answers 101, which was not asked for'));
      sent.end(body);
    });
  }

  return {
    url: base,
    headers,
    async send(ask, patienceMs = PATIENCE_MS) {
      try {
        return await once(ask, patienceMs);
      } catch (error) {
        if (error instanceof NoAnswer && error.isStale) return once(ask, patienceMs);
        if (error instanceof NoAnswer) throw error;
        // Node refuses to send some texts.
        throw new NoAnswer(`the request can't be sent: ${(error as Error).message}`);
      }
    },
    close: () => agent.destroy(),
  };
}

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
    if (bytes > LARGEST_BYTES) fail(`the answer is larger than ${LARGEST_BYTES / 1_000_000} MB`);
  });
  answer.on('error', (error) => fail(`the answer broke off: ${error.message}`));
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

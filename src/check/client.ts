import { setMaxListeners } from 'node:events';
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isJsonType } from '../openapi/responses.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';
import { NO_RESPONSE_WITHIN } from './findings.ts';
import { Pace } from './pace.ts';

/** Sends requests to one server. */
export interface Client {
  /** The URL of the server, without a trailing slash. */
  readonly url: string;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a request. Throws a `NoResponseError` if there is no response within `timeoutMs`. */
  send(request: RequestToSend, timeoutMs?: number): Promise<ReceivedResponse>;
  /** The number of responses with status 429. */
  readonly rateLimitedCount: number;
  close(): void;
}

/** The error of a request without a response, or with one that is not HTTP; its message says why. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  /** Whether the server closed a reused connection just before the request. */
  readonly isStale: boolean;
  /** Whether the connection was refused. */
  readonly isRefused: boolean;

  constructor(message: string, { isStale = false, isRefused = false } = {}) {
    super(message);
    this.isStale = isStale;
    this.isRefused = isRefused;
  }
}

/** The timeout of a response, in ms, and the maximum size of its body, in bytes. */
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 50_000_000;

/** The maximum number of open connections. */
const MAX_CONNECTIONS = 10;

/** The number of retries of a request that receives 429. */
const MAX_RETRIES = 5;

/**
 * Creates a client that reuses a few connections. It sends requests unchanged: paths are not normalized, redirects are not followed. After a 429 it waits
 * for Retry-After, at most a minute, repeats the request, and slows down. It sends no request after `signal` is aborted.
 */
export function createClient(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal | undefined,
): Client {
  // Each pending request adds a listener.
  if (signal) setMaxListeners(0, signal);
  const base = url.replace(/\/+$/, '');
  const { protocol, hostname, port, pathname } = new URL(base);
  const isSecure = protocol === 'https:';
  const agent = new (isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  const prefix = pathname.replace(/\/$/, '');
  // Node would look up an IPv6 address in brackets as a host name.
  const common = { hostname: hostname.replace(/^\[|\]$/g, ''), port, ...(signal ? { signal } : {}) };
  const pace = new Pace(signal);
  let rateLimitedCount = 0;

  function sendOnce(
    { method, target, headers: ownHeaders = {}, body }: RequestToSend,
    timeoutMs: number,
    usesAgent: boolean,
  ): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = (isSecure ? secureRequest : plainRequest)({
        ...common,
        // Data after a response to HEAD must not become the response to another request.
        agent: usesAgent && method !== 'HEAD' ? agent : false,
        method,
        path: prefix + target,
        headers: { ...headers, ...ownHeaders, ...toContentLength(ownHeaders, body) },
      });
      const timeout = setTimeout(() => fail(`${NO_RESPONSE_WITHIN} ${timeoutMs / 1_000} s`), timeoutMs);
      const fail = (message: string, code?: string) => {
        clearTimeout(timeout);
        outgoing.destroy();
        const isStale = outgoing.reusedSocket && code === 'ECONNRESET';
        reject(new NoResponseError(message, { isStale, isRefused: code === 'ECONNREFUSED' }));
      };
      const finish = (response: ReceivedResponse) => {
        clearTimeout(timeout);
        resolve(response);
      };
      let head: IncomingMessage | undefined;
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // Node parses the forbidden body as another response.
        if (method === 'HEAD' && head && error.code?.startsWith('HPE_'))
          finish({ ...toResponse(head, ''), httpError: HEAD_BODY_VIOLATION });
        else fail(error.message || String(error.code), error.code);
      });
      outgoing.on('response', (answer) => {
        head = answer;
        readResponse(answer, finish, fail);
      });
      outgoing.on('upgrade', () => fail('the response is 101, but the request has no Upgrade'));
      outgoing.end(body);
    });
  }

  async function attempt(request: RequestToSend, timeoutMs: number): Promise<ReceivedResponse> {
    try {
      return await sendOnce(request, timeoutMs, true);
    } catch (error) {
      // Another reused connection may be closed as well.
      if (error instanceof NoResponseError && error.isStale) return sendOnce(request, timeoutMs, false);
      if (error instanceof NoResponseError) throw error;
      // Node refuses to send some characters.
      throw new NoResponseError(`the request cannot be sent: ${(error as Error).message}`);
    }
  }

  return {
    url: base,
    headers,
    get rateLimitedCount() {
      return rateLimitedCount;
    },
    async send(request, timeoutMs = TIMEOUT_MS) {
      for (let retries = 0; ; retries++) {
        const sentMs = await pace.turn();
        const response = await attempt(request, timeoutMs);
        if (response.status !== TOO_MANY_REQUESTS) {
          pace.speedUp();
          return response;
        }
        rateLimitedCount++;
        if (!pace.slowDown(sentMs, response.headers) || retries === MAX_RETRIES) return response;
      }
    },
    close: () => agent.destroy(),
  };
}

/** The status of a rate limit (RFC 6585, section 4). */
export const TOO_MANY_REQUESTS = 429;

const HEAD_BODY_VIOLATION = 'The response to HEAD has a body, which RFC 9110, section 9.3.2, forbids';

/** Returns the header with the length of a body, unless it is sent in chunks. */
function toContentLength(
  headers: Readonly<Record<string, string>>,
  body: RequestToSend['body'],
): { 'content-length'?: number } {
  if (body === undefined || headers['transfer-encoding'] !== undefined) return {};
  return { 'content-length': Buffer.byteLength(body) };
}

function readResponse(
  answer: IncomingMessage,
  finish: (response: ReceivedResponse) => void,
  fail: (message: string) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) fail(`the response is larger than ${MAX_RESPONSE_BYTES / 1_000_000} MB`);
  });
  answer.on('error', (error) => fail(`the response was cut off: ${error.message}`));
  answer.on('end', () => finish(toResponse(answer, Buffer.concat(chunks).toString())));
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, text: string): ReceivedResponse {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  const response = { status: statusCode, headers: Object.fromEntries(joined), text, jsonError: undefined };
  if (text === '') return { ...response, body: undefined };
  if (!isJsonType(headers['content-type'] ?? '')) return { ...response, body: text };
  try {
    return { ...response, body: JSON.parse(text) };
  } catch (error) {
    return { ...response, body: text, jsonError: (error as Error).message };
  }
}

import { setMaxListeners } from 'node:events';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';
import { Pace } from './pace.ts';
import { Transport } from './transport.ts';

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

/** The timeout of a response, in ms. */
const TIMEOUT_MS = 10_000;

/** The number of retries of a request that receives 429. */
const MAX_RETRIES = 5;

/** The status of a rate limit (RFC 6585, section 4). */
export const TOO_MANY_REQUESTS = 429;

/**
 * Creates a client of a server. After a 429 it waits for Retry-After, at most a minute, repeats the request, and slows down. It sends no request after
 * `signal` is aborted.
 */
export function createClient(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal | undefined,
): Client {
  // Each pending request adds a listener.
  if (signal) setMaxListeners(0, signal);
  const base = url.replace(/\/+$/, '');
  const transport = new Transport(base, headers, signal);
  const pace = new Pace(signal);
  let rateLimitedCount = 0;
  return {
    url: base,
    headers,
    get rateLimitedCount() {
      return rateLimitedCount;
    },
    async send(request, timeoutMs = TIMEOUT_MS) {
      for (let retries = 0; ; retries++) {
        const sentMs = await pace.turn();
        const response = await transport.send(request, timeoutMs);
        if (response.status !== TOO_MANY_REQUESTS) {
          pace.speedUp();
          return response;
        }
        rateLimitedCount++;
        if (!pace.slowDown(sentMs, response.headers) || retries === MAX_RETRIES) return response;
      }
    },
    close: () => transport.close(),
  };
}

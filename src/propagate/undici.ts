import { SANDBOX_HEADER } from '../util/carried-sandbox.ts';
import { type CurrentRequest, warnOnce } from './current-request.ts';
import type { Targets } from './targets.ts';

/** The part of the request of undici that is used. */
export interface UndiciRequest {
  readonly origin?: string | URL;
  /** Alternating names and values, or a text in undici 5. */
  readonly headers: unknown[] | string;
  addHeader(name: string, value: string): unknown;
}

type GetCurrent = () => CurrentRequest | undefined;

/**
 * Adds the sandbox to a request of undici to the server, unless the app has set one.
 * Removes it from a request of `fetch` that was redirected to another server.
 */
export function addToUndici(request: UndiciRequest, getCurrent: GetCurrent, targets: Targets): void {
  const { headers } = request;
  const names = typeof headers === 'string' ? headers.split('\r\n').map((line) => line.split(':')[0]) : headers;
  const index = names.findIndex((name) => String(name).toLowerCase() === SANDBOX_HEADER);
  if (targets.has(String(request.origin))) {
    if (index !== -1) return;
    const current = findSender(request, getCurrent);
    if (current) request.addHeader(SANDBOX_HEADER, current.sandboxId);
  } else if (index !== -1 && Array.isArray(headers) && getCurrent()?.isInFetch) headers.splice(index, 2);
}

/** Matches the stack of a request that has waited for a connection. */
const QUEUED = /drain/i;

/**
 * Returns the incoming request whose handling has sent a request of undici.
 * A request that has waited for a connection of a pool is created in the asynchronous context of another one.
 */
function findSender(request: UndiciRequest, getCurrent: GetCurrent): CurrentRequest | undefined {
  const symbol = Object.getOwnPropertySymbols(request).find(({ description }) => description === 'handler');
  const handler =
    symbol && (request as never as Record<symbol, { runInAsyncScope?(run: GetCurrent): unknown }>)[symbol];
  // The functions `request`, `stream` and `pipeline` of undici create an `AsyncResource`, and `fetch` does not.
  if (handler?.runInAsyncScope) return handler.runInAsyncScope(getCurrent) as CurrentRequest | undefined;
  const current = getCurrent();
  if (!current || !QUEUED.test(new Error().stack ?? '')) return current;
  warnOnce(
    'pool',
    'A request of the package undici has waited for a connection, so its sandbox is unknown and was not sent. Use the fetch of Node.js, or do not limit `connections`.',
  );
  return undefined;
}

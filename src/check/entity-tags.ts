import { createHash } from 'node:crypto';
import type { Route } from '../openapi/routes.ts';
import { type Exchange, isMocked, isSuccess, type RequestToSend, withoutBody } from './exchange.ts';

/** The maximum number of targets whose ETags are remembered. */
const MAX_TARGETS = 2_000;

/** The maximum number of ETags that are remembered for a target. */
const MAX_TAGS = 20;

/** The statuses for a resource that does not exist. A new resource with the same id may have the same ETag. */
const MISSING_STATUSES: readonly number[] = [404, 410];

/** Remembers the responses to GET by target and ETag, and which ones differ although their ETags are the same. */
export class EntityTags {
  readonly #byTarget = new Map<string, Map<string, KnownResponse>>();
  /** Two responses with the same ETag and different bodies, by operation. */
  readonly #same = new Map<Route, readonly [Exchange, Exchange]>();
  /** The last request of each operation whose response had an ETag. */
  readonly #tagged = new Map<Route, RequestToSend>();

  get same(): ReadonlyMap<Route, readonly Exchange[]> {
    return this.#same;
  }

  get tagged(): ReadonlyMap<Route, RequestToSend> {
    return this.#tagged;
  }

  /** Records a response. Returns whether its ETag could be compared with that of another response. */
  record(route: Route, exchange: Exchange): boolean {
    const { request, response } = exchange;
    if (request.method !== 'GET') {
      if (request.method === 'DELETE' && isSuccess(response)) this.#forget(request.target);
      return false;
    }
    if (MISSING_STATUSES.includes(response.status)) this.#byTarget.delete(request.target);
    const { etag } = response.headers;
    if (response.status !== 200 || etag === undefined || isMocked(response)) return false;
    this.#tagged.set(route, request);
    // A weak ETag can stay the same after a change that does not matter.
    if (etag.startsWith('W/')) return false;
    if (this.#byTarget.size >= MAX_TARGETS && !this.#byTarget.has(request.target)) return false;
    const known = this.#byTarget.get(request.target) ?? new Map<string, KnownResponse>();
    this.#byTarget.set(request.target, known);
    // Each representation of a resource has its own ETag (RFC 9110, section 8.8.3.3).
    const key = `${etag} ${response.headers['content-type']} ${JSON.stringify(request.headers)}`;
    const other = known.get(key);
    const hash = hashText(response.text);
    if (!other && known.size < MAX_TAGS) known.set(key, { exchange: shorten(exchange), hash });
    if (other && other.hash !== hash && !this.#same.has(route)) this.#same.set(route, [other.exchange, exchange]);
    return known.size > 1 || other !== undefined;
  }

  /** Forgets a deleted resource, and what is below it. */
  #forget(target: string): void {
    const path = getPath(target);
    for (const one of this.#byTarget.keys()) if (`${getPath(one)}/`.startsWith(`${path}/`)) this.#byTarget.delete(one);
  }
}

/** A response without the end of its text, and the hash of its whole text. */
interface KnownResponse {
  readonly exchange: Exchange;
  readonly hash: string;
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** The maximum length of the text of a known response, in characters. A report shows less. */
const MAX_TEXT_LENGTH = 1_000;

/** Returns a copy of an exchange that needs little memory. */
function shorten(exchange: Exchange): Exchange {
  const { request, response } = withoutBody(exchange);
  if (response.text.length <= MAX_TEXT_LENGTH) return { request, response };
  // A slice of a string would keep the whole string in memory.
  const text = Buffer.from(response.text.slice(0, MAX_TEXT_LENGTH)).toString();
  return { request, response: { ...response, text: `${text}…` } };
}

function getPath(target: string): string {
  return target.split('?')[0] ?? '';
}

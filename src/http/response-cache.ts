import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { RepeatedExchange } from '../coverage/coverage.ts';
import {
  type RecordedRequest,
  type RecordedResponse,
  type StoredRequest,
  toStoredRequest,
} from '../sandbox/journal/recorded-request.ts';
import { CHECK_USER_AGENT } from '../util/headers.ts';
import { MEGABYTE } from '../util/limits.ts';
import type { CredentialNames } from '../util/redact-secrets.ts';
import { type AccessPolicy, isAllowed } from './access-policy.ts';
import { hasBody } from './body.ts';
import { type ResponseCache, type SentResponse, toRecordedResponse } from './exchange.ts';
import { isNavigation } from './files.ts';
import { type ListPieces, sendPieces } from './long-list.ts';
import { mayNameSandbox } from './named-sandbox.ts';
import { toCountedExchange } from './recording.ts';
import type { Server } from './served.ts';

/** The headers of a request, and the result of checking them. */
interface CheckedHeaders<Result> {
  /**
   * The headers as the client sent them: a list of alternating names and values.
   * For equal headers, this is the same array object.
   */
  readonly rawHeaders: string[];
  readonly result: Result;
}

/** The maximum number of cached results. Each result belongs to a different list of headers. */
const MAX_STORED = 8;

/**
 * Checks the headers of requests, and caches the results for the latest eight different lists of headers.
 * The cache is small, because a client sends the same headers with most requests.
 */
class HeaderChecks<Result> {
  readonly #stored: CheckedHeaders<Result>[] = [];
  #oldest = 0;

  /**
   * `check`: a function that returns the result for a request.
   * The result must depend only on the headers of the request.
   */
  constructor(private readonly check: (req: IncomingMessage) => Result) {}

  /** Returns the headers of a request and the result of the check, from the cache if possible. */
  get(req: IncomingMessage): CheckedHeaders<Result> {
    const { rawHeaders } = req;
    for (const stored of this.#stored) if (isEqual(stored.rawHeaders, rawHeaders)) return stored;
    const checked = { rawHeaders, result: this.check(req) };
    this.#stored[this.#oldest] = checked;
    this.#oldest = (this.#oldest + 1) % MAX_STORED;
    return checked;
  }
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** A cached response. Only responses with status 200 are cached. */
interface CachedResponse {
  readonly operationId: string;
  readonly credentialNames: CredentialNames;
  /**
   * The base path of the request, such as `/v1`: the path in a `servers` URL of the contract.
   * Undefined if the request has no base path.
   */
  readonly basePath: string | undefined;
  /** The response as it was first sent. */
  readonly sent: SentResponse;
  readonly headers: OutgoingHttpHeaders;
  /** Counts the requests that get the response. */
  readonly coverage: RepeatedExchange;
  /** The bytes of the response, created when it is first sent again: most responses to searches are sent once. */
  repeated?: RepeatedResponse;
  /**
   * The journal record of the latest request that got this response.
   * It is used again for the next request with the same headers.
   */
  latest?: StoredRequest;
}

/** A cached response in the form in which it is sent again. */
interface RepeatedResponse {
  /** The headers as a list of alternating names and values. Node writes a list faster than an object. */
  readonly headers: OutgoingHttpHeader[];
  readonly body: Buffer | ListPieces;
  /** The response as the journal stores it. */
  readonly recorded: RecordedResponse;
}

/**
 * The maximum size of all cached responses together, in bytes.
 * If a new response would exceed it, the cache removes all other responses.
 * Most of them are responses to searches that no client repeats.
 */
const MAX_BYTES = 8 * MEGABYTE;

/**
 * The maximum size of a cached response with a long list, in bytes.
 * Every list in a data file is smaller.
 * Only one response of more than `MAX_BYTES` is cached at a time.
 */
const MAX_LIST_BYTES = 100 * MEGABYTE;

/**
 * The memory that a cached response needs in addition to its body and its key, in bytes.
 * The measured size is about 1,400 bytes.
 */
const ENTRY_BYTES = 1_500;

/** The maximum length of a cache key, in characters. Responses with a longer key are not cached. */
const MAX_KEY_LENGTH = 1024;

/** A response cache that stores nothing. */
const NO_RESPONSE_CACHE: ResponseCache = { send: () => undefined, store: () => {} };

/** Creates the response cache of a server. The cache sends responses without Koa, which is several times faster. */
export function createResponseCache(
  { access, options, sandboxes, coverage }: Server,
  credentialNames: CredentialNames,
): ResponseCache {
  // A cached response would have no delay.
  // If servers share a database, a cached response could be outdated after a change by another server.
  if (options.responseCache === false || options.delay !== undefined || sandboxes.isShared) return NO_RESPONSE_CACHE;
  // A request that names no sandbox is refused, or uses the sandbox of a visitor.
  if (options.sandboxes === 'required' || options.sandboxes === 'visitor') return NO_RESPONSE_CACHE;
  const { store, faults, mockedOperations, journal } = sandboxes.default;
  const getRevision = () => store.read().revision;
  const headerChecks = new HeaderChecks(({ headers }) => {
    // A page of the front end can have the path of an operation.
    const isPage = options.static !== undefined && isNavigation(headers);
    return isCacheable(headers, access) && !isPage ? getKeyPrefix(headers, credentialNames) : undefined;
  });
  const responses = new StoredResponses();

  return {
    send(req, res) {
      if (faults.isActive) return undefined;
      const { url = '' } = req;
      const { rawHeaders, result: prefix } = headerChecks.get(req);
      if (prefix === undefined) return undefined;
      const response = responses.get(prefix + url, getRevision());
      if (!response || mockedOperations.ids.has(response.operationId)) return undefined;
      response.repeated ??= createRepeatedResponse(response);
      const { headers, body, recorded } = response.repeated;
      res.writeHead(200, headers);
      if ('pieces' in body) sendPieces(res, body);
      else res.end(body);
      if (req.headers['user-agent'] !== CHECK_USER_AGENT) response.coverage.count(req.headers);
      journal.addStored(getStoredRequest(response, recorded, { url, rawHeaders }));
      return response.operationId;
    },
    store(exchange) {
      const { contract, route, location, notes, revision, sent, res } = exchange;
      // The log and the journal record no notes for a cached response, so a response with notes is not cached.
      if (sent?.response.status !== 200 || notes.length > 0 || route === undefined) return;
      const { req } = res;
      if (revision === undefined || revision !== getRevision() || req.method !== 'GET') return;
      const { result: prefix } = headerChecks.get(req);
      const { url = '' } = req;
      if (prefix === undefined || mayNameSandbox(url, req.headers)) return;
      const key = prefix + url;
      if (key.length > MAX_KEY_LENGTH) return;
      const bytes = sent.bytes + key.length + ENTRY_BYTES;
      if (bytes > (sent.response.pieces ? MAX_LIST_BYTES : MAX_BYTES)) return;
      const response = {
        operationId: route.operationId,
        basePath: location.basePath,
        credentialNames,
        sent,
        headers: res.getHeaders(),
        coverage: coverage.repeat(contract, route, toCountedExchange(exchange)),
      };
      responses.set(key, response, { bytes, revision });
    },
  };
}

/**
 * The cached responses for one revision of the state, by cache key.
 * When the revision changes, all responses are removed.
 */
class StoredResponses {
  readonly #responses = new Map<string, CachedResponse>();
  /** The latest response that is larger than `MAX_BYTES`. */
  #longest: { readonly key: string; readonly response: CachedResponse } | undefined;
  #bytes = 0;
  #revision = 0;

  get(key: string, revision: number): CachedResponse | undefined {
    if (revision !== this.#revision) this.#clear(revision);
    return this.#responses.get(key) ?? (this.#longest?.key === key ? this.#longest.response : undefined);
  }

  /**
   * Stores a response.
   * `bytes`: its size in the cache.
   * `revision`: the revision of the state from which it was created.
   */
  set(
    key: string,
    response: CachedResponse,
    { bytes, revision }: { readonly bytes: number; readonly revision: number },
  ): void {
    if (bytes > MAX_BYTES) {
      if (revision !== this.#revision) this.#clear(revision);
      this.#longest?.response.coverage.end();
      this.#longest = { key, response };
      return;
    }
    if (revision !== this.#revision || this.#bytes + bytes > MAX_BYTES) this.#clear(revision);
    const replaced = this.#responses.get(key);
    if (replaced) replaced.coverage.end();
    else this.#bytes += bytes;
    this.#responses.set(key, response);
  }

  #clear(revision: number): void {
    for (const { coverage } of this.#responses.values()) coverage.end();
    this.#longest?.response.coverage.end();
    this.#responses.clear();
    this.#longest = undefined;
    this.#bytes = 0;
    this.#revision = revision;
  }
}

function createRepeatedResponse({ sent, headers }: CachedResponse): RepeatedResponse {
  return {
    headers: Object.entries(headers).flatMap(([name, value = '']) => [name, value]),
    body: getBody(sent),
    recorded: toRecordedResponse(sent),
  };
}

/**
 * Returns the body of a response as one buffer, because a buffer is sent faster than pieces.
 * Returns a very long list in pieces, because copying it into a buffer takes too long.
 */
function getBody({ response: { pieces }, text }: SentResponse): RepeatedResponse['body'] {
  if (!pieces) return Buffer.from(text);
  return pieces.length > MAX_BYTES ? pieces : Buffer.concat(pieces.pieces);
}

/** The origin of a cached response. The journal stores the origin as `decision`. */
export const CACHED_DECISION = { source: 'cache' } as const;

/** Returns the journal record of a GET request that got a cached response. */
function getStoredRequest(
  cached: CachedResponse,
  response: RecordedResponse,
  { url, rawHeaders }: Pick<RecordedRequest, 'url' | 'rawHeaders'>,
): StoredRequest {
  const { latest, operationId, basePath, credentialNames } = cached;
  if (latest?.headers === rawHeaders) return latest;
  const request = {
    method: 'GET',
    url,
    prefix: '',
    basePath,
    rawHeaders,
    response,
    durationMs: 0,
    operationId,
    decision: CACHED_DECISION,
    credentialNames,
    remarks: undefined,
  };
  cached.latest = toStoredRequest(request);
  return cached.latest;
}

/**
 * Returns whether the response to a GET request with these headers can be cached.
 * Returns false if the request has a `Prefer` header or a body, if it may name a sandbox, or if the host or origin is
 * not allowed.
 */
function isCacheable(headers: IncomingHttpHeaders, access: AccessPolicy): boolean {
  return (
    headers.prefer === undefined && !hasBody(headers) && !mayNameSandbox('', headers) && isAllowed(access, headers)
  );
}

/**
 * Returns the origin and the credentials in the headers of a request.
 * They are the first part of the cache key.
 * The second part is the request target.
 */
function getKeyPrefix(headers: IncomingHttpHeaders, credentialNames: CredentialNames): string {
  const { origin } = headers;
  const credentials = credentialNames.headers.map((name) => headers[name] ?? null);
  return (origin === undefined ? '' : `${origin} `) + (credentials.length > 0 ? JSON.stringify(credentials) : '');
}

import type { IncomingHttpHeaders, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { type RecordedResponse, type StoredRequest, toStoredRequest } from '../sandbox/journal/recorded-request.ts';
import { MEGABYTE } from '../util/limits.ts';
import type { CredentialNames } from '../util/redact-secrets.ts';
import { type AccessPolicy, isAllowed } from './access-policy.ts';
import { HeaderChecks } from './header-checks.ts';
import type { ResponseCache, ServerParts } from './parts.ts';
import { hasBody } from './pipeline/body.ts';
import { type ListPieces, sendPieces } from './pipeline/long-list.ts';
import { mayNameSandbox } from './pipeline/route.ts';
import { type SentResponse, toRecordedResponse } from './record.ts';

/** A stored response. Its status is 200. */
interface CachedResponse {
  readonly operationId: string;
  readonly credentialNames: CredentialNames;
  /** The path of a server of the contract with which the path of the request begins, such as `/v1`. */
  readonly basePath: string | undefined;
  /** The headers as a list of alternating names and values. Node writes a list faster than an object. */
  readonly headers: OutgoingHttpHeader[];
  readonly body: Buffer | ListPieces;
  /** The response as the journal stores it. */
  readonly recorded: RecordedResponse;
  /** The latest request as the journal stores it. Requests with the same headers share this object. */
  latest?: StoredRequest;
}

/** The maximum size of all stored responses, in bytes. A response that would exceed this size empties the cache: most entries are searches that nobody repeats. */
const MAX_BYTES = 8 * MEGABYTE;

/** The maximum size of a response with a long list, in bytes. No list of a data file is longer. The cache contains at most one response of more than `MAX_BYTES`. */
const MAX_LIST_BYTES = 100 * MEGABYTE;

/** The memory that an entry needs in addition to its body and key, in bytes. The measured size is about 1,400 bytes. */
const ENTRY_BYTES = 1_500;

/** The maximum length of a key, in characters. */
const MAX_KEY_LENGTH = 1024;

/** A response cache that stores nothing. */
const NO_RESPONSE_CACHE: ResponseCache = { send: () => undefined, store: () => {} };

/** Creates the response cache of a server. The cache sends responses without Koa, which is several times as fast as with Koa. */
export function createResponseCache(
  { access, options, sandboxes }: ServerParts,
  credentialNames: CredentialNames,
): ResponseCache {
  // Cached responses would have no delay.
  if (options.responseCache === false || options.delay !== undefined) return NO_RESPONSE_CACHE;
  const { store, faults, journal } = sandboxes.default;
  const getRevision = () => store.read().revision;
  const headerChecks = new HeaderChecks(({ headers }) =>
    isCacheable(headers, access) ? getKeyPrefix(headers, credentialNames) : undefined,
  );
  const responses = new StoredResponses();

  return {
    send(req, res) {
      if (req.method !== 'GET' || faults.isActive) return undefined;
      const { url = '' } = req;
      const { rawHeaders, result: prefix } = headerChecks.get(req);
      if (prefix === undefined) return undefined;
      const response = responses.get(prefix + url, getRevision());
      if (!response) return undefined;
      res.writeHead(200, response.headers);
      if ('pieces' in response.body) sendPieces(res, response.body);
      else res.end(response.body);
      journal.addStored(getStoredRequest(response, url, rawHeaders));
      return response.operationId;
    },
    store({ target, outcome }, sent, res) {
      const operationId = target?.route?.operationId;
      // A cached response has no notes in the log and the journal. So a response with notes is not stored.
      if (sent?.response.status !== 200 || outcome.notes.length > 0 || operationId === undefined) return;
      const { req } = res;
      if (outcome.revision === undefined || outcome.revision !== getRevision() || req.method !== 'GET') return;
      const { result: prefix } = headerChecks.get(req);
      const { url = '' } = req;
      if (prefix === undefined || mayNameSandbox(url, req.headers)) return;
      const key = prefix + url;
      if (key.length > MAX_KEY_LENGTH) return;
      const bytes = sent.bytes + key.length + ENTRY_BYTES;
      if (bytes > (sent.response.pieces ? MAX_LIST_BYTES : MAX_BYTES)) return;
      responses.set(
        key,
        createCachedResponse({ operationId, basePath: target?.location.basePath, credentialNames }, sent, res),
        { bytes, revision: getRevision() },
      );
    },
  };
}

/** The stored responses of one revision of the state, by key. They are removed when the revision changes. */
class StoredResponses {
  readonly #responses = new Map<string, CachedResponse>();
  /** The latest response of more than `MAX_BYTES`. */
  #longest: { readonly key: string; readonly response: CachedResponse } | undefined;
  #bytes = 0;
  #revision = 0;

  get(key: string, revision: number): CachedResponse | undefined {
    if (revision !== this.#revision) this.#clear(revision);
    return this.#responses.get(key) ?? (this.#longest?.key === key ? this.#longest.response : undefined);
  }

  /** Stores a response. `bytes`: the size of its entry. */
  set(
    key: string,
    response: CachedResponse,
    { bytes, revision }: { readonly bytes: number; readonly revision: number },
  ): void {
    if (bytes > MAX_BYTES) {
      if (revision !== this.#revision) this.#clear(revision);
      this.#longest = { key, response };
      return;
    }
    if (revision !== this.#revision || this.#bytes + bytes > MAX_BYTES) this.#clear(revision);
    if (!this.#responses.has(key)) this.#bytes += bytes;
    this.#responses.set(key, response);
  }

  #clear(revision: number): void {
    this.#responses.clear();
    this.#longest = undefined;
    this.#bytes = 0;
    this.#revision = revision;
  }
}

function createCachedResponse(
  request: Pick<CachedResponse, 'operationId' | 'basePath' | 'credentialNames'>,
  sent: SentResponse,
  res: ServerResponse,
): CachedResponse {
  return {
    ...request,
    headers: Object.entries(res.getHeaders()).flatMap(([name, value = '']) => [name, value]),
    body: getBody(sent),
    recorded: toRecordedResponse(sent),
  };
}

/** Returns the bytes of a response. One buffer is sent faster than pieces, but it takes too long to copy the pieces of a very long list. */
function getBody({ response: { pieces }, text }: SentResponse): CachedResponse['body'] {
  if (!pieces) return Buffer.from(text);
  return pieces.length > MAX_BYTES ? pieces : Buffer.concat(pieces.pieces);
}

/** Returns a GET request that got a cached response, as the journal stores it. */
function getStoredRequest(cached: CachedResponse, url: string, rawHeaders: readonly string[]): StoredRequest {
  const { latest, operationId, basePath, credentialNames, recorded: response } = cached;
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
    credentialNames,
    remarks: undefined,
  };
  cached.latest = toStoredRequest(request);
  return cached.latest;
}

/**
 * Returns whether responses to GET requests with these headers can be cached. The pipeline must validate a request with a `Prefer` header or a body, and select
 * the sandbox that a request names.
 */
function isCacheable(headers: IncomingHttpHeaders, access: AccessPolicy): boolean {
  return (
    headers.prefer === undefined && !hasBody(headers) && !mayNameSandbox('', headers) && isAllowed(access, headers)
  );
}

/** Returns the start of the keys of requests with these headers: the origin and the credentials. The request target is the rest of a key. */
function getKeyPrefix(headers: IncomingHttpHeaders, credentialNames: CredentialNames): string {
  const { origin } = headers;
  const credentials = credentialNames.headers.map((name) => headers[name] ?? null);
  return (origin === undefined ? '' : `${origin} `) + (credentials.length > 0 ? JSON.stringify(credentials) : '');
}

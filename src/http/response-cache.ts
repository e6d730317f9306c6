import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { RecordedResponse } from '../sandbox/journal/recorded-request.ts';
import { MEGABYTE } from '../util/limits.ts';
import { isAllowed } from './access-policy.ts';
import type { ResponseCache, ServerParts } from './parts.ts';
import { hasBody } from './pipeline/body.ts';
import { type ListPieces, sendPieces } from './pipeline/long-list.ts';
import { mayNameSandbox } from './pipeline/route.ts';
import { type SentResponse, toRecordedResponse } from './record.ts';

/** A stored response. Its status is 200. */
interface CachedResponse {
  readonly operationId: string;
  /** The headers as a list of alternating names and values. Node writes a list faster than an object. */
  readonly headers: OutgoingHttpHeader[];
  readonly body: Buffer | ListPieces;
  /** The response as the journal stores it. */
  readonly recorded: RecordedResponse;
}

/** The maximum size of all stored responses, in bytes. A response that would exceed this size empties the cache: most entries are searches that nobody repeats. */
const MAX_BYTES = 8 * MEGABYTE;

/** The maximum size of a response with a long list, in bytes: every list of a data file is shorter. The cache contains one response of more than `MAX_BYTES`. */
const MAX_LIST_BYTES = 100 * MEGABYTE;

/** The memory that an entry needs in addition to its body and key, in bytes. The measured size is about 1,400 bytes. */
const ENTRY_BYTES = 1_500;

/** The maximum length of a key, in characters. */
const MAX_KEY_LENGTH = 1024;

/** A response cache that stores nothing. */
const NO_RESPONSE_CACHE: ResponseCache = { send: () => undefined, store: () => {} };

/** Creates the response cache of a server. The cache sends responses without Koa, which is several times as fast as with Koa. */
export function createResponseCache({ access, options, sandboxes }: ServerParts): ResponseCache {
  // Cached responses would have no delay.
  if (options.responseCache === false || options.delay !== undefined) return NO_RESPONSE_CACHE;
  const { store, faults } = sandboxes.default;
  const getRevision = () => store.read().revision;
  const isCacheable = (req: IncomingMessage) =>
    isPlainGet(req) && !mayNameSandbox(req.url ?? '', req.headers) && isAllowed(access, req.headers);
  const responses = new Map<string, CachedResponse>();
  let storedRevision = getRevision();
  let storedBytes = 0;
  let longest: { readonly key: string; readonly response: CachedResponse } | undefined;

  function clear(): void {
    responses.clear();
    longest = undefined;
    storedBytes = 0;
    storedRevision = getRevision();
  }

  return {
    send(req, res) {
      if (faults.isActive || !isCacheable(req)) return undefined;
      if (storedRevision !== getRevision()) clear();
      const key = getKey(req);
      const response = responses.get(key) ?? (longest?.key === key ? longest.response : undefined);
      if (!response) return undefined;
      res.writeHead(200, response.headers);
      if ('pieces' in response.body) sendPieces(res, response.body);
      else res.end(response.body);
      return response;
    },
    store({ target, outcome }, sent, res) {
      const operationId = target?.route?.operationId;
      // A cached response has no notes in the log and the journal. So a response with notes is not stored.
      if (sent?.response.status !== 200 || outcome.notes.length > 0 || operationId === undefined) return;
      const { req } = res;
      if (outcome.revision === undefined || outcome.revision !== getRevision() || !isCacheable(req)) return;
      const key = getKey(req);
      if (key.length > MAX_KEY_LENGTH) return;
      const bytes = sent.bytes + key.length + ENTRY_BYTES;
      if (bytes > (sent.response.pieces ? MAX_LIST_BYTES : MAX_BYTES)) return;
      const response = createCachedResponse(operationId, sent, res);
      if (storedRevision !== getRevision()) clear();
      if (bytes > MAX_BYTES) longest = { key, response };
      else {
        if (storedBytes + bytes > MAX_BYTES) clear();
        if (!responses.has(key)) storedBytes += bytes;
        responses.set(key, response);
      }
    },
  };
}

function createCachedResponse(operationId: string, sent: SentResponse, res: ServerResponse): CachedResponse {
  return {
    operationId,
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

/** Returns whether a request is a GET request without a `Prefer` header and without a body. The pipeline must validate the others. */
function isPlainGet({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.prefer === undefined && !hasBody(headers);
}

function getKey({ url, headers }: IncomingMessage): string {
  return headers.origin === undefined ? `${url}` : `${headers.origin} ${url}`;
}

import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { RecordedResponse } from '../sandbox/journal/recorded-request.ts';
import { MEGABYTE } from '../util/limits.ts';
import { hasBody } from './pipeline/request.ts';
import { mayNameSandbox } from './pipeline/sandbox.ts';

/**
 * The response cache: bytes that the normal path has made for an operation and its query, in the sandbox `default`, from a revision of the state. The key
 * is the target (operation and query) with the origin, the one header on which responses depend. Another revision empties the cache.
 */
export interface ResponseCache {
  /** Sends the stored response to a request, and returns it; undefined if there is none. */
  give(req: IncomingMessage, res: ServerResponse): CachedResponse | undefined;
  /** Stores the response to a request, made from the state of a revision. `make` is called only if it can be stored. */
  keep(req: IncomingMessage, revision: number, make: () => CachedResponse): void;
}

/** A response with status 200 as it was sent. */
interface CachedResponse {
  readonly operationId: string;
  /** Names and values in turn: those that the normal path has set. */
  readonly headers: OutgoingHttpHeader[];
  readonly bytes: Buffer;
  /** The response as the journal has it. */
  readonly sent: RecordedResponse;
}

/** The parts that decide whether stored responses are right. */
interface ResponseCacheParts {
  /** The revision of the state of the sandbox `default`. */
  readonly revision: () => number;
  /** Whether nothing else than a response happens to requests: no faults, no delay. */
  readonly isOpen: () => boolean;
  /** Whether the host and the origin of a request are allowed. */
  readonly isAdmitted: (req: IncomingMessage) => boolean;
}

/** The most that is stored, in bytes. Beyond that, all of it is dropped: most of it is searches that are not repeated. */
const MAX_BYTES = 8 * MEGABYTE;

/** What a response takes beside its body and key, in bytes: headers, objects, its place in the map. Measured: some 1,400. */
const ENTRY_BYTES = 1_500;

/** The longest key that is stored, in characters. */
const MAX_KEY_LENGTH = 1024;

/** No cache: every response takes the normal path. */
export const NO_RESPONSE_CACHE: ResponseCache = { give: () => undefined, keep: () => {} };

/** Returns a cache in front of Koa, which by itself takes several times as long as sending stored bytes. */
export function createResponseCache({ revision, isOpen, isAdmitted }: ResponseCacheParts): ResponseCache {
  const stored = new Map<string, CachedResponse>();
  let storedRevision = revision();
  let storedBytes = 0;

  function clear(): void {
    stored.clear();
    storedBytes = 0;
    storedRevision = revision();
  }

  return {
    give(req, res) {
      if (!isPlainGet(req) || !isOpen() || !isAdmitted(req)) return undefined;
      if (storedRevision !== revision()) clear();
      const response = stored.get(toKey(req));
      if (!response) return undefined;
      res.writeHead(200, response.headers).end(response.bytes);
      return response;
    },
    keep(req, madeFrom, make) {
      if (!isPlainGet(req) || madeFrom !== revision() || !isAdmitted(req)) return;
      const key = toKey(req);
      if (key.length > MAX_KEY_LENGTH) return;
      const response = make();
      const bytes = response.bytes.length + key.length + ENTRY_BYTES;
      if (bytes > MAX_BYTES) return;
      if (storedRevision !== revision() || storedBytes + bytes > MAX_BYTES) clear();
      if (!stored.has(key)) storedBytes += bytes;
      stored.set(key, response);
    },
  };
}

function isPlainGet(req: IncomingMessage): boolean {
  const { method, headers } = req;
  // A body has to be received first, and may be invalid.
  return (
    method === 'GET' && headers.prefer === undefined && !hasBody(headers) && !mayNameSandbox(req.url ?? '', headers)
  );
}

function toKey({ url, headers }: IncomingMessage): string {
  return headers.origin === undefined ? `${url}` : `${headers.origin} ${url}`;
}

import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { RecordedResponse } from '../sandbox/journal/journal.ts';
import { hasBody } from './pipeline/body.ts';
import { mayNameSandbox } from './pipeline/named-sandbox.ts';

/** Answers to GETs of the default sandbox that are functions of the state's revision, kept as bytes until the state changes. */
export interface ResponseCache {
  /** Answers the request, where what it asks for is kept, and gives back with what; undefined where it isn't. */
  give(req: IncomingMessage, res: ServerResponse): CachedResponse | undefined;
  /** Keeps what the normal path has answered to a request, from the state of the revision `madeFrom`; it is made only where one can be kept. */
  keep(req: IncomingMessage, madeFrom: number, make: () => CachedResponse): void;
}

/** An answer of status 200 as it went out. */
export interface CachedResponse {
  readonly operationId: string;
  /** Names and values in turn. */
  readonly headers: OutgoingHttpHeader[];
  readonly bytes: Buffer;
  /** The same for the journal. */
  readonly sent: RecordedResponse;
}

/** How much is kept, in bytes. Past it all is dropped, since most of it is searches that nobody repeats. */
const LIMIT_BYTES = 8 * 1024 * 1024;

/** What an answer takes beside its body and key, in bytes: headers, objects, its place in the map. Measured at some 1,400. */
const ENTRY_BYTES = 1_500;

/** The longest key that is kept, in characters. */
const KEY_LIMIT = 1024;

/**
 * A lane in front of Koa, which by itself takes several times longer than sending ready bytes. It holds nothing but what the normal path has
 * answered to the same URL and the same origin, the one header that answers depend on. `isOpen`: whether nothing is to become of requests but their answer.
 * `isAdmitted`: whether the host and the origin of a request are allowed; requests that are not get no ready answer, and none is kept of them.
 */
export function createResponseCache(
  revision: () => number,
  isOpen: () => boolean,
  isAdmitted: (req: IncomingMessage) => boolean,
): ResponseCache {
  const kept = new Map<string, CachedResponse>();
  let keptRevision = revision();
  let keptBytes = 0;

  function clear(): void {
    kept.clear();
    keptBytes = 0;
    keptRevision = revision();
  }

  return {
    give(req, res) {
      if (!isPlainGet(req) || !isOpen() || !isAdmitted(req)) return undefined;
      if (keptRevision !== revision()) clear();
      const answer = kept.get(keyOf(req));
      if (!answer) return undefined;
      res.writeHead(200, answer.headers).end(answer.bytes);
      return answer;
    },
    keep(req, madeFrom, make) {
      if (!isPlainGet(req) || madeFrom !== revision() || !isAdmitted(req)) return;
      const key = keyOf(req);
      if (key.length > KEY_LIMIT) return;
      const answer = make();
      const bytes = answer.bytes.length + key.length + ENTRY_BYTES;
      if (bytes > LIMIT_BYTES) return;
      if (keptRevision !== revision() || keptBytes + bytes > LIMIT_BYTES) clear();
      if (!kept.has(key)) keptBytes += bytes;
      kept.set(key, answer);
    },
  };
}

function isPlainGet(req: IncomingMessage): boolean {
  const { method, headers } = req;
  // One with a body has to be received first, and may turn out broken.
  return (
    method === 'GET' && headers.prefer === undefined && !hasBody(headers) && !mayNameSandbox(req.url ?? '', headers)
  );
}

function keyOf({ url, headers }: IncomingMessage): string {
  return headers.origin === undefined ? `${url}` : `${headers.origin} ${url}`;
}

import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import { READ_METHODS } from '../files.ts';
import type { SentResponse } from '../record.ts';
import {
  COMMON_HEADERS,
  DATA_HEADERS,
  type Headers,
  JSON_HEADERS,
  NO_HEADERS,
  PROBLEM_HEADERS,
} from '../response-headers.ts';
import type { ResponseData } from './outcome.ts';
import { isBodilessStatus } from './response.ts';
import type { Exchange } from './values.ts';

/**
 * Sends a JSON response with a fixed list of headers: the common headers, the CORS headers and the content type. Node writes this list in half of the time that
 * it needs to set the headers one by one. Returns undefined and sends nothing if the response has other headers or no JSON body. The same applies to GET and
 * HEAD requests, because the response cache reads headers from `res`.
 */
export function sendPlainResponse(
  res: ServerResponse,
  exchange: Exchange,
  corsHeaders: Headers,
): SentResponse | undefined {
  const { request, outcome } = exchange;
  const { response } = outcome;
  if (READ_METHODS.includes(request.method) || request.socket.destroyed || res.headersSent) return undefined;
  if (!response || !isPlain(exchange, response)) return undefined;
  const text = tryOrUndefined(() => JSON.stringify(response.body));
  if (text === undefined) return undefined;
  const headers = [...CONSTANT_HEADERS, ...toList(corsHeaders), ...toList(response.headers)];
  const bytes = Buffer.byteLength(text);
  headers.push('Content-Length', bytes);
  // Node writes Latin-1 faster than UTF-8. The bytes of ASCII characters, which have one byte each in UTF-8, are the same in both.
  const encoding = text.length === bytes ? 'latin1' : 'utf8';
  const write = () => {
    // The server has already responded if Node's parser has refused the rest of the request in the meantime.
    if (!res.headersSent) res.writeHead(response.status, headers).end(text, encoding);
  };
  // Each separate write can wake a waiting client, which takes as much CPU time as the rest of the request. The responses to the changes of a commit are written
  // one after another anyway. All others are written together at the end of a turn of the event loop.
  if (outcome.changes) write();
  else setImmediate(write);
  return { response, text, bytes };
}

/** Returns whether a response has a JSON body and no headers besides `Content-Type` and the headers that all responses have. */
function isPlain({ selection, outcome }: Exchange, { status, headers, body, pieces }: ResponseData): boolean {
  const hasOwnHeaders = outcome.headers !== NO_HEADERS || selection?.headers !== NO_HEADERS;
  return (
    body !== undefined &&
    !pieces &&
    !isBodilessStatus(status) &&
    !hasOwnHeaders &&
    !outcome.transport &&
    (headers === JSON_HEADERS || headers === PROBLEM_HEADERS)
  );
}

/** Returns headers as a list of alternating names and values. */
const toList = memoizeByObject((headers: Headers): readonly OutgoingHttpHeader[] => Object.entries(headers).flat());

const CONSTANT_HEADERS = [...toList(COMMON_HEADERS), ...toList(DATA_HEADERS)];

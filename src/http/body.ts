import { form, json } from 'co-body';
import type { Context } from 'koa';
import { bareType, isJsonType, isRead, mediaTypeFor } from '../contract/responses.ts';
import { exchangeOf } from './exchange.ts';
import { type Fault, FaultError } from './problem.ts';

/** Ours: the largest body that is read, in bytes after decompression. */
export const LIMIT_BYTES = 102_400;

/**
 * How bodies up to so many bytes are read, after decompression. Any JSON value is let through, `__proto__` as a name like any other: what may stand where is the
 * contract's to say. It is made once, since making it takes longer than reading a body.
 */
export function readingUpTo(limit: number) {
  return { strict: false, returnRawBody: true, onProtoPoisoning: 'ignore', limit };
}

export type Reading = Readonly<ReturnType<typeof readingUpTo>>;

const OF_SHOP = readingUpTo(LIMIT_BYTES);

/** The most of a body that isn't looked into that is let through, in bytes. */
const UNREAD_LIMIT_BYTES = 10_000_000;

/** The body of a request: what it holds, where it is of JSON or a form, and the media type of the contract that it is of. */
export interface SentBody {
  readonly body: unknown;
  readonly contentType?: string | undefined;
}

/**
 * The body of a request to an operation that takes one in these media types; nothing where none was sent. A body that the operation doesn't take is
 * left alone; one that is neither JSON nor a form is let through unread. Throws a `FaultError` for one that can't be read.
 */
export async function readBody(
  ctx: Context,
  mediaTypes: readonly string[],
  reading: Reading = OF_SHOP,
): Promise<SentBody> {
  const { req } = ctx;
  if (mediaTypes.length === 0 || !isSent(req.headers)) return { body: undefined };
  const sent = req.headers['content-type'] ?? '';
  const documented = mediaTypeFor(mediaTypes, sent);
  // Of a range of media types it is the one that was sent.
  const contentType = documented?.includes('*') ? bareType(sent) : documented;
  const refused = unsupportedType(req.headers['content-type'], contentType, mediaTypes);
  if (refused) throw new FaultError(refused);
  // The names of codings have no case (RFC 9110, section 8.4.1); co-body knows them in lower case.
  if (req.headers['content-encoding']) req.headers['content-encoding'] = req.headers['content-encoding'].toLowerCase();
  try {
    if (contentType === undefined || !isRead(contentType)) return await unread(req, contentType);
    const { parsed, raw } = await (isJsonType(contentType) ? json : form)(req, reading);
    exchangeOf(ctx).sent = raw;
    return { body: raw === '' ? undefined : parsed, contentType };
  } catch (error) {
    // The rest is read and dropped, else the next request of the connection would wait behind it.
    req.unpipe().resume();
    const { body: sent } = error as ReadingError;
    if (typeof sent === 'string') exchangeOf(ctx).sent = sent;
    throw error instanceof FaultError ? error : new FaultError(faultOfReading(error as ReadingError, reading.limit));
  }
}

/** Lets a body go by. */
async function unread(req: Context['req'], contentType: string | undefined): Promise<SentBody> {
  let bytes = 0;
  for await (const part of req) {
    bytes += part.length;
    if (bytes > UNREAD_LIMIT_BYTES) throw new FaultError(tooLarge(UNREAD_LIMIT_BYTES));
  }
  return { body: undefined, contentType };
}

function tooLarge(limitBytes: number): Fault {
  return { code: 'body-too-large', detail: `the body is larger than the limit of ${limitBytes} bytes: send less` };
}

function isSent(headers: Context['req']['headers']): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/** What co-body, raw-body, inflation and zlib throw. */
interface ReadingError extends Error {
  readonly type?: string;
  readonly status?: number;
  /** The text that isn't JSON. */
  readonly body?: unknown;
}

function faultOfReading(error: ReadingError, limitBytes: number): Fault {
  if (error.status === 413) return tooLarge(limitBytes);
  if (error.status === 415) {
    return {
      code: 'unsupported-media-type',
      detail: `${error.message}: send UTF-8, plain or compressed with gzip, deflate or br`,
    };
  }
  if (error instanceof SyntaxError) return { code: 'malformed-json', detail: `the body is not JSON: ${error.message}` };
  return { code: 'malformed-request', detail: `the body can't be read: ${error.message}` };
}

/** Charsets that are read as UTF-8 is; JSON has no other (RFC 8259, section 8.1). */
const CHARSETS = ['utf-8', 'utf8', 'us-ascii'];

/** Why a body of a content type can't be taken, where it is of none of the media types that the operation takes. */
function unsupportedType(
  sent: string | undefined,
  taken: string | undefined,
  mediaTypes: readonly string[],
): Fault | undefined {
  const charset = /;\s*charset="?([^\s;"]*)/i.exec(sent ?? '')?.[1]?.toLowerCase();
  const isReadable = charset === undefined || CHARSETS.includes(charset) || !isRead(taken ?? '');
  if (sent !== undefined && taken !== undefined && isReadable) return undefined;
  const seen = sent === undefined ? 'the body has no content type' : `the content type is ${JSON.stringify(sent)}`;
  const wanted = mediaTypes.every(isJsonType) ? 'JSON in UTF-8' : 'it';
  return {
    code: 'unsupported-media-type',
    detail: `${seen}: send ${wanted} with Content-Type ${mediaTypes.join(' or ')}`,
  };
}

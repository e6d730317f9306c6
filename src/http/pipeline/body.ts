import { form, text } from 'co-body';
import type { Context } from 'koa';
import { bareType, isJsonType, isRead, mediaTypeFor } from '../../openapi/responses.ts';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../util/json-limits.ts';
import { type HttpProblem, HttpProblemError } from '../problem.ts';
import { getExchange, type RequestBody } from './response.ts';

/** Ours: the largest body that is read, in bytes after decompression. */
export const MAX_BODY_BYTES = 102_400;

/**
 * How bodies up to so many bytes are read, after decompression. Any JSON value is let through, `__proto__` as a name like any other: what may stand where is the
 * contract's to say. It is made once, since making it takes longer than reading a body.
 */
export function createBodyOptions(limit: number) {
  return { returnRawBody: true, limit };
}

export type BodyOptions = Readonly<ReturnType<typeof createBodyOptions>>;

const OF_SHOP = createBodyOptions(MAX_BODY_BYTES);

/** The most of a body that isn't looked into that is let through, in bytes. */
const UNREAD_LIMIT_BYTES = 10_000_000;

const NO_BODY: RequestBody = { body: undefined };

/**
 * Receives a request to its end, and returns its body, for an operation that takes one in these media types; nothing where none was sent. A body that
 * the operation doesn't take, or that is neither JSON nor a form, is let through unread. Throws a `HttpProblemError` for a body that can't be read, and
 * for a request that breaks off: until this has resolved, a request may change nothing. May be called again: it is done once.
 */
export async function readBody(
  ctx: Context,
  mediaTypes: readonly string[],
  reading: BodyOptions = OF_SHOP,
): Promise<RequestBody> {
  if (!hasBody(ctx.req.headers)) return NO_BODY;
  const exchange = getExchange(ctx);
  exchange.body ??= receive(ctx, mediaTypes, reading);
  return exchange.body;
}

async function receive(ctx: Context, mediaTypes: readonly string[], reading: BodyOptions): Promise<RequestBody> {
  const { req } = ctx;
  if (mediaTypes.length === 0) return orRefused(ctx, reading, () => unread(req, undefined));
  const sent = req.headers['content-type'] ?? '';
  const documented = mediaTypeFor(mediaTypes, sent);
  // Of a range of media types it is the one that was sent.
  const contentType = documented?.includes('*') ? bareType(sent) : documented;
  const refused = unsupportedType(req.headers['content-type'], contentType, mediaTypes);
  if (refused) throw new HttpProblemError(refused);
  // The names of codings have no case (RFC 9110, section 8.4.1); co-body knows them in lower case.
  if (req.headers['content-encoding']) req.headers['content-encoding'] = req.headers['content-encoding'].toLowerCase();
  if (contentType === undefined || !isRead(contentType)) return orRefused(ctx, reading, () => unread(req, contentType));
  if (isJsonType(contentType)) {
    const json = getExchange(ctx).sent ?? (await receiveText(ctx, reading));
    return orRefused(ctx, reading, async () => ({ body: parseBody(json), contentType }));
  }
  return orRefused(ctx, reading, async () => {
    const { parsed, raw } = await form(req, reading);
    getExchange(ctx).sent = raw;
    return { body: raw === '' ? undefined : parsed, contentType };
  });
}

/**
 * Receives the text of a request's body. `readBody` then parses this text instead of receiving it: so the two can have different limits of
 * concurrency. Throws a `HttpProblemError` for a body that can't be read.
 */
export async function receiveText(ctx: Context, reading: BodyOptions): Promise<string> {
  const { req } = ctx;
  // The names of codings have no case (RFC 9110, section 8.4.1); co-body knows them in lower case.
  if (req.headers['content-encoding']) req.headers['content-encoding'] = req.headers['content-encoding'].toLowerCase();
  let sent = '';
  await orRefused(ctx, reading, async () => {
    sent = (await text(req, reading)).raw;
    return NO_BODY;
  });
  getExchange(ctx).sent = sent;
  return sent;
}

/** Parses a body of JSON; undefined where it is empty. Throws a `SyntaxError`, or a `HttpProblemError` for too many values. */
function parseBody(json: string): unknown {
  if (json === '') return undefined;
  if (hasTooManyValues(json)) throw new HttpProblemError({ code: 'body-too-large', detail: TOO_MANY_VALUES });
  return JSON.parse(json);
}

const TOO_MANY_VALUES = `the body has more than ${MAX_JSON_VALUES} objects, lists, properties and entries: send fewer`;

/** Does what reads a body; what that throws becomes a `HttpProblemError`. */
async function orRefused(ctx: Context, { limit }: BodyOptions, read: () => Promise<RequestBody>): Promise<RequestBody> {
  try {
    return await read();
  } catch (error) {
    // The rest is read and dropped, else the next request of the connection would wait behind it.
    ctx.req.unpipe().resume();
    const { body: sent } = error as ReadingError;
    if (typeof sent === 'string') getExchange(ctx).sent = sent;
    throw error instanceof HttpProblemError
      ? error
      : new HttpProblemError(faultOfReading(error as ReadingError, limit));
  }
}

/** Receives a body without keeping it. */
async function unread(req: Context['req'], contentType: string | undefined): Promise<RequestBody> {
  let bytes = 0;
  // Leaving the loop must not end the connection: the refusal still has to be sent on it.
  for await (const part of req.iterator({ destroyOnReturn: false })) {
    bytes += part.length;
    if (bytes > UNREAD_LIMIT_BYTES) throw new HttpProblemError(tooLarge(UNREAD_LIMIT_BYTES));
  }
  return { body: undefined, contentType };
}

function tooLarge(limitBytes: number): HttpProblem {
  return { code: 'body-too-large', detail: `the body is larger than the limit of ${limitBytes} bytes: send less` };
}

/** Whether a request is sent with a body, as its headers tell (RFC 9112, section 6.3); one of length 0 is none. */
export function hasBody(headers: Context['req']['headers']): boolean {
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

function faultOfReading(error: ReadingError, limitBytes: number): HttpProblem {
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
): HttpProblem | undefined {
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

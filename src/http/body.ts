import { json } from 'co-body';
import type { Context } from 'koa';
import { type Fault, FaultError } from './problem.ts';

/** Ours: the largest body that is read, in bytes after decompression. */
const LIMIT_BYTES = 102_400;

/** Any JSON value is let through, `__proto__` as a name like any other: what may stand where is the contract's to say. */
const READING = { limit: LIMIT_BYTES, strict: false, returnRawBody: true, onProtoPoisoning: 'ignore' };

/**
 * The JSON body of a request to an operation that takes one in these media types; undefined where none was sent. A body that the operation
 * doesn't take is left alone. Throws a `FaultError` for one that can't be read.
 */
export async function readBody({ req }: Context, mediaTypes: readonly string[]): Promise<unknown> {
  if (mediaTypes.length === 0 || !isSent(req.headers)) return undefined;
  const refused = unsupportedType(req.headers['content-type'], mediaTypes);
  if (refused) throw new FaultError(refused);
  // The names of codings have no case (RFC 9110, section 8.4.1); co-body knows them in lower case.
  if (req.headers['content-encoding']) req.headers['content-encoding'] = req.headers['content-encoding'].toLowerCase();
  try {
    const { parsed, raw } = await json(req, READING);
    return raw === '' ? undefined : parsed;
  } catch (error) {
    // The rest is read and dropped, else the next request of the connection would wait behind it.
    req.unpipe().resume();
    throw new FaultError(faultOfReading(error as ReadingError));
  }
}

function isSent(headers: Context['req']['headers']): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/** What co-body, raw-body, inflation and zlib throw. */
interface ReadingError extends Error {
  readonly type?: string;
  readonly status?: number;
}

function faultOfReading(error: ReadingError): Fault {
  if (error.status === 413) {
    return { code: 'body-too-large', detail: `the body is larger than the limit of ${LIMIT_BYTES} bytes: send less` };
  }
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

function unsupportedType(contentType: string | undefined, mediaTypes: readonly string[]): Fault | undefined {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (mediaTypes.includes(type) && (charset === undefined || CHARSETS.includes(charset))) return undefined;
  const seen =
    contentType === undefined ? 'the body has no content type' : `the content type is ${JSON.stringify(contentType)}`;
  return {
    code: 'unsupported-media-type',
    detail: `${seen}: send JSON in UTF-8 with Content-Type ${mediaTypes.join(' or ')}`,
  };
}

import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';
import { isJsonType } from '../openapi/media-types.ts';
import { removeIncompleteItem } from '../util/streams.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { ReceivedResponse } from './exchange.ts';

/** The maximum size of a response body, in bytes. */
export const MAX_RESPONSE_BYTES = 50_000_000;

/** Decodes and parses the body of a response. `isCut`: whether its end is missing. */
export function readBody(
  { 'content-type': type = '', 'content-encoding': coding = '' }: Readonly<IncomingHttpHeaders>,
  received: Buffer,
  isCut = false,
): Omit<ReceivedResponse, 'status' | 'headers'> {
  const { bytes, error } = decodeContent(coding, received, { maxBytes: MAX_RESPONSE_BYTES, isCut });
  const { text: all, error: textError } = decodeText(type, bytes);
  const text = isCut ? removeIncompleteItem(type, all) : all;
  const content = { text, jsonError: undefined };
  if (error !== undefined)
    return { ...content, body: text, httpError: `The body is not valid for its Content-Encoding ${coding}: ${error}` };
  if (text === '') return { ...content, body: undefined };
  if (!isJsonType(type)) return { ...content, body: text };
  if (textError !== undefined) return { ...content, body: text, jsonError: textError };
  try {
    return { ...content, body: JSON.parse(text) };
  } catch (error) {
    return { ...content, body: text, jsonError: (error as Error).message };
  }
}

/**
 * The bytes of a response body without their content codings.
 * `error`: why a coding could not be removed; the bytes then still have it.
 */
interface DecodedBody {
  readonly bytes: Buffer;
  readonly error?: string;
}

/** Options of `decodeContent`. */
interface DecodingOptions {
  /** The maximum number of bytes after the decoding. */
  readonly maxBytes: number;
  /** Whether the end of the body is missing, because the check stopped reading an endless response. */
  readonly isCut: boolean;
}

/**
 * Removes the content codings of a response body (RFC 9110, section 8.4): `gzip`, `deflate` and `br`.
 * A body with another coding is returned as it is.
 * `codings`: the value of the header `Content-Encoding`.
 */
function decodeContent(codings: string, bytes: Buffer, { maxBytes, isCut }: DecodingOptions): DecodedBody {
  const options: ZlibOptions = {
    maxOutputLength: maxBytes,
    ...(isCut ? { finishFlush: constants.Z_SYNC_FLUSH } : {}),
  };
  let decoded = bytes;
  for (const coding of codings.toLowerCase().split(',').reverse()) {
    const decode = DECODERS[coding.trim()];
    if (!decode || decoded.length === 0) break;
    try {
      decoded = decode(decoded, options);
    } catch (error) {
      return { bytes: decoded, error: (error as Error).message };
    }
  }
  return { bytes: decoded };
}

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateAny,
  br: (bytes, { maxOutputLength, finishFlush }) =>
    brotliDecompressSync(bytes, {
      ...(maxOutputLength === undefined ? {} : { maxOutputLength }),
      ...(finishFlush === undefined ? {} : { finishFlush: constants.BROTLI_OPERATION_FLUSH }),
    }),
};

/** The compression method in the first byte of the zlib format (RFC 1950, section 2.2). */
const DEFLATE_METHOD = 8;

/**
 * Decodes the coding `deflate`.
 * Some servers send it without the zlib format (RFC 9110, section 8.4.1.2), as all browsers accept.
 */
function inflateAny(bytes: Buffer, options: ZlibOptions): Buffer {
  const hasHeader = ((bytes[0] ?? 0) & 0x0f) === DEFLATE_METHOD;
  return hasHeader ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
}

/** The text of a body. `error`: why the bytes are not a text of the content type; invalid bytes are then replaced. */
interface DecodedText {
  readonly text: string;
  readonly error?: string;
}

/** Decodes the text of a body with the charset of its content type. JSON is always UTF-8 (RFC 8259, section 8.1). */
function decodeText(contentType: string, bytes: Buffer): DecodedText {
  const plain = bytes.toString();
  if (isJsonType(contentType)) {
    const isValid = tryOrUndefined(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)) !== undefined;
    return isValid ? { text: plain } : { text: plain, error: 'its bytes are not UTF-8 (RFC 8259, section 8.1)' };
  }
  const [, charset] = /;\s*charset="?([^\s;"]+)/i.exec(contentType) ?? [];
  return { text: (charset && tryOrUndefined(() => new TextDecoder(charset).decode(bytes))) || plain };
}

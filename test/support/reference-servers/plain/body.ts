import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Refusal } from './refusal.ts';

const LIMIT_BYTES = 102_400;
// Compression can make a body slightly longer, so a compressed body within the limit can arrive with more bytes.
const SENT_LIMIT_BYTES = LIMIT_BYTES + 1024;
const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)"?/i;
const CHARSETS = ['utf-8', 'utf8'];

const unpackers: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Reads the body of a request. Resolves to its bytes. The bytes are truncated if the body exceeds the size limit. */
export function receive(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      if (size > SENT_LIMIT_BYTES) return;
      size += chunk.length;
      chunks.push(chunk);
      if (size > SENT_LIMIT_BYTES) resolve(Buffer.concat(chunks));
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/**
 * Parses the bytes of a body as JSON, after decompressing them. Throws a `Refusal` if the body is too large, is not JSON, or has another content type or
 * encoding.
 */
export function decode(request: IncomingMessage, sent: Buffer): unknown {
  const { 'content-type': type = '', 'content-encoding': encoding = '' } = request.headers;
  const charset = CHARSET.exec(type)?.[1] ?? 'utf-8';
  if (!JSON_TYPE.test(type) || !CHARSETS.includes(charset.toLowerCase())) throw unsupported('content type', type);
  const bytes = unpacked(sent, encoding.trim().toLowerCase());
  if (bytes.length > LIMIT_BYTES) throw tooLarge();
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw notJson(error);
  }
}

function unpacked(sent: Buffer, encoding: string): Buffer {
  if (encoding === '' || encoding === 'identity') return sent;
  const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  if (!unpack) throw unsupported('content encoding', encoding);
  if (sent.length > SENT_LIMIT_BYTES) throw tooLarge();
  try {
    return unpack(sent, { maxOutputLength: LIMIT_BYTES });
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : notJson(error);
  }
}

function tooLarge(): Refusal {
  return new Refusal('body-too-large', `the body is larger than the limit of ${LIMIT_BYTES} bytes: send less`);
}

function notJson(error: unknown): Refusal {
  return new Refusal('malformed-json', `the body is not JSON: ${error instanceof Error ? error.message : error}`);
}

function unsupported(what: string, value: string): Refusal {
  const remedy = 'send JSON in UTF-8 with Content-Type application/json';
  return new Refusal('unsupported-media-type', `the ${what} is "${value.slice(0, 200)}": ${remedy}`);
}

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Refusal } from './problems.ts';

const MOST_BYTES = 102_400;

/** Reads the body of a request; undefined without a body. Throws if it has another type, is too long or is not JSON. */
export async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const wrongKind = kindRefusal(request);
  const tooLong = new Refusal('body-too-large', `${MOST_BYTES} bytes are the most.`);
  const isPacked = !wrongKind && codingsOf(request).length > 0;
  const bytes = await bytesOf(request, isPacked, wrongKind ?? tooLong);
  if (bytes.length === 0) return undefined;
  if (wrongKind) throw wrongKind;
  return parsed(bytes);
}

function kindRefusal(request: IncomingMessage): Refusal | undefined {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((one) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(one)?.[1])
    .find((one) => one !== undefined);
  const codings = codingsOf(request);
  const isKnownCoding = codings.length === 0 || (codings.length === 1 && /^(x-)?gzip$/.test(codings[0] ?? ''));
  if (type.trim() === 'application/json' && /^utf-?8$/.test(charset ?? 'utf-8') && isKnownCoding) return undefined;
  return new Refusal('unsupported-media-type', 'Only application/json in UTF-8 is read, plain or in gzip.');
}

function codingsOf(request: IncomingMessage): readonly string[] {
  const codings = (request.headers['content-encoding'] ?? '').toLowerCase().split(',');
  return codings.map((one) => one.trim()).filter((one) => one !== '' && one !== 'identity');
}

function bytesOf(request: IncomingMessage, isPacked: boolean, tooLong: Refusal): Promise<Buffer> {
  const source: Readable = isPacked ? request.pipe(createGunzip()) : request;
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    // The rest is read and discarded: closing the connection of a client that is still sending discards the response.
    const giveUp = (reason: Error) => {
      request.unpipe();
      request.resume();
      reject(reason);
    };
    source.on('data', (part: Buffer) => {
      size += part.length;
      if (size > MOST_BYTES) giveUp(tooLong);
      else parts.push(part);
    });
    source.on('end', () => resolve(Buffer.concat(parts)));
    request.on('error', reject);
    if (isPacked) source.on('error', () => giveUp(new Refusal('malformed-json', 'The gzip of the body is broken.')));
  });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal('malformed-json', 'The body is no JSON text in UTF-8.');
  }
}

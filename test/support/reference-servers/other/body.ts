import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Refusal } from './problems.ts';

const MOST_BYTES = 102_400;

/**
 * Reads the JSON body of a request. Resolves to undefined if there is no body. Rejects with a `Refusal` if the body is too large, is not JSON, or has
 * another content type.
 */
export async function getJson(request: IncomingMessage): Promise<unknown> {
  const wrongKind = kindRefusal(request);
  const tooLong = new Refusal('body-too-large', `${MOST_BYTES} bytes are the most.`);
  const isPacked = !wrongKind && getCodings(request).length > 0;
  const bytes = await getBytes(request, isPacked, wrongKind ?? tooLong);
  if (bytes.length === 0) return undefined;
  if (wrongKind) throw wrongKind;
  return parsed(bytes);
}

function kindRefusal(request: IncomingMessage): Refusal | undefined {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((one) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(one)?.[1])
    .find((one) => one !== undefined);
  const codings = getCodings(request);
  const isKnownCoding = codings.length === 0 || (codings.length === 1 && /^(x-)?gzip$/.test(codings[0] ?? ''));
  if (type.trim() === 'application/json' && /^utf-?8$/.test(charset ?? 'utf-8') && isKnownCoding) return undefined;
  return new Refusal('unsupported-media-type', 'Only application/json in UTF-8 is read, plain or in gzip.');
}

function getCodings(request: IncomingMessage): readonly string[] {
  const codings = (request.headers['content-encoding'] ?? '').toLowerCase().split(',');
  return codings.map((one) => one.trim()).filter((one) => one !== '' && one !== 'identity');
}

function getBytes(request: IncomingMessage, isPacked: boolean, tooLong: Refusal): Promise<Buffer> {
  const source: Readable = isPacked ? request.pipe(createGunzip()) : request;
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    // Reads and discards the rest of the body. If the server closed the connection while the client sends, the client would lose the response.
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

import type { IncomingMessage } from 'node:http';

/** Returns whether `receiveSmallText` can receive the body of a request: it is not compressed, and its length is announced and at most `limit` bytes. */
export function hasSmallBody({ headers }: IncomingMessage, limit: number): boolean {
  const isPlain = headers['content-encoding'] === undefined && headers['transfer-encoding'] === undefined;
  return isPlain && Number(headers['content-length']) <= limit;
}

/**
 * Receives a body that `hasSmallBody` accepts, as text in UTF-8 without a byte order mark. Takes less time than co-body. Node's parser ends the body
 * after the announced length. Rejects if the client disconnects before.
 */
export function receiveSmallText(req: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    if (req.destroyed) reject(new Error('request aborted'));
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => resolve(decode(chunks)));
    req.on('error', reject);
  });
}

const BYTE_ORDER_MARK = '\ufeff';

function decode(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  const text = chunks.length === 1 && first ? first.toString() : Buffer.concat(chunks).toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

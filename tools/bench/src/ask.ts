import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Fault } from './measurement.ts';
import type { ShopRequest } from './requests.ts';

/** The address that everything is measured over. */
export const LOOPBACK = '127.0.0.1';

const PATIENCE_MS = 10_000;

/** One answer, read to its end. */
export interface Reply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly cacheControl: string | undefined;
  readonly body: string;
}

/** The answer to one request, over a connection of its own. Rejects with a Fault if its status isn't the one expected. */
export async function ask(port: number, question: ShopRequest): Promise<Reply> {
  const message = await send(port, question);
  const { statusCode: status = 0, headers } = message;
  const body = await text(message);
  if (status !== question.status) {
    throw new Fault(`${question.name} was answered ${status} instead of ${question.status}: ${body.slice(0, 500)}`);
  }
  return { status, contentType: headers['content-type'], cacheControl: headers['cache-control'], body };
}

function send(port: number, { name, method, path, body }: ShopRequest): Promise<IncomingMessage> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const sent = request({ host: LOOPBACK, port, method, path, headers, agent: false, signal }, resolve);
    sent.on('error', (error) =>
      reject(signal.aborted ? new Fault(`${name} was not answered within ${PATIENCE_MS} ms`) : error),
    );
    sent.end(body);
  });
}

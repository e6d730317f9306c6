import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { BenchError } from './measurement.ts';
import type { ShopRequest } from './requests.ts';

/** The address on which all servers listen. */
export const LOOPBACK = '127.0.0.1';

const TIME_LIMIT_MS = 10_000;

/** A response with its complete body. */
export interface BenchResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly cacheControl: string | undefined;
  readonly body: string;
}

/**
 * Sends a request over a new connection. Returns the response. Rejects with a `BenchError` if the response has an unexpected status or does not arrive
 * within 10 s.
 */
export async function sendRequest(port: number, shopRequest: ShopRequest): Promise<BenchResponse> {
  const message = await send(port, shopRequest);
  const { statusCode: status = 0, headers } = message;
  const body = await text(message);
  if (status !== shopRequest.status) {
    throw new BenchError(
      `${shopRequest.name} returned ${status} instead of ${shopRequest.status}: ${body.slice(0, 500)}`,
    );
  }
  return { status, contentType: headers['content-type'], cacheControl: headers['cache-control'], body };
}

function send(port: number, { name, method, path, body }: ShopRequest): Promise<IncomingMessage> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS);
    const sent = request({ host: LOOPBACK, port, method, path, headers, agent: false, signal }, resolve);
    sent.on('error', (error) =>
      reject(signal.aborted ? new BenchError(`${name} got no response within ${TIME_LIMIT_MS} ms`) : error),
    );
    sent.end(body);
  });
}

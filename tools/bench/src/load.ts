import autocannon from 'autocannon';
import { BenchError } from './measurement.ts';
import { type ShopRequest, withVariants } from './requests.ts';
import { LOOPBACK } from './send-request.ts';
import type { Server } from './server.ts';

/** The number of concurrent connections. Each connection sends its next request as soon as it has received a response. */
export const CONNECTIONS = 50;

/** How often autocannon checks whether all responses have arrived, in ms. */
const DONE_CHECK_MS = 10;
/** The maximum duration of a load, in seconds. It is many times longer than a load takes, and ends the measurement if a server does not respond. */
const LIMIT_SECONDS = 15;

/**
 * Sends `amount` requests: a request and its variants in turn. Returns the time from the first request to the last response, in seconds. Throws a
 * `BenchError` if a response is missing or has an unexpected status.
 */
export async function load(server: Server, request: ShopRequest, amount: number): Promise<number> {
  const { result, seconds } = await runLoad({ ...options(server.port, request), amount });
  if (countExpected(request, result) !== amount || result.errors > 0)
    throw new BenchError(describeFailure(server, request, amount, result));
  return seconds;
}

function countExpected({ status }: ShopRequest, { statusCodeStats = {} }: autocannon.Result): number {
  return statusCodeStats[`${status}`]?.count ?? 0;
}

/**
 * Runs autocannon until it has received all responses or the time limit is reached. Measures the time without autocannon, because autocannon only notices
 * the last response at its next check.
 */
function runLoad(load: autocannon.Options): Promise<{ result: autocannon.Result; seconds: number }> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    let answeredMs = startedMs;
    const run = autocannon(load, (error: Error | null, result) => {
      clearTimeout(limit);
      if (error) reject(error);
      else resolve({ result, seconds: (answeredMs - startedMs) / 1_000 });
    });
    const limit = setTimeout(() => run.stop?.(), LIMIT_SECONDS * 1_000);
    run.on('response', () => {
      answeredMs = performance.now();
    });
  });
}

function options(port: number, request: ShopRequest): autocannon.Options {
  const requests = withVariants(request).map(({ method, path, body }) => ({
    method,
    path,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  }));
  const url = `http://${LOOPBACK}:${port}`;
  return { url, requests, connections: CONNECTIONS, sampleInt: DONE_CHECK_MS, bailout: 1 };
}

function describeFailure({ name }: Server, request: ShopRequest, amount: number, result: autocannon.Result): string {
  const { errors, timeouts } = result;
  return (
    `${name}: ${countExpected(request, result)} of ${amount} requests ${request.name} had a response with status ${request.status} within ${LIMIT_SECONDS} s; ` +
    `${errors} requests failed, ${timeouts} of them with a timeout`
  );
}

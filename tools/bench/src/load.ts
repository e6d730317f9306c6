import autocannon from 'autocannon';
import { LOOPBACK } from './ask.ts';
import { Fault } from './measurement.ts';
import type { ShopRequest } from './requests.ts';
import type { Server } from './server.ts';

/** How many connections ask at the same time, each for its next answer as soon as it has one. */
export const CONNECTIONS = 50;

/** How often autocannon looks whether it is done, in ms. */
const DONE_CHECK_MS = 10;
/** Many times what any load here takes: a server that hangs ends the measurement. */
const LIMIT_SECONDS = 15;

/** The time, in s, from the first of `amount` equal requests to the last answer. Throws a Fault unless each was answered 2xx. */
export async function load(server: Server, request: ShopRequest, amount: number): Promise<number> {
  const { result, seconds } = await fire({ ...options(server.port, request), amount });
  if (result['2xx'] !== amount || result.non2xx + result.errors > 0)
    throw new Fault(complaint(server, request, amount, result));
  return seconds;
}

/** Runs autocannon to its end or the limit. The seconds are counted here, as it sees its own end only at its next check. */
function fire(load: autocannon.Options): Promise<{ result: autocannon.Result; seconds: number }> {
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

function options(port: number, { method, path, body }: ShopRequest): autocannon.Options {
  const url = `http://${LOOPBACK}:${port}${path}`;
  const common = { url, method, connections: CONNECTIONS, sampleInt: DONE_CHECK_MS, bailout: 1 };
  return body === undefined ? common : { ...common, body, headers: { 'content-type': 'application/json' } };
}

function complaint({ name }: Server, request: ShopRequest, amount: number, result: autocannon.Result): string {
  const { '2xx': good, non2xx, errors, timeouts } = result;
  return (
    `${name}: of ${amount} times ${request.name}, ${good} were answered 2xx within ${LIMIT_SECONDS} s and ${non2xx} otherwise; ` +
    `${errors} failed, ${timeouts} of them for lack of an answer`
  );
}

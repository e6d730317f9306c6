import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { Client, isRateLimit } from './client.ts';
import { type Exchange, isSuccess, type RequestToSend } from './exchange.ts';
import { toRequest } from './requests.ts';
import { createViolation } from './rules.ts';
import { completeRequest, createFinding, NO_RESPONSE } from './session.ts';
import { NoResponseError } from './transport.ts';

/** The minimum time to wait for a response over the same connection, in ms. */
const MIN_TIMEOUT_MS = 2_000;

/** A response over a reused connection may take this many times longer than the one before. */
const MAX_SLOWDOWN = 10;

/** The number of times that a request must fail over the same connection. */
const REPETITIONS = 3;

/** The sizes of the refused bodies, in bytes. A server can respond to a large body before it has read it. */
const BODY_BYTES = [8, 100_000];

/**
 * Checks that a connection can be used after a refused request (RFC 9112, section 9.3): sends a body that is not JSON
 * to `route`, and then a request to `probe` over the same connection.
 */
export async function checkKeptConnection(context: CheckContext, route: Route, probe: Route): Promise<void> {
  const { session, requests, seed } = context;
  // Another operation has shown the defect.
  if (!session.client.reusesConnections) return;
  const values = requests.createMinimal(route, seed);
  const probeValues = requests.createMinimal(probe, seed);
  if (!values || !probeValues) return;
  const toComplete = (one: Route, request: RequestToSend) => completeRequest(session.client, one, request);
  const following = toComplete(probe, toRequest(probe, probeValues));
  for (const bytes of BODY_BYTES) {
    const invalid = { ...toRequest(route, values), body: `{"x": "${'x'.repeat(bytes)}` };
    const refused = toComplete(route, invalid);
    for (let time = 1; time <= REPETITIONS; time++) {
      const problem = await findProblem(context, route, { refused, following });
      if (!problem) break;
      if (time < REPETITIONS) continue;
      const { exchange, message } = problem;
      const violation = createViolation('usable-connection', { message, pointer: route.pointer });
      // Without this, many other requests of the check would fail because of this defect.
      for (const client of session.clients) client.stopReusingConnections();
      const failed = { request: following, response: NO_RESPONSE };
      const finding = createFinding('behaviour', route, exchange, violation);
      return session.results.add({ ...finding, exchanges: [exchange, failed] });
    }
  }
}

/** Returns the refused request, and how the following request failed; undefined if the connection stays usable. */
async function findProblem(
  { session }: CheckContext,
  route: Route,
  { refused, following }: { readonly refused: RequestToSend; readonly following: RequestToSend },
): Promise<{ readonly exchange: Exchange; readonly message: string } | undefined> {
  const { url, headers, query, access } = session.client;
  const client = new Client(url, headers, { query, access, signal: session.signal });
  try {
    const startMs = performance.now();
    const before = await client.send(following);
    const timeoutMs = Math.max(MIN_TIMEOUT_MS, MAX_SLOWDOWN * (performance.now() - startMs));
    const response = await client.send(refused);
    if (!isSuccess(before) || response.status < 400 || response.status >= 500 || isRateLimit(response))
      return undefined;
    session.results.coverage.countRule('usable-connection', route);
    const exchange = { request: refused, response };
    const problem = await describeNext(client, following, { timeoutMs, status: before.status });
    const message = `The connection cannot be used after the response with status ${response.status}: the next request gets ${problem}. Read the whole request body, or close the connection and announce it with "Connection: close"`;
    return problem === undefined ? undefined : { exchange, message };
  } catch (error) {
    if (error instanceof NoResponseError) return undefined;
    throw error;
  } finally {
    client.close();
  }
}

async function describeNext(
  client: Client,
  request: RequestToSend,
  { timeoutMs, status }: { readonly timeoutMs: number; readonly status: number },
): Promise<string | undefined> {
  try {
    const next = await client.send(request, timeoutMs);
    const isOther = next.status >= 400 && next.status < 500 && !isRateLimit(next);
    return isOther ? `status ${next.status} instead of ${status}` : undefined;
  } catch (error) {
    if (error instanceof NoResponseError) return 'no response';
    throw error;
  }
}

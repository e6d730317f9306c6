import type { Route } from '../openapi/routes.ts';
import { isRateLimit } from './client.ts';
import { type Exchange, isSuccess } from './exchange.ts';
import { createViolation } from './rules.ts';
import { completeRequest, createFinding, type Session } from './session.ts';
import { NoResponseError } from './transport.ts';

/** Adds a finding for each operation with two different responses that have the same ETag (RFC 9110, section 8.8.1). */
export function reportSameTags({ etags, results }: Session): void {
  for (const [route, exchanges] of etags.same) {
    const [first] = exchanges as readonly [Exchange];
    const message = `Two responses with different bodies have the ETag ${first.response.headers.etag}. A client that sends it with If-None-Match or If-Match uses an outdated body`;
    const violation = createViolation('etag-changes', { message, pointer: route.pointer });
    results.add({ ...createFinding('behaviour', route, first, violation), exchanges });
  }
}

/** An ETag that no resource has. */
const UNKNOWN_TAG = '"storefront-check"';

/**
 * Checks that operations whose responses have an ETag do not respond with 304 to a request for another ETag (RFC 9110,
 * section 13.1.2).
 */
export async function checkConditionalRequests(session: Session, routes: readonly Route[]): Promise<void> {
  const { client, results, etags } = session;
  for (const [route, plain] of etags.tagged) {
    if (!routes.includes(route)) continue;
    const request = completeRequest(client, route, plain);
    const conditional = { ...request, headers: { ...request.headers, 'if-none-match': UNKNOWN_TAG } };
    try {
      const response = await client.send(conditional);
      if (isRateLimit(response)) continue;
      results.coverage.countRule('not-modified', route);
      if (response.status !== 304 || !isSuccess(await client.send(request))) continue;
      const message = `Status 304 for the ETag ${UNKNOWN_TAG}, which the resource does not have`;
      const violation = createViolation('not-modified', { message, pointer: route.pointer });
      results.add(createFinding('behaviour', route, { request: conditional, response }, violation));
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
    }
  }
}

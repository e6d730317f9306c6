import { MAX_BODY_BYTES } from '../../util/limits.ts';
import { parseQuery } from '../../util/request-target.ts';
import { HttpProblemError } from '../problem.ts';
import { NO_PREFERENCES, parsePreferences } from './preferences.ts';
import type { OperationRequest, ValidRequest } from './values.ts';

/** Receives a request to its end, and validates it. Throws `HttpProblemError` for a preference, a body or a parameter that is not valid. */
export async function validateRequest({ request, target, route }: OperationRequest): Promise<ValidRequest> {
  const { headers } = request;
  const { api, location } = target;
  const sentQuery = parseQuery(location.querystring);
  const { preferences, query } = api.isSimulated
    ? parsePreferences(headers.prefer?.toString() || undefined, sentQuery)
    : { preferences: NO_PREFERENCES, query: sentQuery };
  const { body, contentType } = await request.body.read(Object.keys(route.bodyMedia), api.getBodyOptions?.(route));
  const isLarge = (request.body.text?.length ?? 0) > MAX_BODY_BYTES;
  const sent = { path: location.path, query, headers, body, contentType, isLarge };
  const received = api.contract.validateRequest(route, sent);
  if (received.kind === 'call') return { input: received.input, preferences, query, notes: received.notes };
  const { detail, violations } = received;
  throw new HttpProblemError({ code: 'invalid-request', detail, violations });
}

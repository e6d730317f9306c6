import type { Route } from '../../openapi/routes.ts';
import type { OperationInput } from '../../openapi/validate-request.ts';
import { parseQuery } from '../../util/request-target.ts';
import { HttpProblemError } from '../problem.ts';
import { MAX_BODY_BYTES } from './body.ts';
import { NO_PREFERENCES, type Preferences, parsePreferences } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import type { Api, Location } from './values.ts';

/** A request with valid parameters and a valid body. */
export interface ValidRequest {
  readonly input: OperationInput;
  readonly preferences: Preferences;
  /** The query as it was sent, without preferences. */
  readonly query: OperationInput['query'];
  /** What was ignored, a sentence each. */
  readonly notes: readonly string[];
}

/** Receives a request to its end, and validates it. Throws `HttpProblemError` for a preference, a body or a parameter that is not valid. */
export async function validateRequest(
  api: Api,
  request: HttpRequest,
  { route, location }: { readonly route: Route; readonly location: Location },
): Promise<ValidRequest> {
  const { headers } = request;
  const sentQuery = parseQuery(location.querystring);
  const { preferences, query } = api.isSimulated
    ? parsePreferences(headers.prefer?.toString() || undefined, sentQuery)
    : { preferences: NO_PREFERENCES, query: sentQuery };
  const { body, contentType } = await request.body.read(Object.keys(route.bodyMedia), api.getBodyOptions(route));
  const isLarge = (request.body.text?.length ?? 0) > MAX_BODY_BYTES;
  const received = api.contract.validateRequest(route, {
    path: location.path,
    query,
    headers,
    body,
    contentType,
    isLarge,
  });
  if (received.kind === 'call') return { input: received.input, preferences, query, notes: received.notes };
  throw new HttpProblemError({
    code: 'invalid-request',
    detail: received.detail,
    violations: received.violations,
  });
}

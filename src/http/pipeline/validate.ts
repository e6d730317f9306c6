import { findExampleNames } from '../../mock/choose-response.ts';
import type { ResponseViolation } from '../../openapi/responses.ts';
import { MAX_BODY_BYTES } from '../../util/limits.ts';
import { hasTooManyParameters, MAX_PARAMETERS, parseQuery } from '../../util/request-target.ts';
import type { AppParts } from '../parts.ts';
import type { HttpProblem } from '../problem.ts';
import { PROBLEM_HEADERS } from '../response-headers.ts';
import { getIdempotencyKey } from './idempotency.ts';
import { serializeList } from './long-list.ts';
import type { Outcome, ResponseData } from './outcome.ts';
import { NO_PREFERENCES, parsePreferences } from './preferences.ts';
import { createProblemResponse } from './response.ts';
import type { OperationRequest, Target, ValidRequest } from './values.ts';
import { readXmlBody } from './xml-body.ts';

/**
 * Receives a whole request and validates it. Returns a problem (error response) if the credentials, a parameter or the body are invalid. The problem is not
 * thrown, because creating an `Error` takes as long as the validation. Throws an `HttpProblemError` if a preference or the idempotency key is invalid, or if
 * the body can't be read.
 */
export async function validateRequest(operation: OperationRequest): Promise<ValidRequest | HttpProblem> {
  const { request, target, route } = operation;
  const { api, location } = target;
  if (hasTooManyParameters(location.querystring)) return TOO_MANY_PARAMETERS;
  const sentQuery = parseQuery(location.querystring);
  const refused = api.authenticate?.(route.security, { headers: request.headers, query: sentQuery });
  if (refused) return refused;
  const { preferences, query } = api.isContractApi
    ? parsePreferences(request.headers, sentQuery)
    : { preferences: NO_PREFERENCES, query: sentQuery };
  const received = await request.body.read(Object.keys(route.bodyMedia), api.getBodyOptions?.(route));
  const { text } = request.body;
  const isLarge = (text?.length ?? 0) > MAX_BODY_BYTES;
  const { contentType } = received;
  const body = received.body === undefined ? readXmlBody(api.contract, route, { contentType, text }) : received.body;
  const sent = { path: location.path, query, headers: request.headers, ...received, body, isLarge };
  const result = api.contract.validateRequest(route, sent);
  const idempotencyKey = api.isContractApi ? getIdempotencyKey(request) : undefined;
  if (result.kind === 'call') return { input: result.input, preferences, query, notes: result.notes, idempotencyKey };
  const { detail, violations } = result;
  const exampleNames = api.isContractApi ? findExampleNames(route, result.input) : [];
  return { code: 'invalid-request', detail, violations, exampleNames };
}

const TOO_MANY_PARAMETERS: HttpProblem = {
  code: 'invalid-request',
  detail: `the query has more than ${MAX_PARAMETERS} parameters: send fewer parameters`,
  violations: [{ in: 'query', pointer: '', rule: 'maxProperties', remedy: 'send fewer parameters' }],
};

/**
 * Validates the response of an operation against the contract, and logs violations. Skips responses of injected faults and error responses of the engine. With
 * `verify: 'strict'`, replaces an invalid response with a problem document (RFC 9457).
 */
export function verifyResponse(parts: AppParts, target: Target, outcome: Outcome): Outcome {
  const { api, route } = target;
  const { response } = outcome;
  if (!route || !response || !isVerified(parts, outcome)) return outcome;
  // A problem document can have more properties than the contract documents (RFC 9457, section 3.2).
  const isProblem = response.headers?.['Content-Type'] === PROBLEM_HEADERS['Content-Type'];
  const violations = api.contract.verifyResponse(route, response, {
    closed: api.isClosed(route) && !isProblem,
    // The server has reported invalid examples at the start.
    allowsExamples: parts.options.verify !== 'strict',
  });
  return violations.length === 0 ? outcome : addViolations(parts, target, { ...outcome, response }, violations);
}

/** Validates a response with a long list against the contract, and converts the list to JSON. The server can handle other requests while this function runs. */
export async function verifyLongList(parts: AppParts, target: Target, outcome: ListOutcome): Promise<Outcome> {
  const { api, route } = target;
  const { response } = outcome;
  const violations =
    route && isVerified(parts, outcome)
      ? await api.contract.verifyListInSlices(
          route,
          { ...response, body: response.list },
          { closed: api.isClosed(route), allowsExamples: parts.options.verify !== 'strict' },
        )
      : [];
  const verified = violations.length === 0 ? outcome : addViolations(parts, target, outcome, violations);
  // A fault that cuts or slows the body needs the body as one text, and not in pieces.
  if (verified.response !== response || outcome.transport) return verified;
  return { ...verified, response: { ...response, pieces: await serializeList(response.list) } };
}

/** Returns whether the body of the response is a long list, which must be processed in slices. */
export function hasLongList(outcome: Outcome): outcome is ListOutcome {
  return outcome.response?.list !== undefined;
}

/** An outcome whose response is a long list. */
type ListOutcome = WithResponse & { readonly response: { readonly list: readonly unknown[] } };

type WithResponse = Outcome & { readonly response: ResponseData };

/** Returns whether the response of an outcome must be validated against the contract. */
function isVerified({ options: { verify } }: AppParts, { response, effects, isRefusal }: Outcome): boolean {
  const isInjected = effects?.faults !== undefined && (effects.status ?? effects.example) !== undefined;
  return verify !== 'off' && !response?.stream && !isInjected && !isRefusal;
}

function describeViolation({ message, findExample }: ResponseViolation): string {
  const example = findExample?.();
  return example === undefined ? message : `${message}, as in the example at ${example}: correct the example`;
}

/** Logs the violations of a response. With `verify: 'strict'`, replaces the response with a problem document. */
function addViolations(
  { log, options }: AppParts,
  { route, location }: Target,
  outcome: WithResponse,
  violations: readonly ResponseViolation[],
): Outcome {
  const { status } = outcome.response;
  const operationId = route?.operationId;
  // The server has reported invalid examples at the start.
  const unknown =
    options.verify === 'strict' ? violations : violations.filter((violation) => !violation.findExample?.());
  if (unknown.length > 0)
    log.error({ operation: operationId, status, responseViolations: unknown }, 'response violates the contract');
  const responseViolations = violations.map(describeViolation);
  const verified = { ...outcome, revision: undefined, responseViolations };
  if (options.verify !== 'strict') return verified;
  const detail = `the response of ${operationId} with status ${status} violates the contract: ${responseViolations.join('; ')}`;
  const path = location.prefix + location.pathname;
  return { ...verified, response: createProblemResponse({ code: 'internal-error', detail }, path) };
}

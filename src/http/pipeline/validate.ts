import { MAX_BODY_BYTES } from '../../util/limits.ts';
import { parseQuery } from '../../util/request-target.ts';
import type { AppParts } from '../parts.ts';
import type { HttpProblem } from '../problem.ts';
import { NO_PREFERENCES, parsePreferences } from './preferences.ts';
import { createProblemResponse } from './response.ts';
import type { OperationRequest, Outcome, Target, ValidRequest } from './values.ts';

/**
 * Receives a whole request and validates it. Returns a problem if a parameter or the body is invalid: an error would take as long as the validation. Throws an
 * `HttpProblemError` if a preference is invalid or the body can't be read.
 */
export async function validateRequest(operation: OperationRequest): Promise<ValidRequest | HttpProblem> {
  const { request, target, route } = operation;
  const { api, location } = target;
  const sentQuery = parseQuery(location.querystring);
  const { preferences, query } = api.isContractApi
    ? parsePreferences(request.headers, sentQuery)
    : { preferences: NO_PREFERENCES, query: sentQuery };
  const { body, contentType } = await request.body.read(Object.keys(route.bodyMedia), api.getBodyOptions?.(route));
  const isLarge = (request.body.text?.length ?? 0) > MAX_BODY_BYTES;
  const sent = { path: location.path, query, headers: request.headers, body, contentType, isLarge };
  const received = api.contract.validateRequest(route, sent);
  if (received.kind === 'call') return { input: received.input, preferences, query, notes: received.notes };
  const { detail, violations } = received;
  return { code: 'invalid-request', detail, violations };
}

/**
 * Validates the response of an operation against the contract, and logs violations. Ignores responses of faults and problem documents of the engine. With
 * `verify: 'strict'`, replaces a response that violates the contract with a problem document.
 */
export function verifyResponse(
  { log, options }: AppParts,
  { api, route, location }: Target,
  outcome: Outcome,
): Outcome {
  const { verify = 'log' } = options;
  const { response, effects } = outcome;
  const isInjected = effects?.faults !== undefined && (effects.status ?? effects.example) !== undefined;
  if (verify === 'off' || !route || !response || response.stream || isInjected || outcome.isRefusal) return outcome;
  const violations = api.contract.verifyResponse(route, response, { closed: api.isClosed(route) });
  if (violations.length === 0) return outcome;
  const { status } = response;
  log.error({ operation: route.operationId, status, responseViolations: violations }, 'response violates the contract');
  const responseViolations = violations.map(({ message }) => message);
  const verified = { ...outcome, revision: undefined, responseViolations };
  if (verify !== 'strict') return verified;
  const detail = `the response of ${route.operationId} with status ${status} violates the contract: ${responseViolations.join('; ')}`;
  const path = location.prefix + location.pathname;
  return { ...verified, response: createProblemResponse({ code: 'internal-error', detail }, path) };
}

import type { PipelineParts } from '../parts.ts';
import { createProblemResponse } from './response.ts';
import type { Draft, Target } from './values.ts';

/** Verifies the response of an operation against the contract, unless a fault or a refusal by the engine has replaced it. Each violation is logged. */
export function verifyResponse({ log, verify }: PipelineParts, { api, route, location }: Target, draft: Draft): Draft {
  const { response, forced } = draft;
  const isInjected = forced?.faults !== undefined && (forced.status ?? forced.example) !== undefined;
  if (verify === 'off' || !route || !response || response.stream || isInjected || draft.isRefusal) return draft;
  const violations = api.contract.verifyResponse(route, response, { closed: api.isClosed(route) });
  if (violations.length === 0) return draft;
  const { operationId } = route;
  const fields = { operation: operationId, status: response.status, responseViolations: violations };
  log.error(fields, 'response violates the contract');
  const responseViolations = violations.map(({ message }) => message);
  const verified = { ...draft, revision: undefined, responseViolations };
  if (verify !== 'strict') return verified;
  const detail = `the response of ${operationId} with status ${response.status} violates the contract: ${responseViolations.join('; ')}`;
  const path = location.prefix + location.pathname;
  return { ...verified, response: createProblemResponse({ code: 'internal-error', detail }, path) };
}

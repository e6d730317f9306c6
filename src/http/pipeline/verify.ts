import type { PipelineParts } from '../parts.ts';
import { internalError } from '../problem.ts';
import { createProblemResponse, type ResponseData } from './response.ts';
import type { Draft, Target } from './values.ts';

/** Verifies the response of an operation against the contract. A violation is logged each time. The response of a fault may violate the contract. */
export function verifyResponse({ log, verify }: PipelineParts, { api, route, location }: Target, draft: Draft): Draft {
  const { response, forced } = draft;
  const isInjected = forced?.faults !== undefined && (forced.status ?? forced.example) !== undefined;
  if (verify === 'off' || !route || !response || response.stream || isInjected) return draft;
  const violations = api.contract.verifyResponse(route, response, { closed: api.isClosed(route) });
  if (violations.length === 0) return draft;
  const { operationId } = route;
  const fields = { operation: operationId, status: response.status, responseViolations: violations };
  log.error(fields, 'an answer breaks the contract');
  const responseViolations = violations.map(({ message }) => message);
  const verified = { ...draft, revision: undefined, responseViolations };
  // The detail of an internal error says already what is wrong.
  if (verify !== 'strict' || isInternalError(response)) return verified;
  const detail = `the answer to ${operationId} with status ${response.status} breaks the contract: ${responseViolations.join('; ')}`;
  const path = location.prefix + location.pathname;
  return { ...verified, response: createProblemResponse({ code: 'internal-error', detail }, path) };
}

function isInternalError({ status, body }: ResponseData): boolean {
  return (
    status === 500 && (body as { readonly type?: unknown } | undefined)?.type === `/problems/${internalError.code}`
  );
}

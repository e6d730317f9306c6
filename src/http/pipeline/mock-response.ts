import { InvalidPreferenceError } from '../../mock/choose-response.ts';
import { type Mock, MockError } from '../../mock/mock.ts';
import { createErrorResponse, getMethodsAtPath } from '../../mock/status-problem.ts';
import { replaceBodyAndHeaders } from '../../mock/validate-fault.ts';
import { findResponse, type ResponseToVerify } from '../../openapi/responses.ts';
import type { ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import type { ServedContract } from '../parts.ts';
import { HttpProblemError, toUriReference } from '../problem.ts';
import { createPreferenceError, formatPreferenceApplied, type Preferences } from './preferences.ts';
import type { OperationCall, ResponseData } from './values.ts';

/** Creates a mock response with the preferences of the request. Throws an `HttpProblemError` if the contract does not document the preferred response. */
export function createPreferredResponse(parts: ServedContract, call: OperationCall): ResponseData {
  const { preferences } = call;
  const response = withInstance(parts, call, createMockResponse(parts.mock, call, preferences.choice));
  const applied = formatPreferenceApplied(preferences, true);
  if (applied === undefined) return response;
  return { ...response, headers: { ...response.headers, 'Preference-Applied': applied } };
}

/**
 * Creates the response of a fault. If the contract documents the status, this is a mock response; otherwise it is a generic error. The body and the headers of
 * the fault replace those of the response.
 */
export function createFaultResponse(parts: ServedContract, call: OperationCall, fault: ForcedResponse): ResponseData {
  const { route } = call;
  const { status: code, example, body, headers = {} } = fault;
  const isDocumented = code === undefined || findResponse(route.responses, code) !== undefined;
  const response = isDocumented
    ? createMockResponse(parts.mock, call, { code, example })
    : createErrorResponse(parts.contract, getMethodsAtPath(parts.contract, route), code);
  const located = body === undefined ? withInstance(parts, call, response) : response;
  return { ...replaceBodyAndHeaders(route, located, fault), exposedHeaders: Object.keys(headers) };
}

function createMockResponse(mock: Mock, call: OperationCall, choice: Preferences['choice']): ResponseToVerify {
  const { route, input, request, preferences } = call;
  try {
    return mock.createResponse(route, input, choice, request.headers.accept ?? '');
  } catch (error) {
    if (error instanceof InvalidPreferenceError)
      throw createPreferenceError(error.preference, preferences.sources[error.preference], error);
    if (error instanceof MockError) throw new HttpProblemError({ code: 'internal-error', detail: error.message });
    throw error;
  }
}

/** Sets the property `instance` of a problem document to the path of the request, if the contract allows this value. */
function withInstance({ contract }: ServedContract, { route, target }: OperationCall, response: ResponseToVerify) {
  const { status, body } = response;
  if (status < 400 || !hasInstance(body)) return response;
  const instance = toUriReference(target.location.prefix + target.location.pathname);
  const located = { ...response, body: { ...body, instance } };
  const isViolation =
    findResponse(route.responses, status) && contract.verifyResponse(route, located, { closed: false }).length > 0;
  return isViolation ? response : located;
}

function hasInstance(body: unknown): body is { readonly instance: string } {
  return typeof body === 'object' && body !== null && 'instance' in body && typeof body.instance === 'string';
}

import type { HandlerResponse } from '../../application.ts';
import { InvalidPreferenceError } from '../../mock/choose-response.ts';
import { type Mock, MockError, type MockResponse } from '../../mock/mock.ts';
import { replaceBodyAndHeaders } from '../../mock/validate-fault.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import type { ServedContract } from '../parts.ts';
import { HttpProblemError, toUriReference } from '../problem.ts';
import type { ResponseData } from './outcome.ts';
import { createPreferenceError, formatPreferenceApplied, type Preferences } from './preferences.ts';
import type { OperationCall } from './values.ts';

/**
 * Generates a response from the contract. The preferences of the request (RFC 7240), such as `Prefer: code=404`, select the response. Throws an
 * `HttpProblemError` if the contract does not document the selected response.
 */
export function createPreferredResponse(parts: ServedContract, call: OperationCall): ResponseData {
  const { preferences } = call;
  const response = withInstance(parts, call, createMockResponse(parts.mock, call, preferences.choice));
  const applied = formatPreferenceApplied(preferences, true);
  if (applied === undefined) return response;
  return { ...response, headers: { ...response.headers, 'Preference-Applied': applied } };
}

/**
 * Creates the response of an injected fault. Generates a response from the contract, and then sets the body and the headers that the fault defines. If the
 * contract does not document the status, uses the format that the contract documents for other errors.
 */
export function createFaultResponse(parts: ServedContract, call: OperationCall, fault: ForcedResponse): ResponseData {
  const { route } = call;
  const { status: code, example, body } = fault;
  const isDocumented = code === undefined || findResponse(route.responses, code) !== undefined;
  const response: MockResponse = isDocumented
    ? createMockResponse(parts.mock, call, { code, example })
    : parts.mock.createUndocumentedError(route, code, call.request.headers.accept ?? '');
  const located = body === undefined ? withInstance(parts, call, response) : response;
  const replaced = replaceBodyAndHeaders(route, located, fault);
  return {
    ...replaced,
    example: body === undefined ? located.example : undefined,
  };
}

function createMockResponse(mock: Mock, call: OperationCall, choice: Preferences['choice']): MockResponse {
  const { route, input, request, preferences } = call;
  try {
    return mock.createResponse(route, input, choice, request.headers.accept ?? '');
  } catch (error) {
    if (error instanceof InvalidPreferenceError) {
      const { preference, message, remedy } = error;
      const hint = preference === 'code' && (choice.code ?? 0) >= 400 ? ', or add a fault with this status' : '';
      const described = { message: message + hint, remedy: remedy + hint };
      throw createPreferenceError(preference, preferences.sources[preference], described);
    }
    if (error instanceof MockError) throw new HttpProblemError({ code: 'internal-error', detail: error.message });
    throw error;
  }
}

/** Adds a generated body to an error response without a body that a user's handler returned. Returns other responses unchanged. */
export function addErrorBody(parts: ServedContract, call: OperationCall, response: HandlerResponse): HandlerResponse {
  const { status = 200, body, headers } = response;
  const isDocumented = Object.keys(findResponse(call.route.responses, status)?.media ?? {}).length > 0;
  if (status < 400 || body !== undefined || !isDocumented) return response;
  const mocked = withInstance(parts, call, createMockResponse(parts.mock, call, { code: status }));
  return { status, body: mocked.body, headers: { ...mocked.headers, ...headers } };
}

/**
 * Sets the property `instance` of a problem document (RFC 9457) to the path of the request. Returns the response unchanged if the body has no `instance`, or if
 * the contract does not allow the path there.
 */
function withInstance(
  { contract }: ServedContract,
  { route, target }: OperationCall,
  response: MockResponse,
): MockResponse {
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

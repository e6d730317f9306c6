import type { HandlerResponse } from '../application.ts';
import type { ForcedResponse } from '../faults/fault.ts';
import { replaceBodyAndHeaders } from '../faults/validate.ts';
import { findPreferenceIssue, formatPreferenceIssue } from '../mock/choose-response.ts';
import { canFormat, chooseMediaType, createSampleFile, isAcceptable, toContentType } from '../mock/media-types.ts';
import type { MockResponse } from '../mock/mock.ts';
import { getTarget, toNode } from '../openapi/document.ts';
import { type DocumentedMedia, type DocumentedResponse, findResponse } from '../openapi/responses.ts';
import { toUriReference } from '../util/request-target.ts';
import type { OperationExchange, ResponseData } from './exchange.ts';
import { createPreferenceError, formatPreferenceApplied, type Preferences } from './preferences.ts';

/**
 * Generates a response from the contract.
 * The preferences of the request (RFC 7240), such as `Prefer: code=404`, select the response.
 * Throws an `HttpProblemError` if the contract does not document the selected response.
 */
export function createPreferredResponse(exchange: OperationExchange): ResponseData {
  const { preferences } = exchange;
  const response = withInstance(exchange, createMockResponse(exchange, preferences.choice));
  const applied = formatPreferenceApplied(preferences, true);
  if (applied === undefined) return response;
  return { ...response, headers: { ...response.headers, 'Preference-Applied': applied } };
}

/**
 * Creates the response of an injected fault.
 * Generates a response from the contract, and then sets the body and the headers that the fault defines.
 * If the contract does not document the status, uses the format that the contract documents for other errors.
 */
export function createFaultResponse(exchange: OperationExchange, fault: ForcedResponse): ResponseData {
  const { app, route, headers } = exchange;
  const { status: code, example, body } = fault;
  const isDocumented = code === undefined || findResponse(route.responses, code) !== undefined;
  const response: MockResponse = isDocumented
    ? createMockResponse(exchange, { code, example })
    : app.mock.createUndocumentedError(route, code, headers.accept ?? '');
  const located = body === undefined ? withInstance(exchange, response) : response;
  const replaced = replaceBodyAndHeaders(route, located, fault);
  return {
    ...replaced,
    example: body === undefined ? located.example : undefined,
    items: body === undefined ? located.items : undefined,
  };
}

function createMockResponse(exchange: OperationExchange, choice: Preferences['choice']): MockResponse {
  const { app, route, input, headers, preferences } = exchange;
  const issue = findPreferenceIssue(route, input, choice);
  if (!issue) return app.mock.createResponse(route, input, choice, headers.accept ?? '');
  const { preference, remedy } = issue;
  const hint = preference === 'code' && (choice.code ?? 0) >= 400 ? ', or add a fault with this status' : '';
  const described = { message: formatPreferenceIssue(issue) + hint, remedy: remedy + hint };
  throw createPreferenceError(preference, preferences.sources[preference], described);
}

/**
 * Adds a generated body to an error response without a body that a user's handler returned.
 * Returns other responses unchanged.
 */
export function addErrorBody(exchange: OperationExchange, response: HandlerResponse): HandlerResponse {
  const { status = 200, body, headers } = response;
  const isDocumented = Object.keys(findResponse(exchange.route.responses, status)?.media ?? {}).length > 0;
  if (status < 400 || body !== undefined || !isDocumented) return response;
  const mocked = withInstance(exchange, createMockResponse(exchange, { code: status }));
  return { status, body: mocked.body, headers: { ...mocked.headers, ...headers } };
}

/** Returns whether a documented media type can represent a value that is neither text nor binary data. */
export function canSendValue(type: string): boolean {
  return canFormat(toContentType(type));
}

/**
 * Returns the media types of documented responses that the server can send for a value: those that represent the value,
 * and those for which it generates a body.
 */
export function listSendableTypes(
  { contract }: Pick<OperationExchange, 'contract'>,
  responses: readonly DocumentedResponse[],
): readonly string[] {
  const types = responses.flatMap(({ media }) =>
    Object.keys(media).filter((type) => canSendValue(type) || canGenerate(contract, type, media[type])),
  );
  return [...new Set(types)];
}

/**
 * Generates the body of a response whose documented media type can't represent the value of the handler, such as
 * `text/csv` or `application/vnd.github.diff`.
 * Returns undefined if the request accepts another documented type, and for text and binary data.
 */
export function createOtherType(
  exchange: OperationExchange,
  { status = exchange.route.successStatus, headers: own = {}, body }: HandlerResponse,
): ResponseData | undefined {
  const { app, contract, route, input, headers } = exchange;
  const { accept } = headers;
  const isValue = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  if (accept === undefined || !isValue || !route.hasOtherTypes) return undefined;
  const media = findResponse(route.responses, status)?.media ?? {};
  const types = Object.keys(media);
  const generated = types.filter((type) => !canSendValue(type) && canGenerate(contract, type, media[type]));
  if (isAcceptable(types.filter(canSendValue), accept) || !isAcceptable(generated, accept)) return undefined;
  const type = chooseMediaType(generated, accept);
  const response = app.mock.createResponse(route, input, { code: status }, type ?? accept);
  const { 'Content-Type': _, ...others } = own;
  return { ...response, headers: { ...response.headers, ...others } };
}

/**
 * Returns whether the server can generate a body of a media type: the schema is that of text, the file is one of those
 * that the server knows, or the type is one of the vendor's own types, whose values have a JSON form.
 */
function canGenerate({ normalized }: OperationExchange['contract'], type: string, media?: DocumentedMedia): boolean {
  if (!media) return false;
  if (media.schema === undefined) return media.examples.length > 0 || createSampleFile(type) !== undefined;
  if (/^application\/vnd\.[^+]+$/.test(type)) return true;
  return [toNode(getTarget(normalized, media.schema)).type].flat().includes('string');
}

/**
 * Sets the property `instance` of a problem document (RFC 9457) to the path of the request.
 * Returns the response unchanged if the body has no `instance`, or if the contract does not allow the path there.
 */
function withInstance({ contract, route, path }: OperationExchange, response: MockResponse): MockResponse {
  const { status, body } = response;
  if (status < 400 || !hasInstance(body)) return response;
  const instance = toUriReference(path);
  const located = { ...response, body: { ...body, instance } };
  const isViolation =
    findResponse(route.responses, status) && contract.verifyResponse(route, located, { closed: false }).length > 0;
  return isViolation ? response : located;
}

function hasInstance(body: unknown): body is { readonly instance: string } {
  return typeof body === 'object' && body !== null && 'instance' in body && typeof body.instance === 'string';
}

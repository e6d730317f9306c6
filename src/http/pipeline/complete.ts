import type { HandlerResponse } from '../../application.ts';
import type { CompletedBody } from '../../mock/compare-contracts.ts';
import { findResponse, isJsonType } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { normalizeHeaderNames } from '../../util/header-names.ts';
import { createResponse, type Headers, JSON_TYPE, NO_HEADERS, type ResponseData } from './response.ts';
import type { Location, OperationCall } from './values.ts';

/**
 * Completes what a handler returned: status, content type, and the sandbox in `Location`. `complete`: adds the fields that the contract has gained, for the
 * handlers of the application; undefined for a user's handler, whose headers may have any case.
 */
export function completeHandlerResponse(
  complete: ((route: Route, body: unknown) => CompletedBody) | undefined,
  { route, target: { location } }: OperationCall,
  { status = route.successStatus, headers = NO_HEADERS, body }: HandlerResponse,
): ResponseData {
  if (!complete) {
    const typed = { 'Content-Type': getDocumentedType(route, status), ...normalizeHeaderNames(headers) };
    return createResponse({ status, headers: withPrefix(location.prefix, typed), body });
  }
  const completed = complete(route, body);
  const located = withPrefix(location.prefix, headers);
  const mocked = completed.generated.map(encodeURI).join(', ');
  return createResponse({
    status,
    headers: mocked === '' ? located : { ...located, 'X-Mocked': mocked },
    body: completed.body,
  });
}

/** Completes a response of the mock or of a fault: the sandbox in `Location`, and the header that marks it. */
export function completeMockResponse({ prefix }: Location, response: ResponseData): ResponseData {
  return { ...response, headers: { ...withPrefix(prefix, response.headers), 'X-Mocked': 'operation' } };
}

/** Headers with a `Location` in the same sandbox, if the path names it. */
function withPrefix(prefix: string, headers: Headers): Headers {
  const { Location: location } = headers;
  return prefix === '' || !location?.startsWith('/') ? headers : { ...headers, Location: prefix + location };
}

/** Returns the media type that the contract has for responses of a status: problems have one of their own. */
function getDocumentedType({ responses }: Route, status: number): string {
  const types = Object.keys(findResponse(responses, status)?.media ?? {});
  return types.find(isJsonType) ?? types[0] ?? JSON_TYPE;
}

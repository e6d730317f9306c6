import type { Completed } from '../../mock/added-fields.ts';
import { isJsonType, responseTo } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { AnyAnswer } from '../../shop/operations/handler.ts';
import { normalizeHeaderNames } from '../../util/header-names.ts';
import type { Headers } from '../headers.ts';
import { createResponse, JSON_TYPE, type ResponseData } from './response.ts';
import type { OperationCall } from './values.ts';

/** What a handler returned. */
interface HandlerResult extends AnyAnswer {
  /** Whether the handler is the shop's own. */
  readonly isOurs: boolean;
}

/** Completes what a handler returned: status, fields that the contract has gained, content type, and the sandbox in `Location`. */
export function completeHandlerResponse(
  { complete }: { readonly complete: (route: Route, body: unknown) => Completed },
  { route, location }: OperationCall,
  { status = route.successStatus, headers = {}, body, isOurs }: HandlerResult,
): ResponseData {
  const completed = isOurs ? complete(route, body) : { body, made: [] };
  const typed = isOurs
    ? headers
    : { 'Content-Type': getDocumentedType(route, status), ...normalizeHeaderNames(headers) };
  const located = withPrefix(location.prefix, typed);
  const mocked = completed.made.length > 0 ? { 'X-Mocked': completed.made.map(encodeURI).join(', ') } : undefined;
  return createResponse({
    status,
    headers: mocked ? { ...located, ...mocked } : located,
    body: completed.body,
  });
}

/** Completes a response of the mock or of a fault: the sandbox in `Location`, and the header that marks it. */
export function completeMockResponse(
  { location }: Pick<OperationCall, 'location'>,
  response: ResponseData,
): ResponseData {
  return { ...response, headers: { ...withPrefix(location.prefix, response.headers), 'X-Mocked': 'operation' } };
}

/** Headers with a `Location` in the same sandbox, if the path names it. */
function withPrefix(prefix: string, headers: Headers): Headers {
  const { Location: location } = headers;
  return prefix === '' || !location?.startsWith('/') ? headers : { ...headers, Location: prefix + location };
}

/** Returns the media type that the contract has for responses of a status: problems have one of their own. */
function getDocumentedType({ responses }: Route, status: number): string {
  const types = Object.keys(responseTo(responses, status)?.media ?? {});
  return types.find(isJsonType) ?? types[0] ?? JSON_TYPE;
}

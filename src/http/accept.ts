import { chooseMediaType, isAcceptable } from '../mock/choose-media-type.ts';
import { canFormat, formatBody } from '../mock/format-body.ts';
import { createVary, toContentType } from '../mock/media-types.ts';
import { shorten } from '../openapi/describe-error.ts';
import { allowsJson, findMediaType, isJsonType } from '../openapi/media-types.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { HttpProblem } from '../util/problem.ts';
import type { OperationExchange, ResponseData } from './exchange.ts';
import { isMocked } from './mock-response.ts';
import { type Headers, NO_HEADERS } from './response-headers.ts';

/**
 * Returns whether the contract documents a response of an operation with other media types than JSON, or with several
 * types.
 */
export const hasOtherTypes = memoizeByObject(({ responses }: Route): boolean =>
  responses.some(({ media }) => {
    const types = Object.keys(media);
    return types.length > 1 || types.some((type) => !isJsonType(type));
  }),
);

/**
 * Returns a problem (406) if a request accepts none of the media types that the contract documents for the response.
 * Returns undefined if the contract documents only one type: RFC 9110, section 12.5.1 allows to send it.
 * Types of errors also count, because some clients accept only these.
 * A response of the application is never text, so it can't have a type such as text/csv.
 */
export function findUnacceptable(exchange: OperationExchange): HttpProblem | undefined {
  const { app, route, headers, preferences, effect } = exchange;
  const { accept } = headers;
  if (accept === undefined || effect?.response || !hasOtherTypes(route)) return undefined;
  const { code } = preferences.choice;
  const chosen = code === undefined ? undefined : findResponse(route.responses, code);
  const named = route.responses.filter(({ name }) => name.startsWith('2'));
  const successes = named.length > 0 ? named : route.responses.filter(({ name }) => name === 'default');
  const errors = route.responses.filter((response) => !successes.includes(response));
  const documented = listTypes(chosen ? [chosen] : successes);
  const isValue = !isMocked(exchange) && app.getImplementation(route)?.source === 'application';
  const sent = isValue ? documented.filter(canSendValue) : documented;
  if (documented.length < 2 || sent.length === 0) return undefined;
  if (isAcceptable([...sent, ...(chosen ? [] : listTypes(errors))], accept)) return undefined;
  const detail = `the header Accept is ${JSON.stringify(shorten(accept))}, which includes no media type of the response: use ${sent.join(' or ')}`;
  return { code: 'not-acceptable', detail, headers: createVary(NO_HEADERS) };
}

/** Returns whether a documented media type can represent a value that is neither text nor binary data. */
function canSendValue(type: string): boolean {
  return canFormat(toContentType(type));
}

function listTypes(responses: Route['responses']): readonly string[] {
  return [...new Set(responses.flatMap(({ media }) => Object.keys(media)))];
}

/**
 * Formats the body of a handler's response for a media type that the contract documents for its status.
 * If several are documented, chooses one by the header `Accept`.
 * `own`: the headers that the handler returned; a `Content-Type` among them is not changed.
 */
export function toDocumentedType(
  { contract, route, headers: sent }: OperationExchange,
  response: ResponseData,
  own: Headers,
): ResponseData {
  const { status, headers, body } = response;
  const ownType = own['Content-Type'];
  if (body === undefined || (ownType === undefined && !hasOtherTypes(route))) return response;
  const media = findResponse(route.responses, status)?.media ?? {};
  const documented = Object.keys(media);
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  // Only text and binary data can have a type such as text/csv.
  const possible = documented.filter((type) => isText || canSendValue(type));
  const jsonFirst = possible.toSorted((a, b) => Number(allowsJson(b)) - Number(allowsJson(a)));
  const chosen = ownType ?? chooseMediaType(jsonFirst, sent.accept ?? '');
  if (chosen === undefined) return response;
  const contentType = toContentType(chosen);
  const schema = media[findMediaType(documented, chosen) ?? '']?.schema;
  const vary = ownType === undefined && possible.length > 1 ? createVary(headers) : {};
  return {
    ...response,
    headers: { ...headers, 'Content-Type': contentType, ...vary },
    body: formatBody(contentType, body, { contract, schema }),
  };
}

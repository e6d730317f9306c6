import type { HandlerResponse } from '../application.ts';
import { toContentType } from '../mock/media-types.ts';
import { allowsJson, isJsonType } from '../openapi/media-types.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeHeaderNames } from '../util/headers.ts';
import { isBelow, JSON_TYPE } from '../util/request-target.ts';
import { isLongList } from '../util/slices.ts';
import { type Headers, NO_HEADERS } from './cors.ts';
import type { Exchange, OperationExchange, ResponseData, Returned } from './exchange.ts';
import { completeList } from './long-list.ts';
import { addErrorBody } from './mock-response.ts';
import { createResponse, hasOtherTypes, toDocumentedType } from './response.ts';

/**
 * Makes a response of what a handler or the mock has returned: adds generated fields, the content type, the prefix of
 * the sandbox in `Location`, and the header `X-Mocked`.
 * Does nothing if there is already a response.
 */
export async function complete(exchange: Exchange): Promise<void> {
  const { returned, response } = exchange;
  if (!returned || response) return;
  const { notes = [] } = returned;
  if (notes.length > 0) exchange.notes = [...exchange.notes, ...notes];
  exchange.response = await completeReturned(exchange as OperationExchange, returned);
}

function completeReturned(exchange: OperationExchange, returned: Returned): ResponseData | Promise<ResponseData> {
  if (returned.by === 'mock') return completeMock(exchange, returned);
  if (returned.by === 'user') return completeUser(exchange, returned);
  const { app, route } = exchange;
  if (!isLongList(returned.body) || hasOtherTypes(route)) {
    const { body, generated } = app.complete(route, returned.body);
    return toDocumentedType(exchange, completeBuiltIn(exchange, returned, body, generated), NO_HEADERS);
  }
  return completeLongList(exchange, returned, returned.body);
}

async function completeLongList(
  exchange: OperationExchange,
  returned: Returned,
  list: readonly unknown[],
): Promise<ResponseData> {
  const { app, route } = exchange;
  const { body, generated } = await completeList(list, (part) => app.complete(route, part));
  return { ...completeBuiltIn(exchange, returned, body, generated), list: body };
}

/**
 * Creates the response of an application's handler.
 * `generated`: the JSON Pointers of the values in the completed body that the contract requires.
 */
function completeBuiltIn(
  exchange: OperationExchange,
  { status = exchange.route.successStatus, headers = NO_HEADERS, generated: own = [] }: Returned,
  body: unknown,
  generated: readonly string[],
): ResponseData {
  return createResponse(status, body, addGenerated(addPrefix(exchange, headers), [...own, ...generated]));
}

/**
 * Creates the response of a user's handler: also adds the properties that the contract requires, and the body of an
 * error.
 */
function completeUser(exchange: OperationExchange, returned: Returned): ResponseData {
  const { app, route } = exchange;
  const completed: HandlerResponse = app.completeUserResponse(route, addErrorBody(exchange, returned));
  const { status = route.successStatus, body, generated = [] } = completed;
  const own = normalizeHeaderNames(completed.headers ?? NO_HEADERS);
  const typed = { 'Content-Type': getDocumentedType(route, status), ...own };
  const response = createResponse(status, body, addGenerated(addPrefix(exchange, typed), generated));
  return toDocumentedType(exchange, response, own);
}

/** Creates the response of the mock or of a fault, with the header `X-Mocked: operation`. */
function completeMock(exchange: OperationExchange, returned: Returned): ResponseData {
  const { status = exchange.route.successStatus, headers = NO_HEADERS, body, example } = returned;
  const isStored = exchange.decision?.source === 'stored';
  const response = { status, headers, body, example };
  return addMocked(exchange, isStored ? toDocumentedType(exchange, response, NO_HEADERS) : response);
}

/** Adds the header `X-Mocked: operation` to a response, and the prefix of the sandbox to its paths. */
export function addMocked(exchange: Exchange, response: ResponseData): ResponseData {
  return { ...response, headers: { ...addPrefix(exchange, response.headers), 'X-Mocked': 'operation' } };
}

/**
 * Adds the header `X-Mocked`, which lists the JSON Pointers of the generated values in the body.
 * Returns `headers` unchanged if no value is generated.
 */
function addGenerated(headers: Headers, generated: readonly string[]): Headers {
  return generated.length === 0 ? headers : { ...headers, 'X-Mocked': generated.map(encodeURI).join(', ') };
}

/**
 * Completes the paths in the headers `Location` and `Link`: `/pets/1` becomes `/_sandbox/w3/v1/pets/1`.
 * Adds the prefix of the sandbox (`/_sandbox/w3`).
 * Adds the base path (`/v1`) unless the path already starts with it.
 * Also changes a `Location` that is a URL of this server.
 */
function addPrefix({ location, headers: sent }: Exchange, headers: Headers): Headers {
  const { prefix, basePath } = location;
  const { Location: path, Link: links } = headers;
  if (prefix + basePath === '' || (path ?? links) === undefined) return headers;
  const add = (target: string) => prefix + (isBelow(target, basePath) ? '' : basePath) + target;
  const host = `http://${sent.host}`;
  const origin = path?.startsWith(`${host}/`) ? host : '';
  const own = path?.slice(origin.length) ?? '';
  return {
    ...headers,
    ...(path !== undefined && { Location: origin + (own.startsWith('/') ? add(own) : own) }),
    ...(links !== undefined && { Link: links.replaceAll(/(?<=<)\/[^>]*/g, add) }),
  };
}

/**
 * Returns the media type that the contract documents for a status.
 * Prefers JSON.
 * Returns JSON if the contract documents none.
 */
function getDocumentedType({ responses }: Route, status: number): string {
  const types = Object.keys(findResponse(responses, status)?.media ?? {});
  return toContentType(types.find(isJsonType) ?? types.find(allowsJson) ?? types[0] ?? JSON_TYPE);
}

import { DomainError, type HandlerResponse, type Implementation, type Input } from '../../application.ts';
import type { CompletedBody } from '../../mock/compare-contracts.ts';
import { toContentType } from '../../mock/media-types.ts';
import { isNode, type Node } from '../../openapi/document.ts';
import { allowsJson, isJsonType } from '../../openapi/media-types.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationInput } from '../../openapi/validate-request.ts';
import type { ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import { normalizeHeaderNames } from '../../util/header-names.ts';
import { isBelow, JSON_TYPE } from '../../util/request-target.ts';
import { isServerHeader } from '../../util/server-headers.ts';
import { isLongList } from '../../util/slices.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import type { ServedContract, ServerParts } from '../parts.ts';
import { createUnknownPath, HttpProblemError } from '../problem.ts';
import { type Headers, NO_HEADERS } from '../response-headers.ts';
import { createAuthentication } from './credentials.ts';
import { describeMock, HANDLER_DECISIONS, isMocked, STORED_DECISION } from './decision.ts';
import { createErrorResponse } from './error-response.ts';
import { createTrackedContext } from './handler-context.ts';
import { completeList } from './long-list.ts';
import { addErrorBody, createFaultResponse, createPreferredResponse } from './mock-response.ts';
import type { HandlerResult, ResponseData } from './outcome.ts';
import type { HttpRequest } from './request.ts';
import { createResponse } from './response.ts';
import { hasOtherTypes, toDocumentedType } from './typed-response.ts';
import type { Api, Location, OperationCall } from './values.ts';

type Parts = ServerParts & ServedContract;

/**
 * Creates the contract's API: the operations of the user's OpenAPI document. A handler or the mock responds to a request. Preferences (RFC 7240) and injected
 * faults apply to this API, and the journal records its requests.
 */
export function createContractApi(parts: Parts): Api {
  return {
    contract: parts.contract,
    isContractApi: true,
    isClosed: parts.isClosed,
    describeUnknownPath: createUnknownPath,
    authenticate: createAuthentication(parts.options.auth, String(parts.contract.document.info.title)),
    schedule: (_request, runSteps) => runSteps(),
    createErrorResponse: (...values) => createErrorResponse(parts, ...values),
    handle: (call) => handleOrMock(parts, call),
  };
}

/**
 * Handles a request for an operation. Calls the handler, or creates a response from the contract if there is no handler. A setting of the sandbox, an injected
 * fault or a preference (RFC 7240) can replace the handler or its response.
 */
function handleOrMock(parts: Parts, call: OperationCall): Promise<HandlerResult> {
  const injected = call.applied.effect?.response;
  const isReplaced = isMocked(call) || injected?.phase === 'before';
  const handler = isReplaced ? undefined : parts.getImplementation(call.route);
  return handler && !injected ? runHandler(parts, handler, call) : replaceResponse(parts, handler, call);
}

/**
 * Creates the response of a fault or of the mock. If `handler` is defined, first calls this handler and discards its response. State changes by the handler
 * remain.
 */
async function replaceResponse(
  parts: Parts,
  handler: Implementation | undefined,
  call: OperationCall,
): Promise<HandlerResult> {
  const injected = call.applied.effect?.response;
  // The response of the fault also replaces the response to a `DomainError` of the handler.
  const handled = handler && (await runHandler(parts, handler, call).catch(rethrowUnlessDomainError));
  const result = injected ? respondWithFault(parts, call, injected) : respondWithMock(parts, call);
  return { ...result, replaced: handled?.response, changes: handled?.changes };
}

/** Creates the response that an injected fault defines. */
export function respondWithFault(parts: Parts, call: OperationCall, injected: ForcedResponse): HandlerResult {
  const response = createFaultResponse(parts, call, injected);
  return { response: completeMockResponse(call.target.location, response), decision: describeMock(call, response) };
}

/** Creates the response of a mocked operation: a stored entry if possible, otherwise a response that is generated from the contract. */
function respondWithMock(parts: Parts, call: OperationCall): HandlerResult {
  const stored = createStoredResponse(parts, call);
  const response = stored ?? createPreferredResponse(parts, call);
  const decision = stored ? STORED_DECISION : describeMock(call, response);
  return { response: completeMockResponse(call.target.location, response), decision };
}

/**
 * Returns a stored entry as the response of a mocked operation, such as the pet for `POST /pets/{petId}/feed`. Returns undefined if the mock must generate the
 * response.
 */
function createStoredResponse(parts: Parts, call: OperationCall): ResponseData | undefined {
  const { route, preferences, selection } = call;
  if (preferences.isMockRequired) return undefined;
  const { state } = selection.sandbox.store.read();
  const stored = parts.getStoredResponse(route, new ApplicationInput(call), state);
  if (!stored) return undefined;
  const { status = route.successStatus, body, headers } = stored;
  const documented = tryOrUndefined(() => parts.mock.createHeaders(route, call.input, { status, body }));
  return toDocumentedType(parts, call, createResponse(status, body, { ...documented, ...headers }), NO_HEADERS);
}

function rethrowUnlessDomainError(error: unknown): undefined {
  if (!(error instanceof DomainError)) throw error;
}

async function runHandler(parts: Parts, handler: Implementation, call: OperationCall): Promise<HandlerResult> {
  const { request, route, selection, input, applied } = call;
  const isBuiltIn = handler.source === 'application';
  const store = parts.guardStore(selection.sandbox.store, isBuiltIn ? undefined : route.operationId);
  const { context, getRevision, getChanges } = createTrackedContext(parts, selection.sandbox, store);
  const handlerInput = isBuiltIn
    ? new ApplicationInput(call)
    : toUserInput(request, input, parts.getBodyDefaults(route));
  const returned = checkReturned(route, await handler.handle(handlerInput, context));
  const decision = HANDLER_DECISIONS[handler.source];
  if (!isBuiltIn) {
    const own = addErrorBody(parts, call, { ...returned, generated: [] });
    const completed = parts.completeUserResponse(route, own);
    const typed = toDocumentedType(parts, call, completeUserResponse(call, completed), toOwnHeaders(completed));
    return { response: typed, decision, changes: getChanges() };
  }
  const isForHost = handlerInput instanceof ApplicationInput && handlerInput.hasReadUrl;
  // The response can depend on the header `Accept`.
  const isTyped = hasOtherTypes(route);
  const revision = applied.hasEffects || selection.isNamed || isForHost || isTyped ? undefined : getRevision();
  const complete = (body: unknown) => parts.complete(route, body);
  const { body, notes } = returned;
  if (isTyped || !isLongList(body)) {
    const json = completeBuiltInResponse(call, returned, complete(body));
    const response = toDocumentedType(parts, call, json, NO_HEADERS);
    return { response, revision, decision, changes: getChanges(), notes };
  }
  const completed = await completeList(body, complete);
  const response = completeBuiltInResponse(call, returned, completed);
  return { response: { ...response, list: completed.body }, revision, decision, changes: getChanges(), notes };
}

/**
 * The input of an application's handler. The properties `headers` and `url` are computed when the handler reads them. This is a class, because an object literal with a getter
 * takes longer to create.
 */
class ApplicationInput implements Input {
  readonly path: OperationInput['path'];
  readonly query: OperationInput['query'];
  readonly body: unknown;
  readonly #call: OperationCall;
  /** Whether the handler has read the URL. Then its response depends on the host that the client names, and is not cached. */
  hasReadUrl = false;

  constructor(call: OperationCall) {
    const { path, query, body } = call.input;
    this.path = path;
    this.query = query;
    this.body = body;
    this.#call = call;
  }

  get headers(): Input['headers'] {
    return joinHeaders(this.#call.request.headers);
  }

  get url(): string {
    this.hasReadUrl = true;
    const { request, target } = this.#call;
    // A proxy that accepts TLS connections names the scheme.
    const scheme = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
    return `${scheme}://${request.headers.host}${target.location.prefix}${target.location.pathname}`;
  }
}

/**
 * Returns the input of a user's handler as a plain object, so that the handler can copy it with `{ ...input }`. `defaults`: the default values of properties
 * that are missing in the body.
 */
function toUserInput({ headers }: HttpRequest, { path, query, body }: OperationInput, defaults: Node): Input {
  return { path, query, body: isNode(body) ? { ...defaults, ...body } : body, headers: joinHeaders(headers) };
}

function joinHeaders(headers: HttpRequest['headers']): Input['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

/**
 * Checks the value that a user's handler returned, which can be any value. Returns the value if it is a valid response. Otherwise throws an `HttpProblemError`
 * with status 500.
 */
function checkReturned({ operationId }: Route, returned: unknown): HandlerResponse {
  const { status = 200, headers = {} } = (returned ?? {}) as HandlerResponse;
  const serverHeader = Object.keys(headers).find(isServerHeader);
  const isStatus = Number.isInteger(status) && status >= 200 && status <= 599;
  const isPlain = isNode(returned) && !isFetchResponse(returned);
  if (isPlain && isStatus && serverHeader === undefined) return returned;
  const issue =
    serverHeader === undefined
      ? 'did not return a response: return an object such as { body } or { status, body } with a status from 200 to 599'
      : `returned the header ${serverHeader}, which only the server can set: remove it`;
  throw new HttpProblemError({ code: 'internal-error', detail: `the handler of ${operationId} ${issue}` });
}

/**
 * Returns whether a handler returned a fetch `Response`. It must be refused: a fetch `Response` has no enumerable properties, so the body would be lost.
 * `instanceof Response` would load fetch, which takes about 20 ms at the first request.
 */
function isFetchResponse(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object Response]';
}

/**
 * Creates the response of an application's handler: adds the default status, the completed body, the header `X-Mocked`, and the prefix of the sandbox in
 * `Location`.
 */
function completeBuiltInResponse(
  { route, target, request }: OperationCall,
  { status = route.successStatus, headers = NO_HEADERS, generated: own = [] }: HandlerResponse,
  completed: CompletedBody,
): ResponseData {
  const located = addPrefix(target.location, headers, request);
  return createResponse(status, completed.body, addGenerated(located, [...own, ...completed.generated]));
}

/** Adds the header `X-Mocked`, which lists the JSON Pointers of the generated values in the body. Returns `headers` unchanged if no value is generated. */
function addGenerated(headers: Headers, generated: readonly string[]): Headers {
  return generated.length === 0 ? headers : { ...headers, 'X-Mocked': generated.map(encodeURI).join(', ') };
}

function toOwnHeaders({ headers = NO_HEADERS }: HandlerResponse): Headers {
  return normalizeHeaderNames(headers);
}

/** Creates the response of a user's handler: adds the default status, the content type in the contract, and the prefix of the sandbox in `Location`. */
function completeUserResponse(
  { route, target, request }: OperationCall,
  { status = route.successStatus, headers = NO_HEADERS, body, generated = [] }: HandlerResponse,
): ResponseData {
  const typed = { 'Content-Type': getDocumentedType(route, status), ...toOwnHeaders({ headers }) };
  return createResponse(status, body, addGenerated(addPrefix(target.location, typed, request), generated));
}

/**
 * Adds the header `X-Mocked: operation` to a response of the mock or of a fault. Also adds the prefix of the sandbox, such as `/_sandbox/w3`, to the paths in
 * `Location` and `Link`.
 */
export function completeMockResponse(location: Location, response: ResponseData): ResponseData {
  return { ...response, headers: { ...addPrefix(location, response.headers), 'X-Mocked': 'operation' } };
}

/**
 * Completes the paths in the headers `Location` and `Link`: `/pets/1` becomes `/_sandbox/w3/v1/pets/1`. Adds the prefix of the sandbox (`/_sandbox/w3`). Adds
 * the base path (`/v1`) unless the path already starts with it. Also changes a `Location` that is a URL of this server.
 */
function addPrefix({ prefix, basePath }: Location, headers: Headers, request?: HttpRequest): Headers {
  const { Location: path, Link: links } = headers;
  if (prefix + basePath === '' || (path ?? links) === undefined) return headers;
  const add = (target: string) => prefix + (isBelow(target, basePath) ? '' : basePath) + target;
  const host = `http://${request?.headers.host}`;
  const origin = path?.startsWith(`${host}/`) ? host : '';
  const own = path?.slice(origin.length) ?? '';
  return {
    ...headers,
    ...(path !== undefined && { Location: origin + (own.startsWith('/') ? add(own) : own) }),
    ...(links !== undefined && { Link: links.replaceAll(/(?<=<)\/[^>]*/g, add) }),
  };
}

/** Returns the media type that the contract documents for a status. Prefers JSON. Returns JSON if the contract documents none. */
function getDocumentedType({ responses }: Route, status: number): string {
  const types = Object.keys(findResponse(responses, status)?.media ?? {});
  return toContentType(types.find(isJsonType) ?? types.find(allowsJson) ?? types[0] ?? JSON_TYPE);
}

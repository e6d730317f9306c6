import { type Context, DomainError, type HandlerResponse, type Implementation, type Input } from '../../application.ts';
import type { CompletedBody } from '../../mock/compare-contracts.ts';
import { findResponse, isJsonType } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationInput } from '../../openapi/validate-request.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Store } from '../../store/store.ts';
import { normalizeHeaderNames } from '../../util/header-names.ts';
import { isMessageHeader } from '../../util/message-headers.ts';
import { isBelow, JSON_TYPE } from '../../util/request-target.ts';
import { isLongList } from '../../util/slices.ts';
import { type Headers, NO_HEADERS } from '../headers.ts';
import type { ServedContract, ServerParts } from '../parts.ts';
import { createUnknownPath, HttpProblemError } from '../problem.ts';
import { createAuthentication } from './credentials.ts';
import { createErrorResponse } from './error-response.ts';
import { completeList } from './long-list.ts';
import { createFaultResponse, createPreferredResponse } from './mock-response.ts';
import type { HttpRequest } from './request.ts';
import { createResponse } from './response.ts';
import type { Api, HandlerResult, Location, OperationCall, ResponseData } from './values.ts';

type Parts = ServerParts & ServedContract;

/** Creates the API of the contract. A handler or the mock responds to each operation. Preferences and faults apply, and the journal records the requests. */
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

/** Calls the handler of an operation. Creates a mock response if there is no handler, or if a fault or a preference replaces the response of the handler. */
function handleOrMock(parts: Parts, call: OperationCall): Promise<HandlerResult> {
  const { route, preferences, applied } = call;
  const injected = applied.effect?.response;
  const handler =
    preferences.isMockRequired || injected?.phase === 'before' ? undefined : parts.getImplementation(route);
  return handler && !injected ? runHandler(parts, handler, call) : replaceResponse(parts, handler, call);
}

/** Creates the response of a fault or of the mock, which can be an entry of the state. Calls the handler first, if there is one. */
async function replaceResponse(
  parts: Parts,
  handler: Implementation | undefined,
  call: OperationCall,
): Promise<HandlerResult> {
  const injected = call.applied.effect?.response;
  // The response of the fault also replaces the problem document of a `DomainError`.
  if (handler) await runHandler(parts, handler, call).catch(rethrowUnlessDomainError);
  const response = injected
    ? createFaultResponse(parts, call, injected)
    : (createStoredResponse(parts, call) ?? createPreferredResponse(parts, call));
  return { response: completeMockResponse(call.target.location, response) };
}

/** Creates the response of a mocked operation that is an entry of the state; undefined for another response. */
function createStoredResponse(
  parts: Parts,
  { request, route, input, preferences, selection }: OperationCall,
): ResponseData | undefined {
  if (preferences.isMockRequired) return undefined;
  const { state } = selection.sandbox.store.read();
  const stored = parts.getStoredResponse(route, new ApplicationInput(request, input), state);
  return stored && createResponse(stored.status ?? route.successStatus, stored.body, stored.headers ?? NO_HEADERS);
}

function rethrowUnlessDomainError(error: unknown): void {
  if (!(error instanceof DomainError)) throw error;
}

async function runHandler(parts: Parts, handler: Implementation, call: OperationCall): Promise<HandlerResult> {
  const { request, route, selection, input, applied } = call;
  const isBuiltIn = handler.source === 'application';
  const store = parts.guardStore(selection.sandbox.store, isBuiltIn ? undefined : route.operationId);
  const { context, getRevision } = createTrackedContext(parts, selection.sandbox, store);
  const handlerInput = isBuiltIn ? new ApplicationInput(request, input) : toUserInput(request, input);
  const returned = checkReturned(route, await handler.handle(handlerInput, context));
  if (!isBuiltIn)
    return { response: completeUserResponse(call, parts.completeUserResponse(route, { ...returned, generated: [] })) };
  const revision = applied.hasEffects || selection.isNamed ? undefined : getRevision();
  const complete = (body: unknown) => parts.complete(route, body);
  const { body } = returned;
  if (!isLongList(body)) return { response: completeBuiltInResponse(call, returned, complete(body)), revision };
  const completed = await completeList(body, complete);
  const response = completeBuiltInResponse(call, returned, completed);
  return { response: { ...response, list: completed.body }, revision };
}

/** The input of an application's handler. Copies the headers only if the handler reads them. A class, because it takes longer to create an object with a getter. */
class ApplicationInput implements Input {
  readonly path: OperationInput['path'];
  readonly query: OperationInput['query'];
  readonly body: unknown;
  readonly #headers: HttpRequest['headers'];

  constructor({ headers }: HttpRequest, { path, query, body }: OperationInput) {
    this.path = path;
    this.query = query;
    this.body = body;
    this.#headers = headers;
  }

  get headers(): Input['headers'] {
    return joinHeaders(this.#headers);
  }
}

/** Returns the input of a user's handler, which can also copy the input. */
function toUserInput({ headers }: HttpRequest, { path, query, body }: OperationInput): Input {
  return { path, query, body, headers: joinHeaders(headers) };
}

function joinHeaders(headers: HttpRequest['headers']): Input['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

/** Returns the value that a handler returned. Throws an `HttpProblemError` if it is not a valid response: a user's handler can return any value. */
function checkReturned({ operationId }: Route, returned: unknown): HandlerResponse {
  const { status = 200, headers = {} } = (returned ?? {}) as HandlerResponse;
  const messageHeader = Object.keys(headers).find(isMessageHeader);
  const isStatus = Number.isInteger(status) && status >= 200 && status <= 599;
  if (typeof returned === 'object' && returned !== null && isStatus && messageHeader === undefined) return returned;
  const issue =
    messageHeader === undefined
      ? 'did not return a response: return an object such as { body } or { status, body } with a status from 200 to 599'
      : `returned the header ${messageHeader}, which only the server can set: remove it`;
  throw new HttpProblemError({ code: 'internal-error', detail: `the handler of ${operationId} ${issue}` });
}

/** Adds to the response of an application's handler: the status, the completed body, and the prefix of the sandbox in `Location`. */
function completeBuiltInResponse(
  { route, target }: OperationCall,
  { status = route.successStatus, headers = NO_HEADERS, generated: own = [] }: HandlerResponse,
  completed: CompletedBody,
): ResponseData {
  const located = addPrefix(target.location, headers);
  return createResponse(status, completed.body, addGenerated(located, [...own, ...completed.generated]));
}

/** Adds the header `X-Mocked` with the JSON Pointers of generated values, if there are any. */
function addGenerated(headers: Headers, generated: readonly string[]): Headers {
  return generated.length === 0 ? headers : { ...headers, 'X-Mocked': generated.map(encodeURI).join(', ') };
}

/** Adds to the response of a user's handler: the status, the content type, and the prefix of the sandbox in `Location`. */
function completeUserResponse(
  { route, target }: OperationCall,
  { status = route.successStatus, headers = NO_HEADERS, body, generated = [] }: HandlerResponse,
): ResponseData {
  const typed = { 'Content-Type': getDocumentedType(route, status), ...normalizeHeaderNames(headers) };
  return createResponse(status, body, addGenerated(addPrefix(target.location, typed), generated));
}

/** Adds to the response of the mock or of a fault: the header `X-Mocked`, and the prefix of the sandbox in `Location`. */
export function completeMockResponse(location: Location, response: ResponseData): ResponseData {
  return { ...response, headers: { ...addPrefix(location, response.headers), 'X-Mocked': 'operation' } };
}

/** Adds the base path of the request, such as `/v1`, and the prefix of its sandbox, such as `/_sandbox/w3`, to the paths in the headers `Location` and `Link`. */
function addPrefix({ prefix, basePath }: Location, headers: Headers): Headers {
  const { Location: path, Link: links } = headers;
  if (prefix + basePath === '' || (path ?? links) === undefined) return headers;
  const add = (own: string) => prefix + (isBelow(own, basePath) ? '' : basePath) + own;
  return {
    ...headers,
    ...(path?.startsWith('/') && { Location: add(path) }),
    ...(links !== undefined && { Link: links.replaceAll(/(?<=<)\/[^>]*/g, add) }),
  };
}

/** Returns the media type that the contract documents for responses with a status. If there are several, prefers a JSON type. */
function getDocumentedType({ responses }: Route, status: number): string {
  const types = Object.keys(findResponse(responses, status)?.media ?? {});
  return types.find(isJsonType) ?? types[0] ?? JSON_TYPE;
}

/**
 * Creates the context of a handler. `getRevision` returns the revision of the state that the handler has read. It returns undefined if the handler has also used
 * the clock or the id generator, or has changed the state.
 */
function createTrackedContext({ application, collections }: Parts, { clock, idGenerator }: Sandbox, store: Store) {
  const { extendContext = (context) => context } = application;
  let revision: number | undefined;
  let usesMore = false;
  const trackUse = <Result>(result: Result): Result => {
    usesMore = true;
    return result;
  };
  const newId = createIdSource(collections, idGenerator, store);
  const context: Context = {
    read() {
      const committed = store.read();
      if (revision !== undefined && revision !== committed.revision) usesMore = true;
      revision = committed.revision;
      return committed.state;
    },
    update: (change) => trackUse(store.update(change)),
    reset: () => trackUse(store.reset()),
    nowMs: () => trackUse(clock.nowMs()),
    newId: () => trackUse(newId()),
  };
  return { context: extendContext(context), getRevision: () => (usesMore ? undefined : revision) };
}

/** Returns a function that creates ids. The function skips ids of existing entries, because a user who sets a seed twice gets the same ids twice. */
function createIdSource(
  collections: Parts['collections'],
  idGenerator: Sandbox['idGenerator'],
  store: Store,
): () => string {
  const isUsed = (id: string) =>
    Object.entries(store.read().state).some(([name, entries]) => {
      const key = collections[name]?.key;
      return key !== undefined && entries.some((entry) => entry[key] === id);
    });
  return () => {
    let id = idGenerator.next();
    while (idGenerator.seed !== undefined && isUsed(id)) id = idGenerator.next();
    return id;
  };
}

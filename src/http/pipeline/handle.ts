import {
  type Application,
  type Context,
  DomainError,
  type HandlerResponse,
  type Implementation,
  type Input,
} from '../../application.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationInput } from '../../openapi/validate-request.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Store } from '../../store/store.ts';
import { isMessageHeader } from '../../util/message-headers.ts';
import type { AppParts } from '../parts.ts';
import { createUnknownPath, HttpProblemError } from '../problem.ts';
import { completeHandlerResponse, completeMockResponse } from './complete.ts';
import { createFaultResponse, createPreferredResponse } from './mock-response.ts';
import type { HttpRequest } from './request.ts';
import type { Api, Handled, OperationCall } from './values.ts';

/** Returns the API of the contract: its operations are handled or mocked, with preferences, faults and a journal. */
export function createContractApi(parts: AppParts): Api {
  return {
    contract: parts.contract,
    isSimulated: true,
    isClosed: parts.isImplemented,
    describeUnknownPath: createUnknownPath,
    schedule: (_request, steps) => steps(),
    handle: (call) => handleOrMock(parts, call),
  };
}

/** Handles an operation, or mocks it: a fault, a preference or the lack of a handler asks for that. */
async function handleOrMock(parts: AppParts, call: OperationCall): Promise<Handled> {
  const { route, preferences, applied } = call;
  const injected = applied.effect?.response;
  const handler = preferences.isForced || injected?.phase === 'before' ? undefined : parts.getImplementation(route);
  if (handler && !injected) return runHandler(parts, handler, call);
  // A fault replaces the response of the handler, also that of a request that it declines.
  if (handler) await runHandler(parts, handler, call).catch(rethrowUnlessDeclined);
  const response = injected ? createFaultResponse(parts, call, injected) : createPreferredResponse(parts, call);
  return { response: completeMockResponse(call.target.location, response), revision: undefined };
}

function rethrowUnlessDeclined(error: unknown): void {
  if (!(error instanceof DomainError)) throw error;
}

async function runHandler(parts: AppParts, handler: Implementation, call: OperationCall): Promise<Handled> {
  const { request, route, scope, input, applied } = call;
  const isBuiltIn = handler.source === 'application';
  const store = parts.guard(scope.sandbox.store, isBuiltIn ? undefined : route.operationId);
  const { context, revision } = createTrackedContext(parts.application, scope.sandbox, store);
  const returned = checkReturned(route, await handler.handle(toHandlerInput(request, input), context));
  // A response to which something was applied is not cached, nor is one that names its sandbox.
  const isCacheable = !applied.summary && isBuiltIn && !scope.isNamed;
  return {
    response: completeHandlerResponse(isBuiltIn ? parts.complete : undefined, call, returned),
    revision: isCacheable ? revision() : undefined,
  };
}

/** Returns the input of a handler. The headers are copied only if it reads them. */
function toHandlerInput({ headers }: HttpRequest, { path, query, body }: OperationInput): Input {
  return {
    path,
    query,
    body,
    get headers() {
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
    },
  };
}

/** Returns what a handler has returned. Throws `HttpProblemError` if it is not a response: a user's handler can return anything. */
function checkReturned(route: Route, returned: unknown): HandlerResponse {
  const issue = findReturnedIssue(returned);
  if (issue === undefined) return returned as HandlerResponse;
  throw new HttpProblemError({ code: 'internal-error', detail: `the handler of ${route.operationId} ${issue}` });
}

function findReturnedIssue(returned: unknown): string | undefined {
  const { status = 200, headers = {} } = (returned ?? {}) as HandlerResponse;
  const messageHeader = Object.keys(headers).find(isMessageHeader);
  if (messageHeader !== undefined)
    return `returned the header ${messageHeader}, which only the server can set: remove it`;
  const isStatus = Number.isInteger(status) && status >= 200 && status <= 599;
  if (typeof returned === 'object' && returned !== null && isStatus) return undefined;
  return 'did not return a response: return an object such as { body } or { status, body } with a status from 200 to 599';
}

/**
 * Creates the context of a request in a sandbox, and tracks what the response depends on. `store`: the store of the sandbox, as the handler may use it.
 * `revision` returns the revision of the state if the response depends on nothing else; undefined if it depends on the clock or ids, or if it changed the
 * state.
 */
function createTrackedContext(application: Application, { clock, ids }: Sandbox, store: Store) {
  const { collections, extendContext = (context) => context } = application;
  let revision: number | undefined;
  let dependsOnMore = false;
  const note = <Result>(result: Result): Result => {
    dependsOnMore = true;
    return result;
  };
  const newId = createIdSource(collections, ids, store);
  const context: Context = {
    read() {
      const committed = store.read();
      if (revision !== undefined && revision !== committed.revision) dependsOnMore = true;
      revision = committed.revision;
      return committed.state;
    },
    update: (change) => note(store.update(change)),
    reset: () => note(store.reset()),
    nowMs: () => note(clock.nowMs()),
    newId: () => note(newId()),
  };
  return { context: extendContext(context), revision: () => (dependsOnMore ? undefined : revision) };
}

/** Creates a source of ids that no entry of the state has: a seed generates the same ids again when it is set again. */
function createIdSource(collections: Application['collections'], ids: Sandbox['ids'], store: Store): () => string {
  const isUsed = (id: string) =>
    Object.entries(store.read().state).some(([name, entries]) => {
      const key = collections[name]?.key ?? '';
      return entries.some((entry) => entry[key] === id);
    });
  return () => {
    let id = ids.next();
    while (ids.seed !== undefined && isUsed(id)) id = ids.next();
    return id;
  };
}

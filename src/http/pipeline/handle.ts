import {
  type Application,
  DomainError,
  type HandlerResponse,
  type Implementation,
  type Input,
} from '../../application.ts';
import type { CompletedBody } from '../../mock/compare-contracts.ts';
import type { Mock } from '../../mock/mock.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationInput } from '../../openapi/validate-request.ts';
import type { Store } from '../../store/store.ts';
import { isMessageHeader } from '../../util/message-headers.ts';
import { createTrackedContext } from '../handler-context.ts';
import { HttpProblemError } from '../problem.ts';
import { completeHandlerResponse, completeMockResponse } from './complete.ts';
import { createFaultResponse, createPreferredResponse } from './mock-response.ts';
import type { HttpRequest } from './request.ts';
import type { Handled, OperationCall } from './values.ts';

/** The parts that handle operations and complete their responses. */
export interface HandleParts {
  /** A store that takes no change by which its state would contradict the contract; `ownOperationId`: the operation of a user's own handler. */
  readonly guard: (store: Store, ownOperationId?: string) => Store;
  readonly mock: Mock;
  readonly contract: Contract;
  /** Adds the fields that the contract has gained since the handlers of the application were written, and removes those that it has lost. */
  readonly complete: (route: Route, body: unknown) => CompletedBody;
  /** Returns the implementation of an operation; undefined if the operation is mocked. */
  readonly getImplementation: (route: Route) => Implementation | undefined;
  readonly application: Application;
}

/** Handles an operation, or mocks it: a fault, a preference or the lack of a handler asks for that. */
export async function handleOrMock(parts: HandleParts, call: OperationCall): Promise<Handled> {
  const { route, preferences, applied } = call;
  const injected = applied.effect?.response;
  const handler = preferences.isForced || injected?.phase === 'before' ? undefined : parts.getImplementation(route);
  if (handler && !injected) return runHandler(parts, handler, call);
  // A fault replaces the response of the handler, also that of a request that it declines.
  if (handler) await runHandler(parts, handler, call).catch(rethrowUnlessDeclined);
  const response = injected ? createFaultResponse(parts, call, injected) : createPreferredResponse(parts, call);
  return { response: completeMockResponse(call, response), revision: undefined };
}

function rethrowUnlessDeclined(error: unknown): void {
  if (!(error instanceof DomainError)) throw error;
}

async function runHandler(parts: HandleParts, handler: Implementation, call: OperationCall): Promise<Handled> {
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
      const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
      return Object.fromEntries(entries);
    },
  };
}

/** Returns what a handler has returned. Throws `HttpProblemError` if it is no response: a user's own handler may return anything. */
function checkReturned(route: Route, returned: unknown): HandlerResponse {
  const { status, headers = {} } = (returned ?? {}) as HandlerResponse;
  const messageHeader = Object.keys(headers).find(isMessageHeader);
  if (messageHeader !== undefined) {
    const detail = `the handler of ${route.operationId} returned the header ${messageHeader}, which the server itself writes: leave it out`;
    throw new HttpProblemError({ code: 'internal-error', detail });
  }
  const isStatus = status === undefined || (Number.isInteger(status) && status >= 200 && status <= 599);
  if (typeof returned === 'object' && returned !== null && isStatus) return returned;
  const detail = `the handler of ${route.operationId} gave back no answer: it has to be an object such as { body }, with a status from 200 to 599 if any`;
  throw new HttpProblemError({ code: 'internal-error', detail });
}

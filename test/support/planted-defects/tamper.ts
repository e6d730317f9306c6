import type { OperationId } from '../../../src/shop/types.ts';
import { documentedOperations } from '../fixtures/contract-document.ts';
import type { Forward, HeaderLines, ProxyRequest, ProxyResponse, Tamper } from './proxy.ts';

/** A JSON value that a defect changes. */
// biome-ignore lint/suspicious/noExplicitAny: a defect knows the type of the JSON that it changes.
export type Json = any;

/** The method of each operation, and a pattern that matches its path. */
const OPERATIONS: ReadonlyMap<string, readonly [method: string, path: RegExp]> = new Map(
  documentedOperations.map(({ operationId, method, path }) => [
    operationId,
    [method.toUpperCase(), new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)],
  ]),
);

/** Returns whether a request is for this operation. If `operationId` is undefined, returns whether the path is below /api. HEAD counts as GET. */
export function isRequestFor({ method, target }: ProxyRequest, operationId: OperationId | undefined): boolean {
  const path = getPath(target);
  if (operationId === undefined) return path.startsWith('/api/');
  const [expectedMethod, pattern] = OPERATIONS.get(operationId) ?? [];
  return (method === 'HEAD' ? 'GET' : method) === expectedMethod && pattern?.test(path) === true;
}

/** Returns the path of a request target, without the query and without a slash at the end. */
export function getPath(target: string): string {
  return (target.split('?')[0] ?? '').replace(/\/$/, '');
}

/** Returns a request target with a changed query. `change` returns the new query; an empty text removes the query. */
export function withQuery(target: string, change: (query: string) => string): string {
  const [path = '', query = ''] = target.split('?');
  const changed = change(query);
  return changed === '' ? path : `${path}?${changed}`;
}

/** Returns whether a response has a success status. */
export function isSuccess({ status }: ProxyResponse): boolean {
  return status >= 200 && status < 300;
}

/** Creates a defect that changes the responses of an operation, or of all operations if `operationId` is undefined. HEAD counts as GET. */
export function changeResponses(
  operationId: OperationId | undefined,
  change: (response: ProxyResponse, request: ProxyRequest) => ProxyResponse,
): () => Tamper {
  return () => async (request, pass) => {
    if (!isRequestFor(request, operationId)) return pass(request);
    const whole = request.method === 'HEAD' ? { ...request, method: 'GET' } : request;
    return change(await pass(whole), whole);
  };
}

/** Creates a defect that changes the JSON bodies of the success responses of an operation. */
export function changeBodies(
  operationId: OperationId,
  change: (body: Json, request: ProxyRequest) => unknown,
): () => Tamper {
  return changeResponses(operationId, (response, request) =>
    isSuccess(response) && response.body.length > 0
      ? replaceBody(response, change(parseBody(response), request))
      : response,
  );
}

/** Creates a defect that changes the problem documents of all operations. */
export function changeProblems(change: (problem: Json, request: ProxyRequest) => unknown): () => Tamper {
  return changeResponses(undefined, (response, request) =>
    isProblem(response) ? replaceBody(response, change(parseBody(response), request)) : response,
  );
}

/** Creates a defect that changes the requests for an operation, or for all operations if `operationId` is undefined. */
export function changeRequests(
  operationId: OperationId | undefined,
  change: (request: ProxyRequest) => ProxyRequest,
): () => Tamper {
  return () => (request, pass) => pass(isRequestFor(request, operationId) ? change(request) : request);
}

/** Creates a defect that changes the JSON objects in request bodies of an operation. If `change` returns the same object, the body is not changed at all. */
export function changeInputs(operationId: OperationId, change: (body: Json) => unknown): () => Tamper {
  return changeRequests(operationId, (request) => {
    const body = parseBody(request);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return request;
    const changed = change(body);
    return changed === body || isTooDeep(request) ? request : replaceBody(request, changed);
  });
}

/** The maximum depth of a JSON body that is serialized again. Thousands of levels would overflow the call stack. */
const TOO_DEEP = 1_000;

function isTooDeep({ body }: ProxyRequest): boolean {
  return body.toString().split(/[[{]/).length > TOO_DEEP;
}

/** Responds as the shop responds to an unknown path. */
export async function respondNotFound(request: ProxyRequest, pass: Forward): Promise<ProxyResponse> {
  const missing = '/api/missing';
  const response = await pass({ ...request, method: 'GET', target: missing });
  return { ...response, body: Buffer.from(response.body.toString().replaceAll(missing, getPath(request.target))) };
}

/** Creates a defect: for requests of an operation for which `isHit` returns true, `respond` returns the response. All other requests go to the shop. */
export function respondInstead(
  operationId: OperationId | undefined,
  isHit: (request: ProxyRequest) => boolean,
  respond: (request: ProxyRequest, pass: Forward) => ProxyResponse | Promise<ProxyResponse>,
): () => Tamper {
  return () => async (request, pass) =>
    isRequestFor(request, operationId) && isHit(request) ? respond(request, pass) : pass(request);
}

/** Parses the JSON body of a message. Returns undefined if the body is not JSON. */
export function parseBody({ body }: { readonly body: Buffer }): Json {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Returns a message with `body` as its JSON body. Undefined removes the body. */
export function replaceBody<Message extends { readonly body: Buffer }>(message: Message, body: unknown): Message {
  return { ...message, body: Buffer.from(body === undefined ? '' : JSON.stringify(body)) };
}

/** Returns a message in which a header has this value. Undefined removes the header. */
export function withHeader<Message extends { readonly headers: HeaderLines }>(
  message: Message,
  name: string,
  value: string | undefined,
): Message {
  const others = message.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...message, headers: value === undefined ? others : [...others, [name, value] as const] };
}

/** Returns the value of a header. Returns undefined if the header is missing. */
export function getHeader({ headers }: { readonly headers: HeaderLines }, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
}

/** Returns a response with status 200 and a JSON body. */
export function toJsonResponse(response: ProxyResponse, body: unknown): ProxyResponse {
  return replaceBody(withHeader({ ...response, status: 200 }, 'Content-Type', 'application/json'), body);
}

/** Responds with 500 and the problem document that the contract defines for an internal error. */
export async function respondWithError(request: ProxyRequest, pass: Forward): Promise<ProxyResponse> {
  const response = withHeader(await pass(request), 'Content-Type', 'application/problem+json');
  const detail = "the server failed to handle the request: the error is in the server's log";
  return replaceBody(
    { ...response, status: 500 },
    {
      type: '/problems/internal-error',
      title: 'Internal server error',
      status: 500,
      detail,
      message: detail,
      instance: getPath(request.target),
    },
  );
}

/** Returns a response with another status. In a problem document, also changes the property `status`. */
export function withStatus(response: ProxyResponse, status: number): ProxyResponse {
  if (!isProblem(response)) return { ...response, status };
  return replaceBody({ ...response, status }, { ...parseBody(response), status });
}

function isProblem(response: ProxyResponse): boolean {
  return getHeader(response, 'content-type') === 'application/problem+json';
}

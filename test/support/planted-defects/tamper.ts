import type { OperationId } from '../../../src/shop/types.ts';
import { documentedOperations } from '../fixtures/contract-document.ts';
import type { Forward, HeaderLines, ProxyRequest, ProxyResponse, Tamper } from './proxy.ts';

/** A JSON value that a defect changes. */
// biome-ignore lint/suspicious/noExplicitAny: a defect knows the type of the JSON that it changes.
export type Json = any;

/** The method and the pattern of the path of each operation. */
const OPERATIONS: ReadonlyMap<string, readonly [method: string, path: RegExp]> = new Map(
  documentedOperations.map(({ operationId, method, path }) => [
    operationId,
    [method.toUpperCase(), new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)],
  ]),
);

/** Returns whether a request is for an operation, or for any path below /api without one; HEAD counts as GET. */
export function isRequestFor({ method, target }: ProxyRequest, operationId: OperationId | undefined): boolean {
  const path = getPath(target);
  if (operationId === undefined) return path.startsWith('/api/');
  const [expectedMethod, pattern] = OPERATIONS.get(operationId) ?? [];
  return (method === 'HEAD' ? 'GET' : method) === expectedMethod && pattern?.test(path) === true;
}

/** Returns the path of a target without its query and a trailing slash. */
export function getPath(target: string): string {
  return (target.split('?')[0] ?? '').replace(/\/$/, '');
}

/** Returns a target with another query; an empty text removes it. */
export function withQuery(target: string, change: (query: string) => string): string {
  const [path = '', query = ''] = target.split('?');
  const changed = change(query);
  return changed === '' ? path : `${path}?${changed}`;
}

/** Returns whether a response has a success status. */
export function isSuccess({ status }: ProxyResponse): boolean {
  return status >= 200 && status < 300;
}

/** Changes the responses of an operation; HEAD counts as GET. */
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

/** Changes the JSON of an operation's success responses. */
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

/** Changes the problem documents of all operations. */
export function changeProblems(change: (problem: Json, request: ProxyRequest) => unknown): () => Tamper {
  return changeResponses(undefined, (response, request) =>
    isProblem(response) ? replaceBody(response, change(parseBody(response), request)) : response,
  );
}

/** Changes the requests for an operation. */
export function changeRequests(
  operationId: OperationId | undefined,
  change: (request: ProxyRequest) => ProxyRequest,
): () => Tamper {
  return () => (request, pass) => pass(isRequestFor(request, operationId) ? change(request) : request);
}

/** Changes the objects in the bodies for an operation; an unchanged body is forwarded byte for byte. */
export function changeInputs(operationId: OperationId, change: (body: Json) => unknown): () => Tamper {
  return changeRequests(operationId, (request) => {
    const body = parseBody(request);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return request;
    const changed = change(body);
    return changed === body || isTooDeep(request) ? request : replaceBody(request, changed);
  });
}

/** The maximum depth of JSON that is written again. With thousands of levels the stack overflows. */
const TOO_DEEP = 1_000;

function isTooDeep({ body }: ProxyRequest): boolean {
  return body.toString().split(/[[{]/).length > TOO_DEEP;
}

/** Responds as if the path of the request did not exist. */
export async function respondNotFound(request: ProxyRequest, pass: Forward): Promise<ProxyResponse> {
  const missing = '/api/missing';
  const response = await pass({ ...request, method: 'GET', target: missing });
  return { ...response, body: Buffer.from(response.body.toString().replaceAll(missing, getPath(request.target))) };
}

/** Responds to requests for an operation that match `isHit` without the shop. */
export function respondInstead(
  operationId: OperationId | undefined,
  isHit: (request: ProxyRequest) => boolean,
  respond: (request: ProxyRequest, pass: Forward) => ProxyResponse | Promise<ProxyResponse>,
): () => Tamper {
  return () => async (request, pass) =>
    isRequestFor(request, operationId) && isHit(request) ? respond(request, pass) : pass(request);
}

/** Returns the JSON of a message; undefined without JSON. */
export function parseBody({ body }: { readonly body: Buffer }): Json {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Returns a message with this JSON body; undefined removes the body. */
export function replaceBody<Message extends { readonly body: Buffer }>(message: Message, body: unknown): Message {
  return { ...message, body: Buffer.from(body === undefined ? '' : JSON.stringify(body)) };
}

/** Returns a message with one value of a header; undefined removes the header. */
export function withHeader<Message extends { readonly headers: HeaderLines }>(
  message: Message,
  name: string,
  value: string | undefined,
): Message {
  const others = message.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...message, headers: value === undefined ? others : [...others, [name, value] as const] };
}

/** Returns the value of a header; undefined if it is missing. */
export function getHeader({ headers }: { readonly headers: HeaderLines }, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
}

/** Returns a response as JSON with a success status. */
export function toJsonResponse(response: ProxyResponse, body: unknown): ProxyResponse {
  return replaceBody(withHeader({ ...response, status: 200 }, 'Content-Type', 'application/json'), body);
}

/** Returns an internal error as the contract defines it. */
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

/** Returns the problem document of a response with another status. */
export function withStatus(response: ProxyResponse, status: number): ProxyResponse {
  if (!isProblem(response)) return { ...response, status };
  return replaceBody({ ...response, status }, { ...parseBody(response), status });
}

function isProblem(response: ProxyResponse): boolean {
  return getHeader(response, 'content-type') === 'application/problem+json';
}

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
  return () => async (asked, pass) => {
    if (!isRequestFor(asked, operationId)) return pass(asked);
    const whole = asked.method === 'HEAD' ? { ...asked, method: 'GET' } : asked;
    return change(await pass(whole), whole);
  };
}

/** Changes the JSON of an operation's success responses. */
export function changeBodies(
  operationId: OperationId,
  change: (body: Json, asked: ProxyRequest) => unknown,
): () => Tamper {
  return changeResponses(operationId, (answer, asked) =>
    isSuccess(answer) && answer.body.length > 0 ? replaceBody(answer, change(parseBody(answer), asked)) : answer,
  );
}

/** Changes the problem documents of all operations. */
export function changeProblems(change: (problem: Json, asked: ProxyRequest) => unknown): () => Tamper {
  return changeResponses(undefined, (answer, asked) =>
    isProblem(answer) ? replaceBody(answer, change(parseBody(answer), asked)) : answer,
  );
}

/** Changes the requests for an operation. */
export function changeRequests(
  operationId: OperationId | undefined,
  change: (asked: ProxyRequest) => ProxyRequest,
): () => Tamper {
  return () => (asked, pass) => pass(isRequestFor(asked, operationId) ? change(asked) : asked);
}

/** Changes the objects in the bodies for an operation; an unchanged body is forwarded byte for byte. */
export function changeInputs(operationId: OperationId, change: (body: Json) => unknown): () => Tamper {
  return changeRequests(operationId, (asked) => {
    const body = parseBody(asked);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return asked;
    const changed = change(body);
    return changed === body || isTooDeep(asked) ? asked : replaceBody(asked, changed);
  });
}

/** The depth from which on JSON is read but not written again: with thousands of levels the stack overflows. */
const TOO_DEEP = 1_000;

function isTooDeep({ body }: ProxyRequest): boolean {
  return body.toString().split(/[[{]/).length > TOO_DEEP;
}

/** Responds as if the path of the request did not exist. */
export async function respondNotFound(asked: ProxyRequest, pass: Forward): Promise<ProxyResponse> {
  const missing = '/api/missing';
  const answer = await pass({ ...asked, method: 'GET', target: missing });
  return { ...answer, body: Buffer.from(answer.body.toString().replaceAll(missing, getPath(asked.target))) };
}

/** Responds to requests for an operation that match `isHit` without the shop. */
export function respondInstead(
  operationId: OperationId | undefined,
  isHit: (asked: ProxyRequest) => boolean,
  answer: (asked: ProxyRequest, pass: Forward) => ProxyResponse | Promise<ProxyResponse>,
): () => Tamper {
  return () => async (asked, pass) =>
    isRequestFor(asked, operationId) && isHit(asked) ? answer(asked, pass) : pass(asked);
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
export function toJsonResponse(answer: ProxyResponse, body: unknown): ProxyResponse {
  return replaceBody(withHeader({ ...answer, status: 200 }, 'Content-Type', 'application/json'), body);
}

/** Returns an internal error as the contract defines it. */
export async function respondWithError(asked: ProxyRequest, pass: Forward): Promise<ProxyResponse> {
  const answer = withHeader(await pass(asked), 'Content-Type', 'application/problem+json');
  const detail = "the server failed to handle the request: the error is in the server's log";
  return replaceBody(
    { ...answer, status: 500 },
    {
      type: '/problems/internal-error',
      title: 'Internal server error',
      status: 500,
      detail,
      message: detail,
      instance: getPath(asked.target),
    },
  );
}

/** Returns the problem document of a response with another status. */
export function withStatus(answer: ProxyResponse, status: number): ProxyResponse {
  if (!isProblem(answer)) return { ...answer, status };
  return replaceBody({ ...answer, status }, { ...parseBody(answer), status });
}

function isProblem(answer: ProxyResponse): boolean {
  return getHeader(answer, 'content-type') === 'application/problem+json';
}

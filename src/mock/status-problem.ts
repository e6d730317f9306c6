import { STATUS_CODES } from 'node:http';
import type { Contract } from '../openapi/contract.ts';
import { isNode } from '../openapi/document.ts';
import type { DocumentedResponse, ResponseToVerify } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';

/** The `detail` of error responses for which the contract has no example, by status. */
const DETAILS: Readonly<Record<number, string>> = {
  401: 'the request has no valid credentials: sign in',
  402: 'the request requires a payment',
  403: 'the client is not allowed to send this request',
  404: 'nothing was found at this path',
  405: 'the path does not support this method: use one of the methods in the Allow header',
  406: 'no representation is acceptable to the client',
  408: 'the request did not arrive in time: send it again',
  409: 'the request conflicts with the state of the resource',
  410: 'the resource is permanently gone',
  412: 'a precondition of the request failed',
  413: 'the content of the request is too large: send less content',
  414: 'the target of the request is too long',
  415: 'the media type of the request is not supported',
  422: 'the content of the request is well-formed, but cannot be processed',
  423: 'the resource is locked',
  425: 'the request may be a replay: send it again',
  428: 'the request must be conditional',
  429: 'too many requests: try again after the time in Retry-After',
  500: 'the server has an internal error: this is not caused by the request',
  501: 'the server does not support what the request needs',
  502: 'a gateway got an invalid response from the server: try again',
  503: 'the server cannot handle the request now: try again after the time in Retry-After',
  504: 'a gateway got no response from the server in time: try again',
  507: 'the server has no room to store what the request needs',
};

/**
 * Creates a problem document (RFC 9457) for a status, with the type `about:blank` and the name of the status as title.
 */
export function createStatusProblem(status: number) {
  const detail = DETAILS[status] ?? `the request failed with status ${status}`;
  const title = STATUS_CODES[status] ?? `Status ${status}`;
  return { type: 'about:blank', title, status, detail, message: detail, error: detail, instance: '/' };
}

/** Returns whether a body is valid against the schema of its response. */
type IsValid = (value: unknown) => boolean;

/**
 * Replaces `detail` and `message` in the body of a 405 with texts that name no path.
 * If several paths share an example, its texts can name the wrong path.
 */
export function replaceOtherPath(isValid: IsValid, body: unknown): unknown {
  if (!isNode(body)) return body;
  const { detail, message } = createStatusProblem(405);
  const texts = Object.entries({ detail, message }).filter(([name]) => typeof body[name] === 'string');
  const updated = { ...body, ...Object.fromEntries(texts) };
  return isValid(updated) ? updated : body;
}

/** Returns the methods that the contract documents for the path of an operation. */
export function getMethodsAtPath({ routes }: Pick<Contract, 'routes'>, { path }: Route): readonly string[] {
  return routes.filter((route) => route.path === path).map(({ method }) => method);
}

/**
 * Creates an error response that the contract does not document.
 * A gateway in front of the server can send such a response.
 * `methods`: the methods of the path.
 */
export function createErrorResponse(
  contract: Pick<Contract, 'isValid'>,
  methods: readonly string[],
  status: number,
): ResponseToVerify {
  const headers = { 'Content-Type': 'application/problem+json' };
  const documented = { headers: [], methods };
  return {
    status,
    headers: setStatusHeaders(contract, { status, headers }, documented),
    body: createStatusProblem(status),
  };
}

/** The value of `Retry-After` in a 429 or 503, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Adds the header `Allow` to a 405, and `Retry-After` to a 429 or 503.
 * Removes these headers from other error responses, if the contract does not require them.
 * `documented`: the documented headers of the response, and the methods of the path.
 */
export function setStatusHeaders(
  contract: Pick<Contract, 'isValid'>,
  { status, headers }: ResponseToVerify,
  documented: Pick<DocumentedResponse, 'headers'> & { readonly methods: readonly string[] },
): Readonly<Record<string, string>> {
  const needed = [
    ['Allow', status === 405 ? documented.methods.join(', ') : undefined],
    ['Retry-After', status === 429 || status === 503 ? RETRY_AFTER_SECONDS : undefined],
  ] as const;
  const result: Record<string, string> = { ...headers };
  for (const [name, value] of needed) {
    const isSame = (other: string) => other.toLowerCase() === name.toLowerCase();
    const { isRequired = false, schema } = documented.headers.find((header) => isSame(header.name)) ?? {};
    const present = Object.keys(headers).find(isSame);
    if (value === undefined) {
      if (present !== undefined && !isRequired) delete result[present];
    } else if (name === 'Allow' || present === undefined) {
      if (schema === undefined || contract.isValid(schema, value)) result[name] = String(value);
    }
  }
  return result;
}

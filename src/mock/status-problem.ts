import { STATUS_CODES } from 'node:http';
import type { Contract } from '../openapi/contract.ts';
import { isNode } from '../openapi/document.ts';
import type { DocumentedResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { ResponseToVerify } from '../openapi/verify-response.ts';

/** What a response of a status says, where the contract says nothing of this status alone. */
const DETAILS: Readonly<Record<number, string>> = {
  401: 'the request has no valid credentials: sign in',
  402: 'the request needs a payment first',
  403: 'the request is understood, and refused: it may not be sent by this client',
  404: 'there is nothing at this path',
  405: 'the path does not have this method: the Allow header lists those that it has',
  406: 'no representation is acceptable to the client',
  408: 'the request did not arrive in time: send it again',
  409: 'the request conflicts with the state of the resource',
  410: 'the resource is gone for good',
  412: 'a precondition of the request does not hold',
  413: 'the content of the request is too large: send less',
  414: 'the target of the request is too long',
  415: 'the media type of the request is not supported',
  422: 'the content of the request is well-formed, and can not be processed',
  423: 'the resource is locked',
  425: 'the request may be a replay: send it again',
  428: 'the request must be conditional',
  429: 'too many requests in a short time: try again after the time in Retry-After',
  500: 'the server has an error: this is not the fault of the request',
  501: 'the server does not support what the request needs',
  502: 'a gateway got an invalid response from the server behind it: try again',
  503: 'the server cannot handle the request at the moment: try again after the time in Retry-After',
  504: 'a gateway got no response in time from the server behind it: try again',
  507: 'the server has no room to store what the request needs',
};

/** The fields of the error response to a status: a problem document (RFC 9457), whose type `about:blank` has the title of the status. */
export function statusProblem(status: number) {
  const detail = DETAILS[status] ?? `the request failed with status ${status}`;
  const title = STATUS_CODES[status] ?? `Status ${status}`;
  return { type: 'about:blank', title, status, detail, message: detail, instance: '/' };
}

/** The body of a 405 with a detail that names no other path, as an example that several paths share does. */
export function withoutOtherPath(
  contract: Pick<Contract, 'holds'>,
  schema: string | undefined,
  body: unknown,
): unknown {
  if (!isNode(body)) return body;
  const { detail, message } = statusProblem(405);
  const own = {
    ...body,
    ...(typeof body.detail === 'string' ? { detail } : {}),
    ...(typeof body.message === 'string' ? { message } : {}),
  };
  return schema === undefined || contract.holds(schema, own) ? own : body;
}

/** Returns the methods that the contract has at the path of an operation. */
export function methodsAt({ routes }: Pick<Contract, 'routes'>, { path }: Pick<Route, 'path'>): readonly string[] {
  return routes.filter((route) => route.path === path).map(({ method }) => method);
}

/** The error response to a status that the contract does not document, as a gateway before the server may send it. `methods`: those of the path. */
export function errorAnswer(
  contract: Pick<Contract, 'holds'>,
  methods: readonly string[],
  status: number,
): ResponseToVerify {
  const response = { name: String(status), pointer: '', media: {}, headers: [] };
  return {
    status,
    headers: headersOfStatus(contract, methods, { response, status }, { 'Content-Type': 'application/problem+json' }),
    body: statusProblem(status),
  };
}

/** After how many seconds a client may try again that got 429 or 503. */
const RETRY_AFTER_SECONDS = 1;

/** The headers of an error response with those that its status calls for, and without those of other statuses. `methods`: those of the path. */
export function headersOfStatus(
  contract: Pick<Contract, 'holds'>,
  methods: readonly string[],
  { response, status }: { readonly response: DocumentedResponse; readonly status: number },
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const wanted: Readonly<Record<string, string | number | undefined>> = {
    allow: status === 405 ? methods.join(', ') : undefined,
    'retry-after': status === 429 || status === 503 ? RETRY_AFTER_SECONDS : undefined,
  };
  const documented = (name: string) => response.headers.find((header) => header.name.toLowerCase() === name);
  const kept = Object.entries(headers).filter(
    ([name]) =>
      !(name.toLowerCase() in wanted) ||
      wanted[name.toLowerCase()] !== undefined ||
      documented(name.toLowerCase())?.isRequired,
  );
  const given = new Set(kept.map(([name]) => name.toLowerCase()));
  const added = [['Allow', 'allow'] as const, ['Retry-After', 'retry-after'] as const].flatMap(([name, key]) => {
    const value = wanted[key];
    const schema = documented(key)?.schema;
    const isUsable = value !== undefined && (schema === undefined || contract.holds(schema, value));
    return isUsable && (key === 'allow' || !given.has(key)) ? [[name, String(value)] as const] : [];
  });
  return Object.fromEntries([...kept, ...added]);
}

/** The same under the names that other error responses have. */
function fieldsOf(status: number): Readonly<Record<string, readonly unknown[]>> {
  const { type, title, detail, message } = statusProblem(status);
  const slug = title.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  return {
    type: [type],
    title: [title],
    status: [status, String(status)],
    statusCode: [status],
    code: [status, slug],
    error: [title],
    detail: [detail],
    message: [message],
    description: [detail],
  };
}

/** A body of an error response with its own fields telling of a status, as far as they then hold by the schema. */
export function describingStatus(
  contract: Pick<Contract, 'holds'>,
  schema: string | undefined,
  base: unknown,
  status: number,
): unknown {
  if (!isNode(base)) return base;
  const holds = (value: unknown) => schema === undefined || contract.holds(schema, value);
  const fields = fieldsOf(status);
  let body = base;
  for (const name of Object.keys(base)) {
    const { [name]: _, ...others } = body;
    const changed = (fields[name] ?? []).filter((value) => typeof value === typeof base[name]);
    // What the body says of another status goes.
    const without = name in fields || name === 'instance' ? [] : [others];
    const whole = { ...body };
    body = [...changed.map((value) => ({ ...whole, [name]: value })), ...without].find(holds) ?? body;
  }
  return body;
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Application } from '../../application.ts';
import type { Sandboxes } from '../../sandbox/registry.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../../util/sandbox-id.ts';
import { HttpProblemError, toHttpProblem } from '../problem.ts';
import type { HttpRequest } from './request.ts';
import { type Headers, NO_HEADERS } from './response.ts';
import type { NamedSandbox, Scope, Target } from './values.ts';

/**
 * Handles a request in the sandbox that it names, which is created if there is none; in `default` if it names none. A request with a body is received
 * to its end before: one that ends early creates no sandbox. A rejection has the headers that tell of an expired sandbox.
 */
export async function enterSandbox<Result>(
  { sandboxes, application }: { readonly sandboxes: Sandboxes; readonly application: Application },
  { request, target }: { readonly request: HttpRequest; readonly target: Target },
  handle: (scope: Scope) => Promise<Result>,
): Promise<Result> {
  const { sandbox: named, kind, location } = target;
  if (!named)
    return handle({ sandbox: sandboxes.default, isNamed: false, headers: getControlHeaders(sandboxes, target) });
  if (kind === 'image' && location.prefix === '') return handle(findScope(sandboxes, named.id));
  if (request.body.isSent) await receiveBody(request, target);
  const expired = getExpiryHeaders(sandboxes, named.id);
  const headers = expired === NO_HEADERS ? { 'X-Sandbox': named.id } : { ...expired, 'X-Sandbox': named.id };
  try {
    return await sandboxes.use(named.id, (sandbox) => handle({ sandbox, isNamed: true, headers }));
  } catch (error) {
    throw withHeaders(error, expired, application);
  }
}

/** Faults apply to an image in a sandbox that exists; an image creates none. */
function findScope(sandboxes: Sandboxes, id: string): Scope {
  const sandbox = sandboxes.find(id);
  return { sandbox: sandbox ?? sandboxes.default, isNamed: sandbox !== undefined, headers: NO_HEADERS };
}

/** Receives the body. Whether it is valid is for the operation to find out. */
async function receiveBody({ body, client }: HttpRequest, { route }: Target): Promise<void> {
  await body.read(Object.keys(route?.bodyMedia ?? {})).catch((error) => {
    if (!body.isComplete && (client.isGone || client.hasResponse)) throw error;
  });
}

/** The headers of a response of the control API, whose path has the sandbox. */
function getControlHeaders(sandboxes: Sandboxes, { api, route, location }: Target): Headers {
  if (api.isSimulated || !route) return NO_HEADERS;
  const { id } = route.pathParameters(location.path);
  return id === undefined ? NO_HEADERS : getExpiryHeaders(sandboxes, id);
}

/** Returns when the sandbox of an id expired, if there is no new one. */
function getExpiryHeaders(sandboxes: Sandboxes, id: string): Headers {
  const atMs = sandboxes.expiredAtMs(id);
  return atMs === undefined ? NO_HEADERS : { 'X-Sandbox-Expired': toIsoTime(atMs) };
}

function withHeaders(error: unknown, headers: Headers, { problems }: Application): unknown {
  const problem = toHttpProblem(error, problems);
  return problem ? new HttpProblemError({ ...problem, headers: { ...problem.headers, ...headers } }) : error;
}

const HEADER = 'x-sandbox';
const IN_PATH = /^(\/_sandbox\/([^/?]*))(\/[^?]*)?(\?.*)?$/;
const IN_HOST = /^([^.]+)\.localhost(?::\d+)?$/i;
const IN_COOKIE = /(?:^|;\s*)sandbox=([^;]*)/;

/** Whether a request can name a sandbox: a fast test, which most requests fail. */
export function mayNameSandbox(target: string, headers: IncomingHttpHeaders): boolean {
  return (
    headers[HEADER] !== undefined ||
    target.startsWith('/_sandbox/') ||
    (headers.cookie?.includes('sandbox=') ?? false) ||
    /\.localhost(:|$)/i.test(headers.host ?? '')
  );
}

/**
 * Returns the sandbox that a request names by header, path, host or cookie, in this order; undefined if it names none. Throws `HttpProblemError` for an
 * invalid id in header or path, and if the two differ. A host or a cookie without a valid id means something else.
 */
export function getNamedSandbox(target: string, headers: IncomingHttpHeaders): NamedSandbox | undefined {
  const header = headers[HEADER]?.toString();
  const [, prefix = '', inPath, rest = '/', query = ''] = IN_PATH.exec(target) ?? [];
  if (header !== undefined && !SANDBOX_ID.test(header)) throw createIdProblem('header', header, SANDBOX_ID_REMEDY);
  if (inPath !== undefined && !SANDBOX_ID.test(inPath)) throw createIdProblem('path', inPath, SANDBOX_ID_REMEDY);
  if (header !== undefined && inPath !== undefined && header !== inPath)
    throw createIdProblem('header', header, `it differs from ${inPath} in the path: send one of them`);
  const id = header ?? inPath ?? findId(IN_HOST, headers.host?.toLowerCase()) ?? findId(IN_COOKIE, headers.cookie);
  return id === undefined ? undefined : { id, prefix, target: prefix === '' ? target : rest + query };
}

function findId(pattern: RegExp, text: string | undefined): string | undefined {
  const id = pattern.exec(text ?? '')?.[1]?.trim();
  return id !== undefined && SANDBOX_ID.test(id) ? id : undefined;
}

function createIdProblem(place: 'header' | 'path', id: string, remedy: string): HttpProblemError {
  const value = id.slice(0, 100);
  const [pointer, source] = place === 'header' ? ['/X-Sandbox', 'X-Sandbox header'] : ['/sandbox', 'path'];
  const detail = `the sandbox ${JSON.stringify(value)} in the ${source} is invalid: ${remedy}`;
  const violation = { in: place, pointer, rule: 'sandbox', value, remedy };
  return new HttpProblemError({ code: 'invalid-request', detail, violations: [violation] });
}

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text as readText } from 'node:stream/consumers';
import type { ControlId, ControlResponse, ControlViolation } from '../control/operation.ts';
import { UserError } from '../util/issue.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/**
 * An error of a request to the control API.
 * If the server rejected the request, the message contains the `detail` of the problem document.
 */
export class ControlError extends UserError {
  override readonly name = 'ControlError';
  /** The status of the response; undefined if there was no response. */
  readonly status: number | undefined;
  /** The violations in the problem document: the parts of the request that violate the contract of the control API. */
  readonly violations: readonly ControlViolation[];

  constructor(message: string, options: Partial<Pick<ControlError, 'status' | 'violations' | 'cause'>> = {}) {
    super(message, options);
    this.status = options.status;
    this.violations = options.violations ?? [];
  }
}

/** A server with a control API. */
export interface ControlServer {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  /** The bearer token of the control API; undefined if the control API requires none. */
  readonly token: string | undefined;
}

/** A request to the control API. */
export interface ControlRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The part of the path after /_control/. */
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Converts values to a query string that starts with `?`.
 * Ignores undefined values.
 * Returns an empty string if there are no values.
 */
export function toQuery(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}

/**
 * Sends a request to the control API.
 * Resolves to the body of the response.
 * Rejects with a `ControlError` if the request fails.
 */
export async function sendControlRequest<Id extends ControlId>(
  server: ControlServer,
  request: ControlRequest,
): Promise<ControlResponse<Id>> {
  const response = await send(server, request);
  const body = await readJson(server, response);
  const { statusCode: status = 0 } = response;
  const hasBody = body !== undefined || status === 204;
  if (status < 200 || status > 299 || !hasBody) throw createResponseError(server, response, body);
  return body as ControlResponse<Id>;
}

/**
 * Yields the journal entries of server-sent events until the server ends the stream.
 * Calls `onSandboxEnd` with a message if the stream ends because the sandbox was removed or has expired.
 * Throws a `ControlError` if the request fails or the connection is lost.
 */
export async function* followControlEvents(
  server: ControlServer,
  path: string,
  onSandboxEnd: (message: string) => void = () => {},
): AsyncGenerator<unknown> {
  const response = await send(server, { method: 'GET', path, accept: EVENT_STREAM });
  if (!response.headers['content-type']?.startsWith(EVENT_STREAM)) {
    const hasFailed = response.statusCode !== 200;
    // If another program runs on this port, its response may never end.
    if (!hasFailed) response.destroy();
    throw createResponseError(server, response, hasFailed ? await readJson(server, response) : undefined);
  }
  let event = '';
  for await (const line of readLines(server, response)) {
    if (line.startsWith(EVENT)) event = line.slice(EVENT.length);
    if (!line.startsWith(DATA)) continue;
    const data = parseJson(line.slice(DATA.length));
    if (data === undefined) throw createResponseError(server, response, data);
    if (SANDBOX_END_EVENTS.includes(event)) return onSandboxEnd(describeSandboxEnd(event, data));
    if (event !== 'ended') yield data;
  }
}

const EVENT_STREAM = 'text/event-stream';
const EVENT = 'event: ';
const DATA = 'data: ';

/** The events that end a stream because its sandbox was removed or expired. */
const SANDBOX_END_EVENTS: readonly string[] = ['removed', 'expired'];

function describeSandboxEnd(event: string, data: unknown): string {
  const { sandbox, at } = (data ?? {}) as { readonly sandbox?: unknown; readonly at?: unknown };
  return `The sandbox ${sandbox} ${event === 'removed' ? 'was removed' : 'expired'} at ${at}.`;
}

async function* readLines(server: ControlServer, response: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const text of response.setEncoding('utf8')) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (cause) {
    throw createConnectionError(server, cause as Error);
  }
}

/**
 * The maximum time without data from the server, in ms.
 * It is longer than a verification (60 s) and the interval of comments in a stream (15 s).
 */
const MAX_SILENCE_MS = 90_000;

/**
 * Sends a request with `node:http`, because `fetch` may be missing or apply CORS rules in a test environment such as
 * jsdom.
 */
function send(
  server: ControlServer,
  { method, path, body, accept }: ControlRequest & { readonly accept?: string },
): Promise<IncomingMessage> {
  const { url, token } = server;
  const headers = {
    ...(accept !== undefined && { accept }),
    ...((method === 'PUT' || method === 'POST') && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const createRequest = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
    // Each request has a new connection, because the server may close an idle connection when a request reuses it.
    const request = createRequest(`${url}/_control/${path}`, { method, headers, agent: false });
    let pending: ClientRequest | IncomingMessage = request;
    request.on('response', (response) => {
      pending = response;
      resolve(response);
    });
    request.setTimeout(MAX_SILENCE_MS, () => {
      const silence = `The server at ${url} sent nothing for ${MAX_SILENCE_MS / 1000} s`;
      pending.destroy(new ControlError(`${silence}. Check which program listens there.`));
    });
    request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  }).catch((cause) => {
    throw createSendError(server, cause);
  });
}

function createSendError(server: ControlServer, cause: NodeJS.ErrnoException): ControlError {
  const message =
    cause.code === 'ERR_INVALID_CHAR'
      ? 'The token contains characters that a header cannot have. Use the token that the server was started with.'
      : `No server responds at ${server.url} (${cause.code ?? cause.message}). Start it, or use the address of a running server.`;
  return createConnectionError(server, cause, message);
}

function createConnectionError(
  { url }: ControlServer,
  cause: NodeJS.ErrnoException,
  message = `The connection to ${url} was lost (${cause.code ?? cause.message})`,
): ControlError {
  return cause instanceof ControlError ? cause : new ControlError(message, { cause });
}

/**
 * Creates the error for a problem document of the control API.
 * For any other response, creates the error for a server that has no control API.
 */
function createResponseError(
  server: ControlServer,
  { statusCode: status = 0, headers }: IncomingMessage,
  body: unknown,
): ControlError {
  const { detail, violations } = (body ?? {}) as { readonly detail?: unknown; readonly violations?: unknown };
  if (typeof detail !== 'string') {
    const redirect = headers.location === undefined ? '' : ` and redirects to ${headers.location}`;
    return createForeignServerError(server, `it responds with ${status}${redirect}`, status);
  }
  const valid = Array.isArray(violations) ? violations.filter(isViolation) : [];
  // The detail describes only the first violations.
  const others = valid.filter(({ pointer }) => !detail.includes(parsePointer(pointer).join('.')));
  const lines = others.map(({ pointer, remedy }) => `\n  ${pointer}: ${remedy}`);
  return new ControlError(detail + lines.join(''), { status, violations: valid });
}

/** Creates the error for a server that has no control API. `reason`: what is unexpected in its response. */
export function createForeignServerError({ url }: ControlServer, reason: string, status?: number): ControlError {
  return new ControlError(`The server at ${url} has no storefront control API: ${reason}`, { status });
}

function isViolation(value: unknown): value is ControlViolation {
  const { in: part, pointer, rule, remedy } = (value ?? {}) as Partial<ControlViolation>;
  return [part, pointer, rule, remedy].every((property) => typeof property === 'string');
}

/** Returns the parsed body of a response. Returns undefined if the body is empty or not JSON. */
async function readJson(server: ControlServer, response: IncomingMessage): Promise<unknown> {
  const text = await readText(response).catch((cause) => {
    throw createConnectionError(server, cause);
  });
  return parseJson(text);
}

function parseJson(text: string): unknown {
  return tryOrUndefined(() => JSON.parse(text));
}

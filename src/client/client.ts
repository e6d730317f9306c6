import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text as readText } from 'node:stream/consumers';
import type { ControlAnswer, ControlId } from '../control/operation.ts';
import { parsePointer } from '../util/json-pointer.ts';

/** A violation of the control API's contract by a request. */
export interface ControlViolation {
  /** JSON Pointer to the invalid value. */
  readonly pointer: string;
  readonly remedy: string;
  /** The part of the request. */
  readonly in?: string;
  /** The invalid value. */
  readonly value?: unknown;
}

/** An error of a request to the control API; `message` is the server's detail if the server declined it. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined;
  /** What is wrong with the request; empty if it violates nothing. */
  readonly violations: readonly ControlViolation[];

  constructor(message: string, { status, violations = [], cause }: ControlErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.violations = violations;
  }
}

interface ControlErrorOptions {
  readonly status?: number | undefined;
  readonly violations?: readonly ControlViolation[];
  readonly cause?: unknown;
}

/** A server with a control API. */
export interface ControlServer {
  /** The address, without a trailing slash. */
  readonly url: string;
  /** The bearer token of the control API; undefined if it requires none. */
  readonly token: string | undefined;
}

/** A request to the control API. */
export interface ControlRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The path below /_control/sandboxes/. */
  readonly path: string;
  readonly body?: unknown;
}

/** Returns a query string of all values that are not undefined; empty if there are none. */
export function toQuery(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}

/** Sends a request to the control API and returns the body of the response. Rejects with a `ControlError`. */
export async function sendControlRequest<Id extends ControlId>(
  server: ControlServer,
  request: ControlRequest,
): Promise<ControlAnswer<Id>> {
  const response = await send(server, request);
  const body = await readBody(server, response);
  const { statusCode: status = 0 } = response;
  const isEmpty = body === undefined && status !== 204;
  if (status < 200 || status > 299 || body === NOT_JSON || isEmpty) throw createResponseError(server, response, body);
  return body as ControlAnswer<Id>;
}

/**
 * Yields the parsed data of server-sent events until the server ends the stream. `onGone` receives a sentence if the stream ends because the sandbox was
 * removed or has expired. Rejects with a `ControlError`.
 */
export async function* followControlEvents(
  server: ControlServer,
  path: string,
  onGone: (message: string) => void = () => {},
): AsyncGenerator<unknown> {
  const response = await send(server, { method: 'GET', path, accept: EVENT_STREAM });
  const isStream = response.headers['content-type']?.startsWith(EVENT_STREAM);
  if (response.statusCode === 200 && !isStream) {
    // The response may never end.
    response.destroy();
    throw createResponseError(server, response, NOT_JSON);
  }
  if (!isStream) throw createResponseError(server, response, await readBody(server, response));
  let event = '';
  for await (const line of readLines(server, response)) {
    if (line.startsWith(EVENT)) event = line.slice(EVENT.length);
    if (!line.startsWith(DATA)) continue;
    const data = parseJson(line.slice(DATA.length));
    if (data === NOT_JSON) throw createResponseError(server, response, data);
    if (GONE_EVENTS.includes(event)) return onGone(describeGone(event, data));
    yield data;
  }
}

const EVENT_STREAM = 'text/event-stream';
const EVENT = 'event: ';
const DATA = 'data: ';

/** The last events of a stream whose sandbox is gone. */
const GONE_EVENTS: readonly string[] = ['removed', 'expired'];

function describeGone(event: string, data: unknown): string {
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

/** The longest silence of a server, in ms: a verification waits up to 60 s, and a stream has a sign of life every 15 s. */
const MAX_SILENCE_MS = 90_000;

/** Sends a request with Node's client: the `fetch` of a test environment may enforce the origin of a simulated page, or be missing. */
function send(
  server: ControlServer,
  { method, path, body, accept }: ControlRequest & { readonly accept?: string },
): Promise<IncomingMessage> {
  const { url, token } = server;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(method === 'PUT' || method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const createRequest = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
    // Each request has its own connection: the server may close an idle one just when it is reused.
    const request = createRequest(`${url}/_control/sandboxes/${path}`, { method, headers, agent: false });
    let message: ClientRequest | IncomingMessage = request;
    request.on('response', (response) => {
      message = response;
      resolve(response);
    });
    request.setTimeout(MAX_SILENCE_MS, () => {
      const silence = `The server at ${url} sent nothing for ${MAX_SILENCE_MS / 1000} s`;
      message.destroy(new ControlError(`${silence}. Check which program listens there.`));
    });
    request.on('error', reject).end(text);
  }).catch((cause) => {
    throw createSendError(server, cause);
  });
}

function createSendError({ url }: ControlServer, cause: NodeJS.ErrnoException): ControlError {
  if (cause instanceof ControlError) return cause;
  const message =
    cause.code === 'ERR_INVALID_CHAR'
      ? 'The token contains characters that a header cannot have. Use the token that the server was started with.'
      : `No server responds at ${url} (${cause.code ?? cause.message}). Start it, or use the address of a running server.`;
  return new ControlError(message, { cause });
}

function createConnectionError({ url }: ControlServer, cause: NodeJS.ErrnoException): ControlError {
  if (cause instanceof ControlError) return cause;
  return new ControlError(`The connection to ${url} was lost (${cause.code ?? cause.message})`, { cause });
}

/** Returns the error of a response that is a problem of the control API, or not from a control API at all. */
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
  // The detail describes the first violations.
  const others = valid.filter(({ pointer }) => !detail.includes(parsePointer(pointer).join('.')));
  const lines = others.map(({ pointer, remedy }) => `\n  ${pointer}: ${remedy}`);
  return new ControlError(detail + lines.join(''), { status, violations: valid });
}

/** Creates an error for a server that responds differently than a control API does. */
export function createForeignServerError({ url }: ControlServer, reason: string, status?: number): ControlError {
  return new ControlError(`The server at ${url} has no storefront control API: ${reason}`, { status });
}

function isViolation(value: unknown): value is ControlViolation {
  const { pointer, remedy } = (value ?? {}) as { readonly [Name in keyof ControlViolation]?: unknown };
  return typeof pointer === 'string' && typeof remedy === 'string';
}

/** The parsed value of text that is not JSON, such as a page of another server. */
const NOT_JSON = Symbol('not JSON');

/** Returns the parsed body of a response; undefined if it is empty. */
async function readBody(server: ControlServer, response: IncomingMessage): Promise<unknown> {
  const text = await readText(response).catch((cause) => {
    throw createConnectionError(server, cause);
  });
  return text === '' ? undefined : parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

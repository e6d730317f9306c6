import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { text as wholeText } from 'node:stream/consumers';
import type { ControlAnswer, ControlId } from '../control/operation.ts';

/** What was wrong with a request to control. */
export interface ControlViolation {
  readonly pointer: string;
  readonly remedy: string;
}

/** Control did not do what it was asked for; `message` says why, in the words of the server where it answered. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  /** The status of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** What was wrong with the request, place by place. */
  readonly violations: readonly ControlViolation[];

  constructor(
    message: string,
    { status, violations = [], cause }: { status?: number; violations?: readonly ControlViolation[]; cause?: unknown },
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.violations = violations;
  }
}

/** The server whose control is asked. */
export interface ControlServer {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** What its control wants as a bearer token; undefined where it wants none. */
  readonly token: string | undefined;
}

/** What control is asked for. */
export interface ControlRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below /_control/sandboxes/. */
  readonly path: string;
  readonly body?: unknown;
}

/** What an operation of control answers. Rejects with a `ControlError` where it isn't done. */
export async function sendControlRequest<Id extends ControlId>(
  place: ControlServer,
  request: ControlRequest,
): Promise<ControlAnswer<Id>> {
  const response = await responseTo(place, request);
  const answer = await contentOf(place, response);
  const { statusCode: status = 0 } = response;
  const isEmpty = answer === undefined && status !== 204;
  if (status < 200 || status > 299 || answer === NOT_JSON || isEmpty) throw refused(place, response, answer);
  return answer as ControlAnswer<Id>;
}

/**
 * What control tells of as it comes: the data of its server-sent events, parsed, until the server ends them. `onGone` is called with a sentence where they
 * end because the sandbox was removed or expired. Rejects with a `ControlError`.
 */
export async function* followControlEvents(
  place: ControlServer,
  path: string,
  onGone: (message: string) => void = () => {},
): AsyncGenerator<unknown> {
  const response = await responseTo(place, { method: 'GET', path, accept: EVENTS });
  const isStream = response.headers['content-type']?.startsWith(EVENTS);
  if (response.statusCode === 200 && !isStream) {
    // It may never end.
    response.destroy();
    throw refused(place, response, NOT_JSON);
  }
  if (!isStream) throw refused(place, response, await contentOf(place, response));
  let event = '';
  for await (const line of linesOf(place, response)) {
    if (line.startsWith(EVENT)) event = line.slice(EVENT.length);
    if (!line.startsWith(DATA)) continue;
    const told = parsedJson(line.slice(DATA.length));
    if (told === NOT_JSON) throw refused(place, response, told);
    if (GONE.includes(event)) return onGone(goneText(event, told));
    yield told;
  }
}

/** The last events of a stream whose sandbox is gone. */
const GONE: readonly string[] = ['removed', 'expired'];

function goneText(event: string, told: unknown): string {
  const { sandbox, at } = (told ?? {}) as { readonly sandbox?: unknown; readonly at?: unknown };
  return event === 'removed'
    ? `The sandbox ${sandbox} was removed at ${at}.`
    : `The sandbox ${sandbox} expired at ${at}.`;
}

const EVENTS = 'text/event-stream';
const EVENT = 'event: ';
const DATA = 'data: ';

async function* linesOf(place: ControlServer, response: IncomingMessage): AsyncGenerator<string> {
  let unread = '';
  try {
    for await (const text of response.setEncoding('utf8')) {
      const lines = (unread + text).split('\n');
      unread = lines.pop() ?? '';
      yield* lines;
    }
  } catch (cause) {
    goneFrom(place, cause as Error);
  }
}

/** How long a server may be silent, in ms: a verdict may be waited for for 60 s, and a stream has a sign of life every 15 s. */
const LONGEST_MS = 90_000;

/** Asks by Node's own client: the `fetch` of a test may be that of a simulated page, which has an origin, or not be there. */
function responseTo(
  place: ControlServer,
  { method, path, body, accept }: ControlRequest & { readonly accept?: string },
): Promise<IncomingMessage> {
  const { url, token } = place;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(method === 'PUT' || method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...(sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = new URL(url).protocol === 'https:' ? overHttps : overHttp;
    // A connection for each: one that is kept may be closed by the server just when it is used.
    const asked = request(`${url}/_control/sandboxes/${path}`, { method, headers, agent: false });
    let begun: ClientRequest | IncomingMessage = asked;
    asked.on('response', (response) => {
      begun = response;
      resolve(response);
    });
    asked.setTimeout(LONGEST_MS, () => begun.destroy(silent(place)));
    asked.on('error', reject).end(sent);
  }).catch((cause) => awayFrom(place, cause));
}

function silent({ url }: ControlServer): ControlError {
  return new ControlError(`${url} was silent for ${LONGEST_MS / 1000} s: look what it is`, {});
}

function awayFrom({ url }: ControlServer, cause: NodeJS.ErrnoException): never {
  if (cause instanceof ControlError) throw cause;
  const message =
    cause.code === 'ERR_INVALID_CHAR'
      ? 'the token has characters that no header can hold: give the one that the server was started with'
      : `no server answers at ${url} (${cause.code ?? cause.message}): start it, or give the address of one that runs`;
  throw new ControlError(message, { cause });
}

function goneFrom({ url }: ControlServer, cause: NodeJS.ErrnoException): never {
  if (cause instanceof ControlError) throw cause;
  throw new ControlError(`the server at ${url} went away (${cause.code ?? cause.message})`, { cause });
}

/** The fault that an answer stands for which is none of control's, or a refusal. */
function refused({ url }: ControlServer, { statusCode: status = 0, headers }: IncomingMessage, answer: unknown) {
  const { detail, violations } = (answer ?? {}) as { readonly detail?: unknown; readonly violations?: unknown };
  if (typeof detail !== 'string') {
    const elsewhere = headers.location === undefined ? '' : ` and points to ${headers.location}`;
    return new ControlError(`${url} answers ${status}${elsewhere}: ${NO_STOREFRONT}`, { status });
  }
  const told = Array.isArray(violations) ? violations.filter(isViolation) : [];
  const lines = told
    .filter(({ remedy }) => !detail.includes(remedy))
    .map(({ pointer, remedy }) => `\n  ${pointer}: ${remedy}`);
  return new ControlError(detail + lines.join(''), { status, violations: told });
}

/** What a server is that answers otherwise than control does. */
export const NO_STOREFRONT = 'it is no storefront that can be steered';

function isViolation(value: unknown): value is ControlViolation {
  const { pointer, remedy } = (value ?? {}) as { readonly [Name in keyof ControlViolation]?: unknown };
  return typeof pointer === 'string' && typeof remedy === 'string';
}

/** What stands for a text that is no JSON: the page of another server. */
const NOT_JSON = Symbol('no JSON');

/** What the body of an answer holds; undefined where there is none. */
async function contentOf(place: ControlServer, response: IncomingMessage): Promise<unknown> {
  const text = await wholeText(response).catch((cause) => goneFrom(place, cause));
  return text === '' ? undefined : parsedJson(text);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

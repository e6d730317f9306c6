import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { text as wholeText } from 'node:stream/consumers';
import type { ControlAnswer, ControlId } from './operation.ts';

/** What was wrong with a request to control. */
export interface ControlViolation {
  readonly pointer: string;
  readonly remedy: string;
}

/** Control did not do what it was asked for; `message` says why, in the words of the server where it answered. */
export class ControlFault extends Error {
  override readonly name = 'ControlFault';
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

/** What a refusal tells. */
interface Problem {
  readonly detail: string;
  readonly violations: readonly ControlViolation[];
}

/** The server whose control is asked. */
export interface ControlPlace {
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

/** What an operation of control answers. Rejects with a `ControlFault` where it isn't done. */
export async function askControl<Id extends ControlId>(
  place: ControlPlace,
  request: ControlRequest,
): Promise<ControlAnswer<Id>> {
  const { status, text } = await exchanged(place, request);
  const answer = parsedJson(text);
  if (status < 200 || status > 299 || answer === NOT_JSON) throw refused(place, status, answer);
  return answer as ControlAnswer<Id>;
}

/** What control tells of as it comes: the data of its server-sent events, parsed, until the server ends them. Rejects with a `ControlFault`. */
export async function* followControl(place: ControlPlace, path: string): AsyncGenerator<unknown> {
  const response = await responseTo(place, { method: 'GET', path }, { accept: EVENTS });
  const status = response.statusCode ?? 0;
  if (status !== 200 || !response.headers['content-type']?.startsWith(EVENTS)) {
    const text = await wholeText(response).catch((cause) => goneFrom(place, cause));
    throw refused(place, status, parsedJson(text));
  }
  let unread = '';
  try {
    for await (const text of response.setEncoding('utf8')) {
      const lines = (unread + text).split('\n');
      unread = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length));
    }
  } catch (cause) {
    goneFrom(place, cause as Error);
  }
}

const EVENTS = 'text/event-stream';
const DATA = 'data: ';

async function exchanged(place: ControlPlace, request: ControlRequest): Promise<{ status: number; text: string }> {
  const response = await responseTo(place, request, {});
  const text = await wholeText(response).catch((cause) => goneFrom(place, cause));
  return { status: response.statusCode ?? 0, text };
}

/** How long a server may be silent, in ms: a verdict may be waited for for 60 s. */
const LONGEST_MS = 90_000;

/** Asks by Node's own client: the `fetch` of a test may be that of a simulated page, which has an origin, or not be there. */
function responseTo(
  place: ControlPlace,
  { method, path, body }: ControlRequest,
  more: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const { url, token } = place;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...more,
    ...(method === 'PUT' || method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...(sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const request = url.startsWith('https:') ? overHttps : overHttp;
  return new Promise<IncomingMessage>((resolve, reject) => {
    // A connection for each: one that is kept may be closed by the server just when it is used.
    const asked = request(`${url}/_control/sandboxes/${path}`, { method, headers, agent: false }, resolve);
    if (more.accept !== EVENTS) {
      asked.setTimeout(LONGEST_MS, () => asked.destroy(new Error(`silent for ${LONGEST_MS / 1000} s`)));
    }
    asked.on('error', reject).end(sent);
  }).catch((cause) => awayFrom(place, cause));
}

function awayFrom({ url }: ControlPlace, cause: NodeJS.ErrnoException): never {
  const message = `no server answers at ${url} (${cause.code ?? cause.message}): start it, or give the address of one that runs`;
  throw new ControlFault(message, { cause });
}

function goneFrom({ url }: ControlPlace, cause: NodeJS.ErrnoException): never {
  throw new ControlFault(`the server at ${url} went away (${cause.code ?? cause.message})`, { cause });
}

function refused({ url }: ControlPlace, status: number, answer: unknown): ControlFault {
  const { detail, violations = [] } = (answer ?? {}) as Partial<Problem>;
  if (detail === undefined) {
    return new ControlFault(`${url} answers ${status}: it is no storefront that can be steered`, { status });
  }
  const untold = violations.filter(({ remedy }) => !detail.includes(remedy));
  const lines = untold.map(({ pointer, remedy }) => `\n  ${pointer}: ${remedy}`);
  return new ControlFault(detail + lines.join(''), { status, violations });
}

/** What stands for a text that is no JSON: the page of another server. */
const NOT_JSON = Symbol('no JSON');

/** A body; undefined where there is none. */
function parsedJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

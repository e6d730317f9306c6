import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { text as wholeText } from 'node:stream/consumers';
import type { ControlAnswer, ControlId } from '../control/operation.ts';

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
  { url, token }: ControlPlace,
  { method, path, body }: ControlRequest,
): Promise<ControlAnswer<Id>> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(method === 'PUT' || method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...(sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const { status, text } = await exchanged(`${url}/_control/sandboxes/${path}`, { method, headers, sent }).catch(
    (cause: NodeJS.ErrnoException) => {
      const why = cause.code ?? cause.message;
      throw new ControlFault(`no storefront answers at ${url} (${why}): is it started, and not closed yet?`, { cause });
    },
  );
  const answer = parsedJson(text);
  if (status < 200 || status > 299 || answer === NOT_JSON) throw refused(url, status, answer);
  return answer as ControlAnswer<Id>;
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: string | undefined;
}

/** Asks by Node's own client: the `fetch` of a test may be that of a simulated page, which has an origin, or not be there. */
async function exchanged(url: string, { method, headers, sent }: Sent): Promise<{ status: number; text: string }> {
  const request = url.startsWith('https:') ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    // A connection for each: one that is kept may be closed by the server just when it is used.
    const asked = request(url, { method, headers, agent: false }, (response) => {
      wholeText(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
    });
    asked.on('error', reject).end(sent);
  });
}

function refused(url: string, status: number, answer: unknown): ControlFault {
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

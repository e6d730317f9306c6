import { UserError } from '../util/issue.ts';
import { quoteShell } from '../util/text.ts';

/** A request to send. */
export interface RequestToSend {
  readonly method: string;
  /** The path and query, relative to the URL of the server. The client sends both without changes. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Whether the request is sent without credentials. */
  readonly isAnonymous?: boolean;
  /** A shell command that prints the body; set if the body is too long for the report. */
  readonly printCommand?: string;
}

/** A received response. */
export interface ReceivedResponse {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed value of a JSON body, or the text of any other body; undefined without a body. */
  readonly body: unknown;
  /** The error message of the JSON parser, if the content type is JSON but the body is not valid JSON. */
  readonly jsonError: string | undefined;
  /** A sentence that says how the response violates HTTP; undefined if the response is valid. */
  readonly httpError?: string;
}

/** A request and its response. */
export interface Exchange {
  readonly request: RequestToSend;
  readonly response: ReceivedResponse;
}

/**
 * Returns an exchange to keep until the report, which needs no parsed body.
 * A parsed body needs several times the memory of its text.
 */
export function withoutBody({ request, response }: Exchange): Exchange {
  return { request, response: { ...response, body: undefined } };
}

/** Creates a request with a JSON body, or without a body if `body` is undefined. */
export function createJsonRequest(method: string, target: string, body?: unknown): RequestToSend {
  return body === undefined
    ? { method, target }
    : { method, target, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/**
 * Returns a curl command line that sends a request.
 * `common`: headers that every request contains.
 * `options`: further options of curl.
 */
export function toCurl(
  url: string,
  request: RequestToSend,
  common: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): string {
  const { method, target, headers = {}, body, printCommand } = request;
  const printer = printCommand ?? (body === undefined || isPrintable(body) ? undefined : `printf '${toOctal(body)}'`);
  const dataOption = printer === undefined ? ` --data-raw ${quoteShell(String(body))}` : ' --data-binary @-';
  const data = body === undefined ? '' : dataOption;
  const all = Object.entries({ ...common, ...headers });
  // By default, curl sends the content type of a form.
  const hasType = body === undefined || all.some(([name]) => name.toLowerCase() === 'content-type');
  const headerArguments = [
    ...all.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`)),
    ...(hasType ? [] : ['content-type:']),
  ];
  const explicitMethod = method === 'HEAD' ? ' -I' : ` -X ${method}`;
  const methodOption = method === 'GET' && data === '' ? '' : explicitMethod;
  const start = ['curl --globoff --path-as-is', ...options].join(' ');
  const line = `${start}${methodOption} ${quoteShell(url + target)}${headerArguments.map((one) => ` -H ${quoteShell(one)}`).join('')}${data}`;
  return printer === undefined ? line : `${printer} | ${line}`;
}

/** Returns whether a body can be an argument of a shell command: it must be UTF-8 without control characters. */
function isPrintable(body: string | Buffer): boolean {
  const bytes = Buffer.from(body);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) && !CONTROL_CHARACTERS.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Returns a body as octal escapes for the command `printf`. */
function toOctal(body: string | Buffer): string {
  return [...Buffer.from(body)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Returns the path of a `Location` header, ignoring its host; undefined if the header is not a URL. */
export function getLocationPath(location: string): string | undefined {
  return URL.canParse(location, BASE_URL) ? new URL(location, BASE_URL).pathname : undefined;
}

const BASE_URL = 'http://localhost/';

/** Statuses that mean that the request is invalid. */
export const INVALID_STATUSES: readonly number[] = [400, 405, 406, 411, 413, 414, 415, 422, 428, 431];

/** Returns whether the status of a response is 2xx. */
export function isSuccess({ status }: ReceivedResponse): boolean {
  return status >= 200 && status < 300;
}

/** Returns whether the status of a response is 4xx. */
export function isClientError({ status }: ReceivedResponse): boolean {
  return status >= 400 && status < 500;
}

/**
 * Returns whether a storefront server made a response from the contract: the operation is mocked, and its requests
 * change nothing.
 */
export function isMocked({ headers }: ReceivedResponse): boolean {
  return headers['x-mocked'] === 'operation';
}

/**
 * Why a check stops:
 * - `interrupted`: by the user, or because the server accepts no more requests
 * - `time-limit`: the time limit is reached
 * - `wrong-address`: no operation of the contract exists at the address of the server
 * - `unresponsive`: the server accepts connections, but no longer responds; reported as a finding
 * - `unreachable`: the server no longer accepts connections; reported as a finding only if requests got no response
 * - `unavailable`: one operation limits the request rate or does not respond in time; the check continues with other
 *   operations, and comes back to this one at the end
 */
type StopKind = 'interrupted' | 'time-limit' | 'wrong-address' | 'unresponsive' | 'unreachable' | 'unavailable';

/** The error that stops a check. The message is the end of a sentence that starts with "The check stopped early:". */
export class CheckStoppedError extends Error {
  override readonly name = 'CheckStoppedError';
  readonly kind: StopKind;

  constructor(message: string, kind: StopKind) {
    super(message);
    this.kind = kind;
  }
}

/** Returns whether an error means that one operation cannot be requested now. */
export function isUnavailable(error: unknown): error is CheckStoppedError {
  return error instanceof CheckStoppedError && error.kind === 'unavailable';
}

/**
 * Creates a signal that stops a check after `maxTime` seconds, or when `interrupt` is aborted.
 * If `maxTime` is 0 or undefined, there is no time limit.
 */
export function createStopSignal(maxTime: number | undefined, interrupt: AbortSignal): AbortSignal {
  const controller = new AbortController();
  // `unref`: the timer must not keep the process running after the check.
  const onTimeLimit = () =>
    controller.abort(new CheckStoppedError(`the time limit is reached (--max-time ${maxTime})`, 'time-limit'));
  if (maxTime) setTimeout(onTimeLimit, maxTime * 1_000).unref();
  const onInterrupt = () => controller.abort(new CheckStoppedError('the check was interrupted', 'interrupted'));
  if (interrupt.aborted) onInterrupt();
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  return controller.signal;
}

/** Creates the error for a check that was stopped before it started. */
export function createNotCheckedError(url: string, { reason }: AbortSignal): UserError {
  return new UserError(`${url} was not checked: ${(reason as Error).message}`);
}

import { redactFullText, redactHeaders } from '../util/redact-secrets.ts';

/** A request to send. */
export interface RequestToSend {
  readonly method: string;
  /** Path and query below the server's URL, exactly as sent. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** A shell command that prints the body, if the body is too long for the report. */
  readonly printCommand?: string;
}

/** A received response. */
export interface ReceivedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The value of a JSON body, the text of another one; undefined if there is none. */
  readonly body: unknown;
  /** Why a body with a JSON content type is not valid JSON. */
  readonly jsonError: string | undefined;
  /** How the response violates HTTP. */
  readonly httpError?: string;
}

/** A request and its response. */
export interface Exchange {
  readonly request: RequestToSend;
  readonly response: ReceivedResponse;
}

/** Creates a request with a JSON body, or without a body. */
export function createJsonRequest(method: string, target: string, body?: unknown): RequestToSend {
  return body === undefined
    ? { method, target }
    : { method, target, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Returns a request as a command line of curl for a server's URL, with the headers that all requests carry, and without secrets. */
export function toCurl(url: string, request: RequestToSend, common = {}): string {
  const { method, target, headers = {}, body, printCommand } = redactRequest(request);
  const printer = printCommand ?? (body === undefined || isPrintable(body) ? undefined : `printf '${toOctal(body)}'`);
  const data =
    body === undefined ? '' : printer === undefined ? ` --data-raw ${quote(String(body))}` : ' --data-binary @-';
  const all = Object.entries({ ...redactHeaders(common), ...headers });
  // Without a content type curl would send the type of a form.
  const isTyped = body === undefined || all.some(([name]) => name.toLowerCase() === 'content-type');
  const shown = [
    ...all.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`)),
    ...(isTyped ? [] : ['content-type:']),
  ];
  const way = method === 'GET' && data === '' ? '' : method === 'HEAD' ? ' -I' : ` -X ${method}`;
  const line = `curl --globoff --path-as-is${way} ${quote(url + target)}${shown.map((one) => ` -H ${quote(one)}`).join('')}${data}`;
  return printer === undefined ? line : `${printer} | ${line}`;
}

function redactRequest({ target, headers = {}, body, ...request }: RequestToSend): RequestToSend {
  return {
    ...request,
    target: redactFullText(target),
    headers: redactHeaders(headers),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? redactFullText(body) : body }),
  };
}

/** Whether a body can be an argument of a shell command as it is. */
function isPrintable(body: string | Buffer): boolean {
  const bytes = Buffer.from(body);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) && !CONTROL_CHARACTERS.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Returns bytes as octal escapes of printf. */
function toOctal(body: string | Buffer): string {
  return [...Buffer.from(body)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns the path of a `Location`, on any server; undefined if it is not a URL. */
export function getLocationPath(location: string): string | undefined {
  return URL.canParse(location, BASE_URL) ? new URL(location, BASE_URL).pathname : undefined;
}

const BASE_URL = 'http://localhost/';

/** Whether the status of a response is 2xx. */
export function isSuccess({ status }: ReceivedResponse): boolean {
  return status >= 200 && status < 300;
}

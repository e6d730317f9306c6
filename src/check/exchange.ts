import { redactFullText, redactHeaders } from '../util/redact-secrets.ts';

/** A request, as it goes out. */
export interface RequestToSend {
  readonly method: string;
  /** Path and query as they are sent, below the server's address. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** What prints the body in a shell, where it is too long to be shown. */
  readonly printCommand?: string;
}

/** What came back. */
export interface ReceivedResponse {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The value of a JSON body, the text of another; undefined where there was none. */
  readonly body: unknown;
  /** Why a body that is announced as JSON is none. */
  readonly jsonError: string | undefined;
  /** How the answer breaks HTTP. */
  readonly httpError?: string;
}

/** A request and what came of it. */
export interface Exchange {
  readonly request: RequestToSend;
  readonly response: ReceivedResponse;
}

/** A request with a JSON body, or with none. */
export function createJsonRequest(method: string, target: string, body?: unknown): RequestToSend {
  return body === undefined ? { method, target } : { method, target, headers: AS_JSON, body: JSON.stringify(body) };
}

const AS_JSON = { 'content-type': 'application/json' };

/** Returns a request as a command line of curl for a server's URL, with the headers that all requests carry, and without secrets. */
export function toCurl(url: string, request: RequestToSend, common = {}): string {
  const { method, target, headers = {}, body, printCommand } = redactRequest(request);
  const printer = printCommand ?? (body === undefined || isPrintable(body) ? undefined : `printf '${toOctal(body)}'`);
  const data =
    body === undefined ? '' : printer === undefined ? ` --data-raw ${quote(String(body))}` : ' --data-binary @-';
  const all = Object.entries({ ...redactHeaders(common), ...headers });
  // curl would take a body of which nothing is said for a form.
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
  return Buffer.from(text).equals(bytes) && !CONTROLS.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u001f\u007f]/;

/** Bytes as printf takes them. */
function toOctal(body: string | Buffer): string {
  return [...Buffer.from(body)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The path that a `Location` leads to, on whichever server; undefined where it is no address. */
export function getLocationPath(location: string): string | undefined {
  return URL.canParse(location, HERE) ? new URL(location, HERE).pathname : undefined;
}

const HERE = 'http://localhost/';

/** Whether an answer says that all went well. */
export function isSuccess({ status }: ReceivedResponse): boolean {
  return status >= 200 && status < 300;
}

import { redactFullText, redactHeaders } from '../util/redact-secrets.ts';

/** A request, as it goes out. */
export interface Ask {
  readonly method: string;
  /** Path and query as they are sent, below the server's address. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** What prints the body in a shell, where it is too long to be shown. */
  readonly printedBy?: string;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The value of a JSON body, the text of another; undefined where there was none. */
  readonly body: unknown;
  /** Why a body that is announced as JSON is none. */
  readonly notJson: string | undefined;
  /** How the answer breaks HTTP. */
  readonly notHttp?: string;
}

/** A request and what came of it. */
export interface Exchange {
  readonly ask: Ask;
  readonly reply: Reply;
}

/** A request with a JSON body, or with none. */
export function createRequestSender(method: string, target: string, body?: unknown): Ask {
  return body === undefined ? { method, target } : { method, target, headers: AS_JSON, body: JSON.stringify(body) };
}

const AS_JSON = { 'content-type': 'application/json' };

/** Returns a request as a command line of curl for a server's URL, with the headers that all requests carry, and without secrets. */
export function toCurl(url: string, request: Ask, common = {}): string {
  const { method, target, headers = {}, body, printedBy } = redactRequest(request);
  const printer = printedBy ?? (body === undefined || isPlain(body) ? undefined : `printf '${octal(body)}'`);
  const data =
    body === undefined ? '' : printer === undefined ? ` --data-raw ${quoted(String(body))}` : ' --data-binary @-';
  const all = Object.entries({ ...redactHeaders(common), ...headers });
  // curl would take a body of which nothing is said for a form.
  const isTyped = body === undefined || all.some(([name]) => name.toLowerCase() === 'content-type');
  const shown = [
    ...all.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`)),
    ...(isTyped ? [] : ['content-type:']),
  ];
  const way = method === 'GET' && data === '' ? '' : method === 'HEAD' ? ' -I' : ` -X ${method}`;
  const line = `curl --globoff --path-as-is${way} ${quoted(url + target)}${shown.map((one) => ` -H ${quoted(one)}`).join('')}${data}`;
  return printer === undefined ? line : `${printer} | ${line}`;
}

function redactRequest({ target, headers = {}, body, ...request }: Ask): Ask {
  return {
    ...request,
    target: redactFullText(target),
    headers: redactHeaders(headers),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? redactFullText(body) : body }),
  };
}

/** Whether a body can be an argument of a shell command as it is. */
function isPlain(body: string | Buffer): boolean {
  const bytes = Buffer.from(body);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) && !CONTROLS.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u001f\u007f]/;

/** Bytes as printf takes them. */
function octal(body: string | Buffer): string {
  return [...Buffer.from(body)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The path that a `Location` leads to, on whichever server; undefined where it is no address. */
export function pathOfLocation(location: string): string | undefined {
  return URL.canParse(location, HERE) ? new URL(location, HERE).pathname : undefined;
}

const HERE = 'http://localhost/';

/** Whether an answer says that all went well. */
export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

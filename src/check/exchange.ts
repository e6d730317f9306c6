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
}

/** A request and what came of it. */
export interface Exchange {
  readonly ask: Ask;
  readonly reply: Reply;
}

/** A request with a JSON body, or with none. */
export function asking(method: string, target: string, body?: unknown): Ask {
  return body === undefined ? { method, target } : { method, target, headers: AS_JSON, body: JSON.stringify(body) };
}

const AS_JSON = { 'content-type': 'application/json' };

/** A request as a line for a shell, below a server's address, with headers that all requests carry. */
export function curlOf(url: string, { method, target, headers = {}, body, printedBy }: Ask, common = {}): string {
  const shown = Object.entries({ ...common, ...headers }).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  const data =
    printedBy === undefined ? (body === undefined ? '' : ` --data-binary ${dataOf(body)}`) : ' --data-binary @-';
  const way = method === 'GET' && data === '' ? '' : method === 'HEAD' ? ' -I' : ` -X ${method}`;
  const line = `curl --path-as-is${way} ${quoted(url + target)}${shown.join('')}${data}`;
  return printedBy === undefined ? line : `${printedBy} | ${line}`;
}

function dataOf(body: string | Buffer): string {
  const bytes = Buffer.from(body);
  const text = bytes.toString();
  const isPlain = Buffer.from(text).equals(bytes) && !CONTROLS.test(text);
  return isPlain ? quoted(text) : `$'${[...bytes].map(escaped).join('')}'`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u001f\u007f]/;

function escaped(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[\w {}[\]:",.]/.test(character) ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

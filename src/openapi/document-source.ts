import { setTimeout as sleep } from 'node:timers/promises';
import { type Issue, UserError } from '../util/issue.ts';
import { redactText } from '../util/redact-secrets.ts';
import { hideCredentials, isUrl } from '../util/source-path.ts';
import { type Document, isNode, MAX_FILE_BYTES, parseSource, readContractBytes, toNode } from './document.ts';
import { FileAccess, type FileReader } from './source-files.ts';

/** The main file of a document, and a reader of the files to which it refers. */
export interface DocumentSource {
  /** The path of the file, or its URL without credentials: a name for messages and positions. */
  readonly path: string;
  /** The text of the file, as UTF-8. A string can need twice the memory. */
  readonly bytes: Buffer;
  readonly reader: FileReader;
  /** The document in OpenAPI 3.0, if the text is Swagger 2.0. `issues`: what could not be converted. */
  readonly converted?: { readonly document: Document; readonly issues: readonly Issue[] };
  /** Converts a JSON Pointer of the converted document to one of the text. */
  readonly toSourcePointer?: (pointer: string) => string;
}

/** Where the text of a document is read from. */
export interface SourceOptions {
  /** The path of a file, or the URL of a document or of a server that serves its document. */
  readonly path: string;
  /** Files and folders outside the folder of the document that it can include with `$ref`. Default: none. */
  readonly allowRefs?: readonly string[] | undefined;
}

/** How a document is requested. */
export interface RequestOptions {
  /** Headers of the requests, such as credentials. A redirect to another host does not get them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long to wait until the server is available, in s. Default: 0. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal | undefined;
  /** Sends a GET request, without following redirects. Default: `fetch`. */
  readonly get?: (url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>;
}

/**
 * Reads the main file of a document from a path or a URL.
 * Rejects with a `UserError` if it can't be read.
 */
export async function readSource(
  { path, allowRefs }: SourceOptions,
  request: RequestOptions = {},
): Promise<DocumentSource> {
  if (isUrl(path)) return readUrl(path, request);
  return { path, bytes: readContractBytes(path), reader: new FileAccess(path, allowRefs) };
}

/** The maximum time to wait for a document from a URL, in s. */
const TIMEOUT_SECONDS = 30;

/** The pause between two attempts to reach a server, in ms. */
const PAUSE_MS = 200;

/** The maximum number of redirects that are followed. */
const MAX_REDIRECTS = 10;

/** The statuses of a server, or of a proxy before it, that is not available yet (RFC 9110, section 15.6). */
const UNAVAILABLE = [502, 503, 504];

/** Paths at which servers serve their contract. Spring serves `v3/api-docs`, and FastAPI and NestJS the others. */
const DOCUMENT_PATHS = ['openapi.yaml', 'openapi.json', 'v3/api-docs', 'api-json', 'swagger.json'];

/** Reads a document from its URL, or from a running server. */
async function readUrl(source: string, request: RequestOptions): Promise<DocumentSource> {
  if (!URL.canParse(source)) throw new UserError(`${redactText(source)} is not a valid URL: correct it`);
  const url = new URL(source);
  const base = url.href.replace(/[?#].*$/, '').replace(/\/?$/, '/');
  const own = await waitFor(url.href, request);
  if (own.text !== undefined && isDocument(url.href, own.text)) return createUrlSource(url.href, own.text);
  // A page or an error at the URL of a server says nothing about its document.
  for (const path of DOCUMENT_PATHS) {
    const { text } = await fetchText(base + path, request);
    if (text !== undefined && isDocument(base + path, text)) return createUrlSource(base + path, text);
  }
  // An invalid document has an error that says more.
  if (own.text !== undefined && !/^\s*</.test(own.text)) return createUrlSource(url.href, own.text);
  throw new UserError(describeMissing(url.href, own));
}

function describeMissing(url: string, { status, redirectedTo }: FetchedText): string {
  const name = hideCredentials(url);
  if (status === 401 || status === 403)
    return `${name} responds with ${status}: add credentials to the URL of the document, such as https://USER:PASSWORD@HOST/openapi.json`;
  const tried = DOCUMENT_PATHS.map((path) => `/${path}`).join(', ');
  const target = redirectedTo === undefined ? '' : `, redirects to ${hideCredentials(redirectedTo)}`;
  return `${name} serves no OpenAPI document (status ${status}${target}), also not at ${tried}: enter the URL of the document`;
}

function createUrlSource(url: string, text: string): DocumentSource {
  const findRefusal = () =>
    'which is not loaded, because the document is from a URL: use a file, or bundle the document';
  const read = (path: string): never => {
    throw new UserError(`${path} is not loaded`);
  };
  return { path: hideCredentials(url), bytes: Buffer.from(text), reader: { findRefusal, read } };
}

/** Returns whether a text is an OpenAPI or Swagger document. */
function isDocument(url: string, text: string): boolean {
  try {
    const { content } = parseSource(url, text);
    return isNode(content) && ('openapi' in toNode(content) || 'swagger' in toNode(content));
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** The response to a request for a document. */
interface FetchedText {
  readonly status: number;
  /** The text of a 2xx response without a byte order mark; undefined for other responses. */
  readonly text?: string;
  /** The URL of the last redirect; undefined if there was none. */
  readonly redirectedTo?: string | undefined;
}

/** Requests a text. Repeats the request until the server is available, as long as `waitSeconds` says. */
async function waitFor(url: string, request: RequestOptions): Promise<FetchedText> {
  const { waitSeconds = 0, signal } = request;
  const endMs = performance.now() + waitSeconds * 1_000;
  for (;;) {
    const isLast = performance.now() >= endMs - PAUSE_MS || signal?.aborted;
    try {
      const response = await fetchText(url, request);
      if (isLast || !UNAVAILABLE.includes(response.status)) return response;
    } catch (error) {
      if (isLast || !(error instanceof UserError && error.cause)) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

/** Requests a text. Rejects with a `UserError` if there is no response, or if it is too long. */
async function fetchText(url: string, request: RequestOptions): Promise<FetchedText> {
  const { signal } = request;
  const timeout = AbortSignal.timeout(TIMEOUT_SECONDS * 1_000);
  try {
    const { response, redirectedTo } = await follow(
      url,
      request,
      signal ? AbortSignal.any([signal, timeout]) : timeout,
    );
    const text = await readText(response, url);
    return { status: response.status, redirectedTo, ...(response.ok ? { text } : {}) };
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const { code, message } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException;
    // This use of the signal also prevents that Node 20 collects it before its time.
    const isLate = timeout.aborted;
    const reason = isLate ? `no response within ${TIMEOUT_SECONDS} s` : (typeof code === 'string' && code) || message;
    const remedy = /certificate/i.test(reason)
      ? 'its certificate is not trusted. For storefront check, use --ca FILE, or --insecure for a test server'
      : 'start the server, or correct the URL';
    throw new UserError(`Cannot read ${hideCredentials(url)} (${reason}): ${remedy}`, { cause });
  }
}

/** Sends a request, and follows redirects. Another host gets no headers, because they can be credentials. */
async function follow(url: string, { headers: given, get = getDirectly }: RequestOptions, signal: AbortSignal) {
  const { origin } = new URL(url);
  const own = { ...given, ...getCredentials(new URL(url)) };
  let target = withoutCredentials(new URL(url));
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const headers = { ...(target.origin === origin ? own : {}), accept: ACCEPTED };
    const response = await get(target, headers, signal);
    const location = response.headers.get('location');
    if (!REDIRECTS.includes(response.status) || location === null)
      return { response, redirectedTo: count === 0 ? undefined : target.href };
    await response.body?.cancel();
    target = withoutCredentials(new URL(location, target));
  }
  throw new UserError(`${hideCredentials(url)} redirects more than ${MAX_REDIRECTS} times: enter the final URL`);
}

const getDirectly: NonNullable<RequestOptions['get']> = (url, headers, signal) =>
  fetch(url, { headers, signal, redirect: 'manual' });

const ACCEPTED = 'application/yaml, application/json;q=0.9, */*;q=0.5';

/** The statuses of redirects (RFC 9110, section 15.4). */
const REDIRECTS = [301, 302, 303, 307, 308];

/** Returns the user name and the password of a URL as a header. */
function getCredentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Returns a URL without its user name and password, which `fetch` refuses. */
function withoutCredentials(url: URL): URL {
  url.username = '';
  url.password = '';
  return url;
}

async function readText(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_FILE_BYTES)
      throw new UserError(
        `${hideCredentials(url)} can't be read, because it has more than ${MAX_FILE_BYTES / 1024 / 1024} MB`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

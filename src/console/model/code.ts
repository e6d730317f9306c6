import type { ControlResponse, JournalEntry } from '../../control/operation.ts';

/** The parts of a recorded request that are needed to send it again. */
export interface SentRequest {
  readonly method: string;
  /** The path with the query string, without `/_sandbox/ID`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The text that replaces a secret in the journal. */
const REDACTED = '[redacted]';

/** Matches the names of headers that an HTTP client sets automatically. */
const CLIENT_HEADERS =
  /^(accept|accept-encoding|accept-language|cache-control|connection|content-length|host|origin|pragma|referer|user-agent|keep-alive|priority|dnt|transfer-encoding|x-sandbox|upgrade-insecure-requests|sec-.*|if-.*)$/;

/** A request as the journal returns it. */
type RecordedRequest = JournalEntry['request'];

/** Returns whether the journal has redacted a secret in a request. */
export function hasSecrets({ url, headers, body }: RecordedRequest): boolean {
  const texts = [decodeUrl(url), JSON.stringify(headers), JSON.stringify(body) ?? ''];
  return texts.some((text) => text.includes(REDACTED));
}

/** Returns a recorded request, so that it can be sent again. Omits headers that an HTTP client sets automatically. */
export function toSentRequest({ method, url, path, headers, body }: RecordedRequest): SentRequest {
  const query = url.indexOf('?');
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    CLIENT_HEADERS.test(name) ? [] : [[name, String(value)] as const],
  );
  return {
    method,
    target: query < 0 ? path : path + url.slice(query),
    headers: Object.fromEntries(sent),
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** An example request that the server suggests. */
export type Example = ControlResponse<'getServer'>['examples'][number];

/** Converts an example request of the server to a request that can be sent. */
export function toExampleRequest({ method, path, headers, body }: Example): SentRequest {
  const isJson = body !== undefined;
  return {
    method,
    target: path,
    headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }) },
    body: isJson ? JSON.stringify(body) : undefined,
  };
}

/** Returns the reason why a recorded request can't be sent again, or undefined if it can be sent. */
export function explainUnsendable({ headers, isTruncated }: RecordedRequest): string | undefined {
  if (isTruncated) return "The request can't be sent again: the journal has only a part of its body.";
  return String(headers['content-type'] ?? '').startsWith('multipart/')
    ? "The request can't be sent again: the journal does not have the original parts of the form."
    : undefined;
}

/** Returns what happens to the secrets of a request when it is sent again or copied. Undefined if it has none. */
export function describeSecrets(request: RecordedRequest): string | undefined {
  if (!hasSecrets(request)) return undefined;
  const cookies = ' Send again uses the cookies of this browser, because a page can send no others.';
  return `The page masks the secrets of the request. Send again and copied code have them.${request.headers.cookie === undefined ? '' : cookies}`;
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Formats a request as a curl command for a POSIX shell.
 * `origin`: the scheme and the host of the server, such as `http://localhost:3000`.
 */
export function toCurl({ method, target, headers, body }: SentRequest, origin: string, sandbox: string): string {
  const all = sandbox === 'default' ? headers : { ...headers, 'x-sandbox': sandbox };
  const lines = [
    `curl ${/[[\]{}]/.test(target) ? '--globoff ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoteShell(origin + target)}`,
    ...Object.entries(all).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoteShell(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

/**
 * Formats a request as JavaScript code that calls `fetch`.
 * `origin`: the scheme and the host of the server, such as `http://localhost:3000`.
 */
export function toFetch({ method, target, headers, body }: SentRequest, origin: string, sandbox: string): string {
  const all = sandbox === 'default' ? headers : { ...headers, 'x-sandbox': sandbox };
  return `const response = await fetch(${quoteCode(origin + target)}${formatOptions({ method, headers: all, body })});`;
}

/** The options of `startStorefront` that start the served contract. */
type StartOptions = ControlResponse<'getServer'>['startOptions'];

/**
 * Formats a request as a Vitest test that uses `storefront/testing`.
 * The test starts the served contract, sends the same request and expects the same status.
 */
export function toTest(
  { target, ...request }: SentRequest,
  { operation, response }: Pick<JournalEntry, 'operation' | 'response'>,
  options: StartOptions,
): string {
  const call = `const response = await sandbox.fetch(${quoteCode(target)}${formatOptions(request)});`;
  const title = `${operation ?? `${request.method} ${target}`} responds with ${response?.status ?? 'no response'}`;
  const verification = { ...(operation !== undefined && { operation }), status: response?.status, times: 1 };
  const started = Object.keys(options).length === 0 ? '' : formatValue(options);
  return `import { startStorefront } from 'storefront/testing';
import { afterAll, expect, it } from 'vitest';

const server = await startStorefront(${started});
afterAll(() => server.close());

it(${quoteCode(title)}, async () => {
  const sandbox = await server.sandbox();

${indent(call, '  ')}

  expect(response.status).toBe(${response?.status ?? 0});
  await sandbox.verify(${formatValue(verification)});
});
`;
}

/**
 * Formats the second argument of `fetch`, with the comma before it.
 * Returns an empty text if `fetch` needs no options.
 */
function formatOptions({ method, headers, body }: Omit<SentRequest, 'target'>): string {
  const lines = [
    ...(method === 'GET' ? [] : [`method: ${quoteCode(method)},`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers: ${formatValue(headers)},`]),
    ...(body === undefined ? [] : [`body: ${formatBody(body)},`]),
  ];
  return lines.length === 0 ? '' : `, {\n${lines.map((line) => `  ${line}\n`).join('')}}`;
}

function formatBody(body: string): string {
  try {
    return `JSON.stringify(${formatValue(JSON.parse(body))})`;
  } catch {
    return quoteCode(body);
  }
}

/** Formats a JSON value as JavaScript on one line. */
function formatValue(value: unknown): string {
  if (typeof value === 'string') return quoteCode(value);
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const properties = Object.entries(value).map(
    ([name, inner]) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : quoteCode(name)}: ${formatValue(inner)}`,
  );
  return properties.length === 0 ? '{}' : `{ ${properties.join(', ')} }`;
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Formats text as a JavaScript string.
 * Escapes U+2028 and U+2029, because some tools treat these characters as the end of a line.
 */
function quoteCode(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

function indent(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => by + line)
    .join('\n');
}

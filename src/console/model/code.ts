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

/** The values of headers with secrets that the user has entered, by the name of the header. */
export type Secrets = Readonly<Record<string, string>>;

/** The value of a header with a secret in copied code, if the user has not entered the secret. */
const PLACEHOLDER = 'CREDENTIALS';

/**
 * Returns the names of the headers of a recorded request whose values the journal does not store, because they are
 * secrets.
 */
export function listSecretHeaders({ request }: JournalEntry): readonly string[] {
  return Object.keys(request.headers).filter((name) => request.headers[name] === REDACTED);
}

/**
 * Returns the request in a journal entry for copied code.
 * A header whose secret the user has not entered has the value `CREDENTIALS`.
 */
export function toCopiedRequest(entry: JournalEntry, secrets: Secrets): SentRequest {
  const placeholders = listSecretHeaders(entry).map((name) => [name, secrets[name] || PLACEHOLDER]);
  return toSentRequest(entry, Object.fromEntries(placeholders));
}

/**
 * Returns the request in a journal entry, so that it can be sent again.
 * Omits headers that an HTTP client sets automatically, and headers with secrets that the user has not entered: the
 * journal does not store secrets.
 */
export function toSentRequest({ request }: JournalEntry, secrets: Secrets = {}): SentRequest {
  const { method, url, path, headers, body } = request;
  const query = url.indexOf('?');
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    const own = value === REDACTED ? secrets[name] : value;
    return CLIENT_HEADERS.test(name) || own === undefined || own === '' ? [] : [[name, String(own)] as const];
  });
  return {
    method,
    target: query < 0 ? path : path + url.slice(query),
    headers: Object.fromEntries(kept),
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
export function explainUnsendable({ request }: JournalEntry): string | undefined {
  if (request.isTruncated) return "The request can't be sent again: the journal has only a part of its body.";
  const type = String(request.headers['content-type'] ?? '');
  return type.startsWith('multipart/')
    ? "The request can't be sent again: the journal does not have the original parts of the form."
    : undefined;
}

/**
 * Returns a message about the secrets that a request lacks when it is sent again or copied, with the remedy.
 * Returns undefined if it lacks none.
 * `secrets`: the secrets that the user has entered.
 */
export function describeMissingSecrets(entry: JournalEntry, secrets: Secrets = {}): string | undefined {
  const { url, body } = entry.request;
  const names = listSecretHeaders(entry).filter((name) => !secrets[name]);
  const [inUrl, inBody] = [decodeUrl(url), JSON.stringify(body) ?? ''].map((text) => text.includes(REDACTED));
  const parts = [...(inUrl ? ['the query'] : []), ...(inBody ? ['the body'] : [])];
  const sentences = [
    ...(names.length > 0
      ? [
          `Enter ${names.map((name) => `the header ${name}`).join(', ')} to send the request with it. Copied code has ${PLACEHOLDER} in its place until then.`,
        ]
      : []),
    ...(parts.length > 0
      ? [
          `The request is sent with ${REDACTED} in ${parts.join(', ')}, so the server may refuse it: replace it in copied code.`,
        ]
      : []),
  ];
  return sentences.length === 0 ? undefined : ['The journal does not store secrets.', ...sentences].join(' ');
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

/**
 * Formats a journal entry as a Vitest test that uses `storefront/testing`.
 * The test sends the same request and expects the same status.
 * `secrets`: the secrets that the user has entered.
 */
export function toTest(entry: JournalEntry, secrets: Secrets = {}): string {
  const { target, ...request } = toCopiedRequest(entry, secrets);
  const { operation, response } = entry;
  const call = `const response = await sandbox.fetch(${quoteCode(target)}${formatOptions(request)});`;
  const title = `${operation ?? `${request.method} ${target}`} responds with ${response?.status ?? 'no response'}`;
  const verification = { ...(operation !== undefined && { operation }), status: response?.status, times: 1 };
  return `import { startStorefront } from 'storefront/testing';
import { afterAll, expect, it } from 'vitest';

// For your own contract: startStorefront({ contract: 'openapi.yaml' })
const server = await startStorefront();
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

import type { Contract } from '../openapi/contract.ts';
import { findMediaType } from '../openapi/media-types.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { UserError } from '../util/issue.ts';
import { isSecretName, REDACTED, redactFullText } from '../util/redact-secrets.ts';
import { joinList } from '../util/text.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { Access } from './access.ts';
import type { Verdict } from './check.ts';
import { Client } from './client.ts';
import { type Exchange, isClientError, isSuccess, type RequestToSend } from './exchange.ts';
import { CheckResults } from './findings.ts';
import type { Mismatch } from './pact-matching.ts';
import { createAcceptedInvalid } from './request-places.ts';
import { readBody } from './response-body.ts';
import { createViolation, type Violation } from './rules.ts';
import { getCheckedRoutes, type Selection } from './selection.ts';
import { createFinding, findViolations } from './session.ts';
import { validateSentRequest } from './undocumented-responses.ts';

/** A recorded request with its response. `target` of the request is the path and the query on the server. */
export interface RecordedExchange extends Exchange {
  /** The scheme, host and port of the server. */
  readonly origin: string;
  /** Whether the recording lacks the body of the request or of the response, or has only a part of it. */
  readonly lacksRequestBody: boolean;
  readonly lacksResponseBody: boolean;
  /** Whether the response has only what a client needs, as in a pact: other properties and headers can be missing. */
  readonly isPart?: boolean;
  /** The differences between the response and the one that a pact expects; undefined without a verified interaction. */
  readonly mismatches?: readonly Mismatch[];
}

interface RecordingOptions extends Selection {
  readonly exchanges: readonly RecordedExchange[];
  /** The base URL of the API. Other requests of the recording are ignored. Default: all servers of the recording. */
  readonly url: string | undefined;
}

/**
 * Checks recorded requests and responses against a contract. Sends no request.
 * A response with a 4xx status that the contract does not document is no finding.
 */
export function checkRecording(options: RecordingOptions): Verdict {
  const { contract, exchanges, url } = options;
  const routes = getCheckedRoutes(options);
  const results = new CheckResults(routes);
  const others = new Map<string, number>();
  const undocumented = new Set<string>();
  const base = url === undefined ? undefined : new URL(url).href.replace(/\/$/, '');
  let incomplete = 0;
  for (const exchange of exchanges) {
    const target = getTarget(exchange, base);
    const routed = target === undefined ? undefined : contract.route(exchange.request.method, getPath(target));
    const isPage = routed?.kind === 'operation' && isPageLoad(exchange, routed.route);
    if (routed?.kind !== 'operation' || isPage) {
      const path = getPath(exchange.request.target);
      const place = `${exchange.request.method} ${exchange.origin}${path}${isPage ? ' (a page)' : ''}`;
      others.set(place, (others.get(place) ?? 0) + 1);
      continue;
    }
    const { route, basePath = '' } = routed;
    if (exchange.lacksRequestBody || exchange.lacksResponseBody) incomplete++;
    results.count('statuses', route, exchange.response.status);
    if (exchange.mismatches) results.coverage.countRule('pact-response', route);
    const request = { ...exchange.request, target: target?.slice(basePath.length) ?? '' };
    results.coverage.countPoints(contract, route, { ...exchange, request });
    for (const violation of findRecordedViolations(contract, route, exchange))
      if (violation.rule === 'response-status' && isClientError(exchange.response))
        undocumented.add(`${route.operationId} ${exchange.response.status}`);
      else results.add(createFinding('statuses', route, redactRecorded(exchange, target), violation));
  }
  const otherCount = [...others.values()].reduce((sum, count) => sum + count, 0);
  const notes = [
    ...(otherCount > 0
      ? [`Recorded requests that belong to no operation: ${otherCount} (${joinList([...others.keys()], MAX_LISTED)})`]
      : []),
    ...(incomplete > 0
      ? [
          `Recorded requests whose body, or that of the response, is missing or incomplete and was not checked: ${incomplete}`,
        ]
      : []),
    ...(undocumented.size > 0
      ? [`Undocumented statuses of refused requests: ${joinList([...undocumented], MAX_LISTED)}`]
      : []),
  ];
  const none = results.responseCount === 0 ? ['everything: the recording has no request to an operation'] : [];
  const common = { url: base ?? '', headers: {}, seed: 0, runs: 0, model: undefined, routes, results, notes };
  return { ...common, findings: results.findings, unchecked: none, unreached: [] };
}

/**
 * Returns whether a browser has loaded a page at the path of an operation that documents no HTML: the server of a web
 * application responds with its page.
 */
function isPageLoad({ request, response }: Exchange, { responses }: Route): boolean {
  const { accept = '', 'sec-fetch-dest': destination = 'document' } = request.headers ?? {};
  const isPage = /^text\/html\b/i.test(response.headers['content-type'] ?? '');
  const isLoad = request.method === 'GET' && /^text\/html\b/i.test(accept) && /^i?frame$|^document$/.test(destination);
  const documented = responses.flatMap(({ media }) => Object.keys(media));
  return isPage && isLoad && findMediaType(documented, 'text/html') === undefined;
}

/** The maximum number of items in a note. */
const MAX_LISTED = 20;

function getPath(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/**
 * Returns the target of a recorded request below the base URL; undefined if it is not below it.
 * The requests of a pact have no server, so they are below each URL.
 */
function getTarget({ request, origin, isPart }: RecordedExchange, base: string | undefined): string | undefined {
  if (base === undefined || isPart) return request.target;
  const whole = origin + request.target;
  const target = whole.startsWith(base) ? whole.slice(base.length) : undefined;
  return target === undefined || !/^(?:[/?]|$)/.test(target) ? undefined : target || '/';
}

/**
 * Redacts the secrets of a recorded request: all of them are real, other than those of a generated request.
 * The target also has the origin if the check has no base URL, because a recording can have several servers.
 */
function redactRecorded({ request, response, origin }: RecordedExchange, target = request.target): Exchange {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [
    name,
    isSecretName(name) ? REDACTED : redactFullText(value),
  ]);
  const shown = redactFullText(target === request.target ? origin + target : target);
  const { body } = request;
  const sent = { ...request, target: shown, headers: Object.fromEntries(headers) };
  return { request: body === undefined ? sent : { ...sent, body: redactFullText(String(body)) }, response };
}

function findRecordedViolations(contract: Contract, route: Route, exchange: RecordedExchange): readonly Violation[] {
  const own = exchange.lacksRequestBody || !isSuccess(exchange.response) ? [] : findAccepted(contract, route, exchange);
  const found = findViolations({ contract, hasModel: false }, route, exchange);
  const { lacksResponseBody, isPart = false } = exchange;
  const isMissing = ({ title, rule }: Violation) =>
    (lacksResponseBody && (title.startsWith('body') || rule === 'json' || (isPart && rule === 'response-type'))) ||
    (isPart && / (?:required|oneOf|anyOf|minItems|minProperties)$/.test(title));
  const mismatches = (exchange.mismatches ?? []).map(({ title, message }) => {
    const pointer = findResponse(route.responses, exchange.response.status)?.pointer ?? `${route.pointer}/responses`;
    return createViolation('pact-response', { title, message, pointer });
  });
  return [...own, ...found.filter((violation) => !isMissing(violation)), ...mismatches];
}

/** Returns a violation if a server accepted a request that violates the contract. */
function findAccepted(contract: Contract, route: Route, { request, response }: Exchange): readonly Violation[] {
  const result = validateSentRequest(contract, route, request);
  if (result === undefined || result.kind === 'call') return [];
  return [createAcceptedInvalid(contract, route, result, response.status)];
}

/** A list of headers or form parameters in a HAR file. An uploaded file has no value. */
type HarHeaders = readonly ({ readonly name: string; readonly value?: string | null } | null)[];

/** The properties of an entry of a HAR file that the check reads (HTTP Archive 1.2). */
interface HarEntry {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers?: HarHeaders | null;
    readonly postData?: {
      readonly mimeType?: string;
      readonly text?: string | null;
      readonly params?: HarHeaders | null;
    } | null;
    readonly bodySize?: number;
  };
  readonly response: {
    readonly status: number;
    readonly headers?: HarHeaders | null;
    readonly content?: { readonly text?: string | null; readonly encoding?: string } | null;
  };
}

/**
 * Reads the requests and responses of a HAR file.
 * Leaves out requests without a response. Throws a `UserError` if the text is no HAR file.
 */
export function parseHar(path: string, text: string): readonly RecordedExchange[] {
  const data = tryOrUndefined(
    () => JSON.parse(text.replace(/^\ufeff/, '')) as { readonly log?: { readonly entries?: unknown } },
  );
  const entries = data?.log?.entries;
  if (!Array.isArray(entries)) throw new UserError(`${path} is not a HAR file: it has no list log.entries.`);
  return entries.flatMap((entry: Partial<HarEntry> | null, index) => {
    const { request, response } = entry ?? {};
    // A browser records a failed request without a status, and a WebSocket as a request.
    if (Number(response?.status) <= SWITCHING_PROTOCOLS || /^(?!https?:)[a-z]+:/i.test(request?.url ?? '')) return [];
    if (typeof request?.method !== 'string' || !URL.canParse(request.url ?? '') || typeof response?.status !== 'number')
      throw new UserError(`Invalid HAR file ${path}: log.entries.${index} has no method, URL or status.`);
    const invalid = findInvalidMember({ request, response } as HarEntry);
    if (invalid) throw new UserError(`Invalid HAR file ${path}: log.entries.${index}.${invalid}.`);
    return [toExchange({ request, response } as HarEntry)];
  });
}

/** Returns the first member of an entry that has the wrong type, with the type that it must have. */
function findInvalidMember({ request, response }: HarEntry): string | undefined {
  const { postData } = request;
  const { content } = response;
  const lists = {
    'request.headers': request.headers,
    'request.postData.params': postData?.params,
    'response.headers': response.headers,
  };
  const texts = {
    'request.postData.mimeType': postData?.mimeType,
    'request.postData.text': postData?.text,
    'response.content.text': content?.text,
    'response.content.encoding': content?.encoding,
  };
  for (const [place, list] of Object.entries(lists)) {
    if (!Array.isArray(list ?? [])) return `${place} is not a list`;
    const index = (list ?? []).findIndex((item) => item !== null && !(isText(item.name) && isText(item.value ?? '')));
    if (index !== -1) return `${place}.${index} has no text as its name or value`;
  }
  const wrong = Object.entries(texts).find(([, text]) => !isText(text ?? ''));
  return wrong && `${wrong[0]} is not a text`;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** The status of a WebSocket (RFC 9110, section 15.2.2). Lower statuses are no responses. */
const SWITCHING_PROTOCOLS = 101;

/** The statuses of responses without a body (RFC 9110, section 6.4.1). */
const BODYLESS = [204, 304];

function toExchange({ request, response }: HarEntry): RecordedExchange {
  const { origin, pathname, search } = new URL(request.url);
  const { text, encoding } = response.content ?? {};
  const { postData, bodySize } = request;
  const headers = toHeaders(request.headers);
  const received = Buffer.from(text ?? '', encoding === 'base64' ? 'base64' : 'utf8');
  // The text of a HAR file is decoded already.
  const { 'content-encoding': _, ...responseHeaders } = toHeaders(response.headers);
  const method = request.method.toUpperCase();
  const params = (postData?.params ?? []).flatMap((one): [string, string][] =>
    one ? [[one.name, one.value ?? '']] : [],
  );
  const isForm = /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? postData?.mimeType ?? '');
  const body = postData?.text || (isForm ? new URLSearchParams(params).toString() : '');
  const isMultipart = /^multipart\//i.test(headers['content-type'] ?? postData?.mimeType ?? '');
  const sent: RequestToSend = {
    method,
    target: pathname + search,
    headers: postData?.mimeType ? { 'content-type': postData.mimeType, ...headers } : headers,
    ...(body === '' ? {} : { body }),
  };
  return {
    origin,
    request: sent,
    response: { status: response.status, headers: responseHeaders, ...readBody(responseHeaders, received) },
    lacksRequestBody: isMultipart || (body === '' && bodySize !== 0 && ['POST', 'PUT', 'PATCH'].includes(method)),
    lacksResponseBody: received.length === 0 && method !== 'HEAD' && !BODYLESS.includes(response.status),
  };
}

/** Returns headers by lower-case name, without those of HTTP/2 that begin with a colon. */
function toHeaders(list: HarHeaders | null = []): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { name, value } of (list ?? []).flatMap((header) => header ?? [])) {
    const key = name.toLowerCase();
    if (!key.startsWith(':')) headers[key] = [headers[key], value ?? ''].filter((one) => one !== undefined).join(', ');
  }
  return headers;
}

/** A part of a journal entry of the control API. */
interface JournalMessage {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly isTruncated?: boolean;
}

/** The properties of a journal entry that the check reads. */
interface JournalEntry {
  readonly request: JournalMessage & { readonly method: string; readonly url: string; readonly path: string };
  readonly response: (JournalMessage & { readonly status: number }) | null;
}

/**
 * Reads the journals of all sandboxes of a storefront server.
 * Rejects with a `UserError` if the server has no control API, or refuses the request.
 */
export async function readJournal(
  url: string,
  headers: Readonly<Record<string, string>>,
  access?: Access,
): Promise<readonly RecordedExchange[]> {
  const client = new Client(url, headers, { access });
  try {
    const sandboxes = (await readList(client, '/_control/sandboxes')) as readonly { readonly id: string }[];
    const lists = await Promise.all(sandboxes.map(({ id }) => readList(client, `/_control/sandboxes/${id}/requests`)));
    return (lists.flat() as readonly JournalEntry[]).flatMap((entry) => fromJournal(url, entry));
  } finally {
    client.close();
  }
}

async function readList(client: Client, target: string): Promise<readonly unknown[]> {
  const { status, body } = await client.send({ method: 'GET', target }).catch((cause) => {
    throw new UserError(`The journal of ${client.url} cannot be read: ${(cause as Error).message}`, { cause });
  });
  if (status === 200 && Array.isArray(body)) return body;
  throw new UserError(
    `The journal cannot be read: GET ${client.url}${target} responds with ${status}. Use the address of a storefront server, and send the token of its control API with --header.`,
  );
}

function fromJournal(url: string, { request, response }: JournalEntry): readonly RecordedExchange[] {
  if (!response) return [];
  const [sent, received] = [toText(request), toText(response)];
  const responseHeaders = joinValues(response.headers);
  const target = request.url.replace(/^\/_sandbox\/[^/?]+/, '') || '/';
  return [
    {
      origin: new URL(url).origin,
      request: { method: request.method, target, headers: joinValues(request.headers), ...(sent && { body: sent }) },
      response: {
        status: response.status,
        headers: responseHeaders,
        ...readBody(responseHeaders, Buffer.from(received)),
      },
      lacksRequestBody: request.isTruncated === true || sent.includes(REDACTED) || target.includes(REDACTED),
      lacksResponseBody: response.isTruncated === true || received.includes(REDACTED),
    },
  ];
}

/** Returns headers by lower-case name, with the values of a repeated header in one text. */
export function joinValues(headers: JournalMessage['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
  );
}

/** Returns the text of a body in the journal: an empty text without a body. */
function toText({ body }: JournalMessage): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

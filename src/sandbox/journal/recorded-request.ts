import type { JournalEntry } from '../../control/operation.ts';
import type { RequestToMatch } from '../../matcher/request-matcher.ts';
import type { State } from '../../store/state.ts';
import { getTraceId } from '../../util/ids.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import {
  type CredentialNames,
  listPathSecrets,
  NO_NAMES,
  redactNamed,
  redactNamedProperties,
  redactPath,
  redactQuery,
  redactSecrets,
  redactText,
  redactTexts,
  redactUrl,
} from '../../util/redact-secrets.ts';
import { getPathname, isFormType, parseQuery } from '../../util/request-target.ts';

/** The states of a sandbox before and after a change. */
export interface StateChange {
  readonly before: State;
  readonly after: State;
}

/** A request and its response, as the HTTP server passes them to the journal. */
export interface RecordedRequest {
  readonly method: string;
  /** The request target as the client sent it, including `prefix`. The journal stores its first 8,000 characters. */
  readonly url: string;
  /**
   * The start of `url` that selects the sandbox, such as `/_sandbox/w1`.
   * Empty if the URL does not select a sandbox.
   */
  readonly prefix: string;
  /**
   * The base path of the API if the request path begins with it, such as `/v1`.
   * It is the path of a `servers` URL in the contract.
   * Undefined or empty if there is none.
   */
  readonly basePath?: string | undefined;
  /** The headers as a list of alternating names and values, as in `rawHeaders` of `node:http`. */
  readonly rawHeaders: readonly string[];
  /** The part of the body that the server has read. */
  readonly bodyText?: string | undefined;
  /** The response. Undefined if the server sent no response. */
  readonly response: RecordedResponse | undefined;
  /** The time from the request to the response, in ms. */
  readonly durationMs: number;
  readonly operationId: string | undefined;
  /** The origin of the response, such as a handler or the mock. Undefined if the path is unknown. */
  readonly decision?: JournalEntry['decision'] | undefined;
  /** The changes that the request made to the state. Undefined if it changed nothing. */
  readonly changes?: readonly StateChange[] | undefined;
  /** The names of the headers and query parameters that contain credentials. */
  readonly credentialNames?: CredentialNames | undefined;
  /** The delivery of which the request is an attempt. Undefined for a request that the server received. */
  readonly delivery?: JournalEntry['delivery'] | undefined;
  /** Violations, notes and effects. Undefined if there are none. */
  readonly remarks: Remarks | undefined;
}

/**
 * Remarks about a request and its response: violations of the contract, notes, and the effects of faults and
 * preferences (`forced`).
 */
export type Remarks = {
  readonly [Name in 'violations' | 'responseViolations' | 'notes' | 'forced']?: JournalEntry[Name] | undefined;
};

/** A response as the server sent it. All requests that got the same cached response share one object. */
export interface RecordedResponse {
  readonly status: number;
  /** The headers of the response, except the headers that the server adds to every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The length of the complete body in bytes. */
  readonly bytes: number;
  /** The first 4 kB of the body. */
  readonly text: string;
}

/**
 * A request and its response, as the journal stores them.
 * Several requests share one object if they have the same headers and got the same cached response.
 */
export interface StoredRequest extends Omit<RecordedRequest, 'rawHeaders' | 'bodyText' | 'changes'> {
  /**
   * The headers as a list of alternating names and values.
   * Consecutive requests with the same headers share one list.
   */
  readonly headers: readonly string[];
  /** The approximate memory of `headers`, in bytes. */
  readonly headerBytes: number;
  /** The first 4 kB of the request body. */
  readonly body: string | undefined;
  readonly isTruncated: boolean;
  /** The approximate memory of this object and of the lists that it shares with other requests, in bytes. */
  readonly bytes: number;
}

/** A record of a journal: a recorded request with its id and its time. */
export interface JournalRecord extends StoredRequest {
  readonly id: number;
  /** The time of the response, in ms since 1970. For a waiting request, the time since when it waits. */
  readonly atMs: number;
  /** Whether a fault or a delay holds the request back, so that it has no response yet. */
  readonly isWaiting?: boolean;
}

/** The headers of a stored request, and their approximate memory in bytes. */
export type StoredHeaders = Pick<StoredRequest, 'headers' | 'headerBytes'>;

/** The memory that a journal record needs in addition to its strings, in bytes. */
const RECORD_BYTES = 500;

/** The memory that a violation or a note needs, in bytes. */
const REMARK_BYTES = 300;

/** The memory that a header name or value needs in addition to its characters, in bytes. */
const STRING_BYTES = 32;

/**
 * Converts a request to the form in which the journal stores it.
 * Copies each property by name, because an object that is created with spread syntax uses twice the memory.
 */
export function toStoredRequest(
  request: RecordedRequest,
  { headers, headerBytes }: StoredHeaders = measureHeaders(request.rawHeaders),
): StoredRequest {
  const { method, url, prefix, basePath, response, durationMs, operationId, decision, credentialNames, remarks } =
    request;
  const { bodyText, delivery } = request;
  const body = bodyText && truncateText(bodyText);
  const isTruncated = body !== bodyText;
  const recordedUrl = url.length > MAX_RECORDED_URL_LENGTH ? truncateUrl(url) : url;
  const textBytes = recordedUrl.length + headerBytes + (body?.length ?? 0) + (response?.text.length ?? 0);
  const bytes = RECORD_BYTES + textBytes + (remarks ? countRemarks(remarks) : 0) * REMARK_BYTES;
  return {
    method,
    url: recordedUrl,
    prefix,
    basePath,
    headers,
    headerBytes,
    body,
    isTruncated,
    response,
    durationMs,
    operationId,
    decision,
    credentialNames,
    remarks,
    bytes,
    ...(delivery && { delivery }),
  };
}

/** The maximum length of a URL in the journal, in characters. */
const MAX_RECORDED_URL_LENGTH = 8_000;

/** The end of a truncated URL. A request target can't contain this character. */
const ELLIPSIS = '…';

/** Returns the first 8,000 characters of a URL. A truncated URL is a copy that ends with an ellipsis. */
function truncateUrl(url: string): string {
  return Buffer.from(url.slice(0, MAX_RECORDED_URL_LENGTH)).toString() + ELLIPSIS;
}

/** Returns whether the journal contains only the start of a URL. */
function isTruncatedUrl(url: string): boolean {
  return url.endsWith(ELLIPSIS);
}

function countRemarks({ violations = [], responseViolations = [], notes = [] }: Remarks): number {
  return violations.length + responseViolations.length + notes.length;
}

/** Returns a header list with its approximate memory. */
export function measureHeaders(headers: readonly string[]): StoredHeaders {
  return { headers, headerBytes: headers.reduce((bytes, part) => bytes + STRING_BYTES + part.length, 0) };
}

/** The maximum length of a body in the journal, in bytes. */
const MAX_RECORDED_BODY_BYTES = 4096;

/**
 * Returns the first 4 kB of a text in UTF-8.
 * A truncated text is a copy, so that the garbage collector can free the original.
 */
export function truncateText(text: string): string {
  // Each UTF-16 code unit becomes at most three bytes in UTF-8.
  if (text.length * 3 <= MAX_RECORDED_BODY_BYTES) return text;
  const bytes = Buffer.from(text.slice(0, MAX_RECORDED_BODY_BYTES));
  if (bytes.length <= MAX_RECORDED_BODY_BYTES) return text.length <= MAX_RECORDED_BODY_BYTES ? text : bytes.toString();
  let end = MAX_RECORDED_BODY_BYTES;
  // Moves the end to the start of a character. In UTF-8, all later bytes of a character begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** Converts a journal record to the format of the control API. Redacts secrets, such as passwords and tokens. */
export function toJournalEntry(record: JournalRecord): JournalEntry {
  const { id, atMs, durationMs: ms, operationId, decision, response, delivery, remarks = {} } = record;
  const { violations = [], responseViolations = [], notes = [], forced } = remarks;
  const { method, path, query, headers, body, credentialNames: names = NO_NAMES } = toRequestToMatch(record);
  const traceId = getTraceId(headers.traceparent);
  const secrets = listPathSecrets(getPathname(record.url), names.paths);
  return redactTexts(secrets, {
    id,
    ...(record.isWaiting ? { state: 'waiting' as const } : {}),
    at: toIsoTime(atMs),
    durationMs: Math.round(ms * 10) / 10,
    ...(traceId === undefined ? {} : { traceId }),
    ...(operationId === undefined ? {} : { operation: operationId }),
    ...(decision ? { decision } : {}),
    ...(delivery ? { delivery } : {}),
    request: {
      method,
      url: redactUrl(record.url, names),
      path: redactText(redactPath(path, names.paths)),
      query: redactValues(redactQuery(query, [...names.query, ...names.properties])),
      headers: redactValues(redactNamed(headers, names.headers)),
      ...toBodyProperties(body, record.isTruncated, names),
    },
    response: response ? toJournalResponse(response, names) : null,
    ...(violations.length > 0
      ? { violations: redactSecrets(redactNamedProperties(violations, names.properties)) as typeof violations }
      : {}),
    ...(responseViolations.length > 0 ? { responseViolations: responseViolations.map(redactText) } : {}),
    ...(notes.length > 0 ? { notes: notes.map(redactText) } : {}),
    ...(forced ? { forced } : {}),
  });
}

/** Returns a recorded request with its secrets, as the client sent it. */
export function toUnredactedRequest(record: JournalRecord): JournalEntry['request'] {
  const { method, path, query, headers, body, isTruncated } = toRequestToMatch(record);
  const recorded = { method, url: record.url, path, query: { ...query }, headers: { ...headers } };
  return {
    ...recorded,
    ...(body === undefined ? {} : { body }),
    ...(isTruncated ? { isTruncated } : {}),
  };
}

/**
 * Returns the parts of a recorded request that matchers can compare.
 * All clients that wait for a record share one result.
 */
export const toRequestToMatch = memoizeByObject((record: JournalRecord): RequestToMatch => {
  const { operationId, credentialNames, method, isTruncated } = record;
  const target = record.url.slice(record.prefix.length);
  const path = getPathname(target);
  const headers = parseHeaders(record.headers);
  const type = headers['content-type'];
  const isQueryTruncated = isTruncatedUrl(target);
  return {
    operationId,
    credentialNames,
    method,
    path: path || '/',
    basePath: record.basePath,
    query: parseQuery(getQuerystring(target, isQueryTruncated)),
    isQueryTruncated,
    headers,
    body: parseBody(record.body, isTruncated, type),
    isTruncated,
    isForm: isFormType(type),
  };
});

/**
 * Returns the query in a request target.
 * Leaves out the last parameter of a truncated query, because it is incomplete.
 */
function getQuerystring(target: string, isTruncated: boolean): string {
  const start = target.indexOf('?');
  if (start === -1) return '';
  return isTruncated ? target.slice(start + 1, Math.max(start + 1, target.lastIndexOf('&'))) : target.slice(start + 1);
}

/**
 * Converts a list of alternating header names and values to an object with lower-case names.
 * Joins the values of repeated headers.
 */
function parseHeaders(parts: JournalRecord['headers']): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const value = parts[index + 1] ?? '';
    const key = (parts[index] ?? '').toLowerCase();
    const separator = key === 'cookie' ? '; ' : ', ';
    headers[key] = Object.hasOwn(headers, key) ? headers[key] + separator + value : value;
  }
  return headers;
}

/**
 * Parses a JSON or form body.
 * Returns the text unchanged if the body is truncated or has another format.
 * Returns undefined if there is no body.
 */
function parseBody(text: string | undefined, isTruncated: boolean, type = ''): unknown {
  if (text === undefined || text === '') return undefined;
  if (isTruncated) return text;
  if (isFormType(type)) return parseQuery(text);
  try {
    return JSON.parse(text);
  } catch {
    // The text is not JSON.
    return text;
  }
}

function toJournalResponse({ status, headers, bytes, text }: RecordedResponse, names: CredentialNames) {
  const lowerCased = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const isTruncated = Buffer.byteLength(text) < bytes;
  const body = parseBody(text, isTruncated);
  const own = redactNamed(lowerCased, names.headers);
  return { status, headers: redactValues(own), bytes, ...toBodyProperties(body, isTruncated, names) };
}

function toBodyProperties(
  body: unknown,
  isTruncated: boolean,
  { properties }: CredentialNames,
): { body?: unknown; isTruncated?: true } {
  if (body === undefined) return {};
  return {
    body: redactSecrets(redactNamedProperties(body, properties)),
    ...(isTruncated ? { isTruncated: true } : {}),
  };
}

function redactValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactSecrets(values) as Record<string, unknown>;
}

/** The memory of an object without its properties, in V8 on a 64-bit machine, in bytes. */
export const OBJECT_BYTES = 48;
/** The memory of a reference to a value, in a property or a list entry, in bytes. */
export const SLOT_BYTES = 8;
/** The memory of a number that is not a small integer, in bytes. */
const NUMBER_BYTES = 16;
/** The memory of a string without its characters, in bytes. */
const TEXT_BYTES = 24;

/** Returns the approximate memory of a JSON value, in bytes. */
export function measureValue(value: unknown): number {
  if (typeof value === 'string') return TEXT_BYTES + value.length;
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT_BYTES;
  for (const part of Object.values(value)) bytes += SLOT_BYTES + measureValue(part);
  return bytes;
}

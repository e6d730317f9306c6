import type { JournalEntry } from '../../control/operation.ts';
import type { RequestToMatch } from '../../matcher/request-matcher.ts';
import { getTraceId } from '../../util/ids.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { CredentialNames } from '../../util/redact-secrets.ts';
import {
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
import { type Entry, isTruncatedUrl, type RecordedResponse } from './recorded-request.ts';

/** Converts a journal entry to the format of the control API. Redacts secrets, such as passwords and tokens. */
export function toJournalEntry(entry: Entry): JournalEntry {
  const { id, atMs, durationMs: ms, operationId, decision, response, remarks = {} } = entry;
  const { violations = [], responseViolations = [], notes = [], forced } = remarks;
  const { method, path, query, headers, body, credentialNames: names = NO_NAMES } = toRequestToMatch(entry);
  const traceId = getTraceId(headers.traceparent);
  const secrets = listPathSecrets(getPathname(entry.url), names.paths);
  return redactTexts(secrets, {
    id,
    at: toIsoTime(atMs),
    durationMs: Math.round(ms * 10) / 10,
    ...(traceId === undefined ? {} : { traceId }),
    ...(operationId === undefined ? {} : { operation: operationId }),
    ...(decision ? { decision } : {}),
    request: {
      method,
      url: redactUrl(entry.url, names),
      path: redactText(redactPath(path, names.paths)),
      query: redactValues(redactQuery(query, [...names.query, ...names.properties])),
      headers: redactValues(redactNamed(headers, names.headers)),
      ...toBodyProperties(body, entry.isTruncated, names),
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
export function toUnredactedRequest(entry: Entry): JournalEntry['request'] {
  const { method, path, query, headers, body, isTruncated } = toRequestToMatch(entry);
  const recorded = { method, url: entry.url, path, query: { ...query }, headers: { ...headers } };
  return {
    ...recorded,
    ...(body === undefined ? {} : { body }),
    ...(isTruncated ? { isTruncated } : {}),
  };
}

/**
 * Returns the parts of a recorded request that matchers can compare.
 * All clients that wait for an entry share one result.
 */
export const toRequestToMatch = memoizeByObject((entry: Entry): RequestToMatch => {
  const { operationId, credentialNames, method, isTruncated } = entry;
  const target = entry.url.slice(entry.prefix.length);
  const path = getPathname(target);
  const headers = parseHeaders(entry.headers);
  const type = headers['content-type'];
  const isQueryTruncated = isTruncatedUrl(target);
  return {
    operationId,
    credentialNames,
    method,
    path: path || '/',
    basePath: entry.basePath,
    query: parseQuery(getQuerystring(target, isQueryTruncated)),
    isQueryTruncated,
    headers,
    body: parseBody(entry.body, isTruncated, type),
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
function parseHeaders(parts: Entry['headers']): Record<string, string> {
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

import type { JournalEntry } from '../../control/operation.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { getPathname, isFormType, parseQuery } from '../../util/request-target.ts';
import type { MatchableRequest } from '../matcher/request-matcher.ts';
import type { Entry, RecordedResponse } from './journal.ts';
import { redactSecrets, redactText } from './redact-secrets.ts';

/** A request of the journal as it is shown: without what may be secret. */
export function toJournalEntry(entry: Entry): JournalEntry {
  const { id, atMs, ms, operationId, answer, remarks = {} } = entry;
  const { violations = [], responseViolations = [], notes = [], forced } = remarks;
  const { method, path, query, headers, body } = toMatchableRequest(entry);
  return {
    id,
    at: toIsoTime(atMs),
    durationMs: Math.round(ms * 10) / 10,
    ...(operationId === undefined ? {} : { operation: operationId }),
    request: {
      method,
      url: redactText(entry.url),
      path: redactText(path),
      query: hidden(query),
      headers: hidden(headers),
      ...shownBody(body, entry.isTruncated),
    },
    response: answer ? shownAnswer(answer) : null,
    ...(violations.length > 0 ? { violations: redactSecrets(violations) as typeof violations } : {}),
    ...(responseViolations.length > 0 ? { responseViolations: responseViolations.map(redactText) } : {}),
    ...(notes.length > 0 ? { notes: notes.map(redactText) } : {}),
    ...(forced ? { forced } : {}),
  };
}

/** What of a request conditions look at. */
export function toMatchableRequest({
  operationId,
  method,
  url,
  prefix,
  headers,
  body,
  isTruncated,
}: Entry): MatchableRequest {
  const target = url.slice(prefix.length);
  const asked = {
    operationId,
    method,
    path: getPathname(target) || '/',
    query: parseQuery(target.split('?')[1] ?? ''),
  };
  const named = headersIn(headers);
  const type = named['content-type'];
  return { ...asked, headers: named, body: contentOf(body, isTruncated, type), isTruncated, isForm: isFormType(type) };
}

/** Headers by their names in small letters; of one that came several times all values. */
function headersIn(parts: Entry['headers']): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [name = '', value = ''] = parts.slice(at, at + 2);
    const key = name.toLowerCase();
    const between = key === 'cookie' ? '; ' : ', ';
    headers[key] = Object.hasOwn(headers, key) ? headers[key] + between + value : value;
  }
  return headers;
}

function shownBody(content: unknown, isTruncated: boolean): { body?: unknown; isTruncated?: true } {
  if (content === undefined) return {};
  return { body: redactSecrets(content), ...(isTruncated ? { isTruncated: true } : {}) };
}

/** What a body holds: JSON or a form, where it is that and whole; else its text; undefined where there is none. */
function contentOf(text: string | undefined, isTruncated: boolean, type = ''): unknown {
  if (text === undefined || text === '') return undefined;
  if (isTruncated) return text;
  if (isFormType(type)) return parseQuery(text);
  try {
    return JSON.parse(text);
  } catch {
    // A page, or JSON that is broken.
    return text;
  }
}

function shownAnswer({ status, headers, bytes, text }: RecordedResponse) {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const isTruncated = Buffer.byteLength(text) < bytes;
  return { status, headers: hidden(named), bytes, ...shownBody(contentOf(text, isTruncated), isTruncated) };
}

function hidden(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactSecrets(values) as Record<string, unknown>;
}

import type { JournalEntry } from '../control/operation.ts';
import { isForm, pathIn, queryOf } from '../target.ts';
import type { Asked } from './condition.ts';
import type { Entry, SentAnswer } from './journal.ts';
import { textWithoutSecrets, withoutSecrets } from './secrets.ts';

/** A request of the journal as it is shown: without what may be secret. */
export function shownEntry(entry: Entry): JournalEntry {
  const { id, atMs, ms, operationId, answer, remarks = {} } = entry;
  const { violations = [], breaches = [], notes = [], forced } = remarks;
  const { method, path, query, headers, body } = askedIn(entry);
  return {
    id,
    at: new Date(atMs).toISOString(),
    ms: Math.round(ms * 10) / 10,
    ...(operationId === undefined ? {} : { operation: operationId }),
    request: {
      method,
      url: textWithoutSecrets(entry.url),
      path: textWithoutSecrets(path),
      query: hidden(query),
      headers: hidden(headers),
      ...shownBody(body, entry.isCut),
    },
    answer: answer ? shownAnswer(answer) : null,
    ...(violations.length > 0 ? { violations: withoutSecrets(violations) as typeof violations } : {}),
    ...(breaches.length > 0 ? { breaches: breaches.map(textWithoutSecrets) } : {}),
    ...(notes.length > 0 ? { notes: notes.map(textWithoutSecrets) } : {}),
    ...(forced ? { forced } : {}),
  };
}

/** What of a request conditions look at. */
export function askedIn({ operationId, method, url, prefix, headers, body, isCut }: Entry): Asked {
  const target = url.slice(prefix.length);
  const asked = { operationId, method, path: pathIn(target) || '/', query: queryOf(target.split('?')[1] ?? '') };
  const named = headersIn(headers);
  const type = named['content-type'];
  return { ...asked, headers: named, body: contentOf(body, isCut, type), isCut, isForm: isForm(type) };
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

function shownBody(content: unknown, isCut: boolean): { body?: unknown; isCut?: true } {
  if (content === undefined) return {};
  return { body: withoutSecrets(content), ...(isCut ? { isCut: true } : {}) };
}

/** What a body holds: JSON or a form, where it is that and whole; else its text; undefined where there is none. */
function contentOf(text: string | undefined, isCut: boolean, type = ''): unknown {
  if (text === undefined || text === '') return undefined;
  if (isCut) return text;
  if (isForm(type)) return queryOf(text);
  try {
    return JSON.parse(text);
  } catch {
    // A page, or JSON that is broken.
    return text;
  }
}

function shownAnswer({ status, headers, bytes, text }: SentAnswer) {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const isCut = Buffer.byteLength(text) < bytes;
  return { status, headers: hidden(named), bytes, ...shownBody(contentOf(text, isCut), isCut) };
}

function hidden(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return withoutSecrets(values) as Record<string, unknown>;
}

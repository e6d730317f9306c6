import type { JournalEntry } from '../control/operation.ts';
import type { Asked } from './condition.ts';
import type { CutText, Entry } from './journal.ts';
import { isSecret, textWithoutSecrets, withoutSecrets } from './secrets.ts';

/** A request of the journal as it is shown: without what may be secret. */
export function shownEntry(entry: Entry): JournalEntry {
  const { id, atMs, ms, operationId, answer, violations = [], breaches = [], notes = [], forced } = entry;
  const { method, path, query, headers } = askedIn(entry);
  return {
    id,
    at: new Date(atMs).toISOString(),
    ms: Math.round(ms * 10) / 10,
    ...(operationId === undefined ? {} : { operation: operationId }),
    request: {
      method,
      url: textWithoutSecrets(entry.url),
      path,
      query: hidden(query),
      headers: hidden(headers),
      ...shownBody(entry.body),
    },
    answer: answer
      ? { status: answer.status, headers: hidden(answer.headers), bytes: answer.bytes, ...shownBody(answer.body) }
      : null,
    ...(violations.length > 0 ? { violations: violations.map(discreet) } : {}),
    ...(breaches.length > 0 ? { breaches } : {}),
    ...(notes.length > 0 ? { notes: notes.map(textWithoutSecrets) } : {}),
    ...(forced ? { forced } : {}),
  };
}

/** What of a request conditions look at. */
export function askedIn({ operationId, method, shopUrl, headers, body }: Entry): Asked {
  const { pathname, searchParams } = new URL(`http://shop${shopUrl.startsWith('/') ? '' : '/'}${shopUrl}`);
  const query = Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
  return { operationId, method, path: pathname, query, headers, body: body && contentOf(body) };
}

function shownBody(body: CutText | undefined): { body?: unknown; isCut?: true } {
  if (body === undefined || body.text === '') return {};
  const value = contentOf(body);
  const shown = typeof value === 'string' ? textWithoutSecrets(value) : withoutSecrets(value);
  return { body: shown, ...(body.isCut ? { isCut: true } : {}) };
}

/** A body as JSON, where it is that and whole; else its text; undefined where there is none. */
function contentOf({ text, isCut }: CutText): unknown {
  if (text === '') return undefined;
  if (isCut) return text;
  try {
    return JSON.parse(text);
  } catch {
    // A form, a page, or JSON that is broken.
    return text;
  }
}

function hidden(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return withoutSecrets(values) as Record<string, unknown>;
}

/** A violation without the value of what may be secret. */
function discreet(violation: NonNullable<JournalEntry['violations']>[number]) {
  const { value, ...rest } = violation;
  return value === undefined || isSecret(violation.pointer) ? rest : { ...rest, value: withoutSecrets(value) };
}

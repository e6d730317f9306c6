/**
 * Formats an ISO 8601 time as the time of day with milliseconds, such as `14:03:07.250`, in the time zone of the
 * browser.
 */
export function formatTime(iso: string): string {
  const date = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

/**
 * Formats an ISO 8601 time as a date and a time, in the time zone and the language of the browser.
 * Returns any other text unchanged.
 */
export function formatDateTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** Formats a duration in milliseconds, such as `3.2 ms`, `250 ms` or `12.0 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Formats a number of bytes, such as `512 B` or `4.1 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Formats an amount in cents as a decimal number, such as `42.50` for 4250. */
export function formatMoney(cents: number): string {
  return (cents / 100).toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** Formats an integer with thousands separators, such as `1,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString();
}

/** Formats a number with a noun, such as `1 request` and `2 requests`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : toPlural(noun)}`;
}

function toPlural(noun: string): string {
  if (/[sx]$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** Formats a JSON value on several lines. Returns a string unchanged. */
export function formatJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

/** The length of the end of a path that is always shown, in characters. */
export const PATH_END = 24;

/** Returns the index at which the last segments of a path start, whose length is at most `PATH_END` if possible. */
export function findPathEnd(path: string): number {
  const earliest = path.length - PATH_END;
  const slash = path.indexOf('/', earliest);
  return slash === -1 ? earliest : slash;
}

/** The maximum length of an id in a table, in characters. */
const MAX_ID = 12;

/** Shortens a long id, such as a UUID, to its first characters. */
export function shortenId(id: string): string {
  return id.length > MAX_ID ? `${id.slice(0, MAX_ID - 4)}…` : id;
}

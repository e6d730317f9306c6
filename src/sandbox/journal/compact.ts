/** How much is kept of a body, in bytes. */
const KEPT_BYTES = 4096;

/** The beginning of a text, 4 kB of it, as a text of its own: the whole isn't kept for its sake. */
export function truncateText(text: string): string {
  // A character has three bytes at most, or is one of two that have four together.
  if (text.length * 3 <= KEPT_BYTES) return text;
  const bytes = Buffer.from(text.slice(0, KEPT_BYTES));
  if (bytes.length <= KEPT_BYTES) return text.length <= KEPT_BYTES ? text : bytes.toString();
  let end = KEPT_BYTES;
  // Not in the middle of a character: the bytes of one after the first begin with 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** How many of the last requests are looked at for the same headers. */
const LOOKED_BACK = 4;

/** Headers, by the list of an earlier request where it has the same: a client sends the same time and again, and what isn't kept costs nothing. `earlier`: those of the request so many before. */
export function shareHeaders(
  headers: readonly string[],
  earlier: (back: number) => readonly string[] | undefined,
): readonly string[] {
  for (let back = 1; back <= LOOKED_BACK; back++) {
    const kept = earlier(back);
    if (kept && areSame(kept, headers)) return kept;
  }
  return headers;
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
}

/** What a text takes beside its characters, in bytes. */
const TEXT_BYTES = 32;

/** About how much headers take, in bytes. */
export function measureHeaders(headers: readonly string[]): number {
  let length = headers.length * TEXT_BYTES;
  for (const part of headers) length += part.length;
  return length;
}

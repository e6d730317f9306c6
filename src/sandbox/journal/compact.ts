/** The part of a body that the journal keeps, in bytes. */
const MAX_BODY_BYTES = 4096;

/** Returns at most the first 4 kB of a text, as a copy that does not keep the whole text in memory. */
export function truncateText(text: string): string {
  // A UTF-16 code unit has at most three bytes in UTF-8.
  if (text.length * 3 <= MAX_BODY_BYTES) return text;
  const bytes = Buffer.from(text.slice(0, MAX_BODY_BYTES));
  if (bytes.length <= MAX_BODY_BYTES) return text.length <= MAX_BODY_BYTES ? text : bytes.toString();
  let end = MAX_BODY_BYTES;
  // Does not split a character: its continuation bytes begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** The number of earlier requests that are compared. */
const COMPARED_REQUESTS = 4;

/**
 * Returns the header list of an earlier request if it is equal, because clients repeat their headers and a shared list uses no memory.
 * `getEarlier` returns the list of the request so many before.
 */
export function shareHeaders(
  headers: readonly string[],
  getEarlier: (back: number) => readonly string[] | undefined,
): readonly string[] {
  for (let back = 1; back <= COMPARED_REQUESTS; back++) {
    const earlier = getEarlier(back);
    if (earlier?.length === headers.length && earlier.every((part, index) => part === headers[index])) return earlier;
  }
  return headers;
}

/** The memory of a string in addition to its characters, in bytes. */
const STRING_BYTES = 32;

/** Returns the approximate memory of a header list in bytes. */
export function measureHeaders(headers: readonly string[]): number {
  return headers.reduce((bytes, part) => bytes + STRING_BYTES + part.length, 0);
}

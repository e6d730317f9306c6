/** How much the headers that are looked up may take, in characters; larger ones than this are not. */
const KNOWN_LENGTH = 2_000_000;
const LARGEST_KNOWN = 4_000;

/** Gives back a text, a line for each name and each value: the same one for the same headers, since a client sends the same time and again. */
export function headerPool(): (rawHeaders: readonly string[]) => string {
  const known = new Map<string, string>();
  let length = 0;
  return (rawHeaders) => {
    const text = rawHeaders.join('\n');
    const same = known.get(text);
    if (same !== undefined || text.length > LARGEST_KNOWN) return same ?? text;
    if (length + text.length > KNOWN_LENGTH) {
      known.clear();
      length = 0;
    }
    known.set(text, text);
    length += text.length;
    return text;
  };
}

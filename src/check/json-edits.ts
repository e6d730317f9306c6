/** A text that no value contains. */
const MARKER = 'replaced-7f3c9a52e1d84b06';

/** Returns the JSON text of a value with its first number or text (depth-first) replaced by `raw`; undefined if it has none. */
export function replaceFirst(type: 'number' | 'string', value: unknown, raw: string): string | undefined {
  let isFound = false;
  const json = JSON.stringify(value, (_, one: unknown) => {
    if (isFound || typeof one !== type) return one;
    isFound = true;
    return MARKER;
  });
  return isFound ? json.replace(`"${MARKER}"`, () => raw) : undefined;
}

/** Parses JSON; numbers that are too large for a double become the largest double, which is the same for a schema without bounds. */
export function parseFinite(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? Math.sign(value) * Number.MAX_VALUE : value,
  );
}

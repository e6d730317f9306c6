/** A string that is unlikely to occur in a body. */
const PLACEHOLDER = 'replaced-7f3c9a52e1d84b06';

/**
 * Serializes `value` as JSON, and replaces the first number or string (see `type`) with the text `raw`: for `1e400`, `{"a":1}` becomes `{"a":1e400}`. Returns
 * undefined if there is nothing to replace.
 */
export function replaceFirst(type: 'number' | 'string', value: unknown, raw: string): string | undefined {
  let isFound = false;
  const json = JSON.stringify(value, (_, one: unknown) => {
    if (isFound || typeof one !== type) return one;
    isFound = true;
    return PLACEHOLDER;
  });
  return isFound ? json.replace(`"${PLACEHOLDER}"`, () => raw) : undefined;
}

/** Parses JSON. A number that is too large for JavaScript becomes the largest number with the same sign, so that schemas validate it as a number. */
export function parseFinite(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? Math.sign(value) * Number.MAX_VALUE : value,
  );
}

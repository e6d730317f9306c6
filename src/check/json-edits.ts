/** A string that is unlikely to occur in a body. */
const PLACEHOLDER = 'replaced-7f3c9a52e1d84b06';

/**
 * Serializes a value as JSON, with the text `raw` in place of the first number or the first string, depending on `type`. Returns undefined if the
 * JSON contains no value of this type.
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

/** The regular expression of a `pattern`, in Unicode mode where it can be read so: many are not written for it. Undefined where it is none. */
export function expressionOf(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Not in this mode.
    }
  }
  return undefined;
}

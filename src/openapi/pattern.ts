/** Compiles the `pattern` of a schema, in Unicode mode if possible: many patterns are not written for it. Returns undefined for an invalid pattern. */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Invalid in this mode.
    }
  }
  return undefined;
}

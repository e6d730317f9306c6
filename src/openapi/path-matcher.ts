/**
 * Returns the values of the parameters in a path, in the order of the template.
 * Returns undefined if the path does not match.
 */
export type PathMatcher = (path: string) => readonly string[] | undefined;

/**
 * Creates a function that matches paths with a path template such as `/pets/{petId}` or `/reports/{year}-{month}.json`.
 * A value has at least one character and no slash.
 * If a path matches in several ways, the first values are as long as possible, as with the regular expression `[^/]+`
 * for each parameter.
 * Such an expression can take quadratic time for a segment with several parameters.
 * This function takes linear time.
 * `normalize`: converts the texts between the parameters to the form that the paths have.
 */
export function createPathMatcher(template: string, normalize: (text: string) => string): PathMatcher {
  const segments = splitTemplate(template).map((segment) => createSegmentMatcher(segment, normalize));
  return (path) => {
    const sent = path.split('/');
    if (sent.length !== segments.length) return undefined;
    const values: string[] = [];
    for (const [index, match] of segments.entries()) {
      const found = match(sent[index] ?? '');
      if (!found) return undefined;
      values.push(...found);
    }
    return values;
  };
}

/** Returns whether a segment of a path template has several parameters, such as `{year}-{month}`. */
export function hasCombinedParameters(template: string): boolean {
  return splitTemplate(template).some((segment) => segment.split(PARAMETER).length > 2);
}

/** A parameter in a segment, without its name. */
const PARAMETER = '{}';

/** Splits a path template into its segments, and removes the names of the parameters. */
export function splitTemplate(template: string): readonly string[] {
  return template.replaceAll(/\{.*?\}/g, PARAMETER).split('/');
}

function createSegmentMatcher(segment: string, normalize: (text: string) => string): PathMatcher {
  const [first = '', ...texts] = segment.split(PARAMETER).map(normalize);
  const last = texts.pop();
  if (last === undefined) return (text) => (text === first ? [] : undefined);
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
    const values: string[] = [];
    let end = text.length - last.length;
    // Searches from the end: the last possible place of each text makes all values before it as long as possible.
    for (const literal of texts.toReversed()) {
      const lastStart = end - 1 - literal.length;
      const start = lastStart < 0 ? -1 : text.lastIndexOf(literal, lastStart);
      if (start <= first.length) return undefined;
      values.unshift(text.slice(start + literal.length, end));
      end = start;
    }
    return end > first.length ? [text.slice(first.length, end), ...values] : undefined;
  };
}

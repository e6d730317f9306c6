/**
 * Replaces the names of the parameters in a path template: `/pets/{petId}` becomes `/pets/{}`.
 * Two templates with the same result match the same paths.
 */
export function toPattern(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

/**
 * Returns whether a text can be a segment of a URL path.
 * Clients and servers remove empty segments, `.` and `..`
 * (RFC 3986, section 5.2.4).
 * A single surrogate can't be encoded.
 */
export function isPathSegment(text: string): boolean {
  return !['', '.', '..'].includes(text) && !/\p{Surrogate}/u.test(text);
}

/** Replaces the parameters in a path template by their values, percent-encoded: `/pets/{petId}` becomes `/pets/7`. */
export function fillPath({ path, parameters }: PathWithStyles, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{([^}]*)\}/g, (_text, name: string) => {
    const { prefix = '' } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {};
    return prefix + encodeURIComponent(values[name] ?? '');
  });
}

/** A path template, and the prefixes that the styles `label` and `matrix` add to the values of its parameters. */
export interface PathWithStyles {
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly prefix: string }[];
}

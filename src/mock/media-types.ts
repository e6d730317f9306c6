/** The media type of problem documents (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

const TYPES_OF_RANGES: ReadonlyMap<string, string> = new Map([
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['text/*', 'text/plain'],
  ['image/*', 'image/png'],
  ['audio/*', 'audio/wav'],
]);

/**
 * Returns the header `Vary` of a response whose media type depends on the header `Accept`.
 * `headers`: the other headers of the response.
 */
export function createVary({ Vary: vary }: Readonly<Record<string, string>>): { readonly Vary: string } {
  return { Vary: vary === undefined ? 'Accept' : `${vary}, Accept` };
}

/**
 * Returns the content type for a documented media type.
 * Replaces a media range with a type: `text/*` becomes `text/plain`.
 */
export function toContentType(type: string): string {
  return TYPES_OF_RANGES.get(type) ?? type;
}

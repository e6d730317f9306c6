/** The media type of problem documents (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

const TYPES_OF_RANGES: ReadonlyMap<string, string> = new Map([
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['text/*', 'text/plain'],
  ['image/*', 'image/png'],
  ['audio/*', 'audio/wav'],
]);

/** Returns the content type for a documented media type. Replaces a media range with a type: `text/*` becomes `text/plain`. */
export function toContentType(type: string): string {
  return TYPES_OF_RANGES.get(type) ?? type;
}

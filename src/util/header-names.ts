/** Matches a valid name of a header (RFC 9110, section 5.1). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** The usual spelling of the response headers that the server reads. The keys are the names in lower case. */
const SPELLINGS: Readonly<Record<string, string>> = {
  'content-type': 'Content-Type',
  location: 'Location',
  link: 'Link',
};

/**
 * Returns headers whose names `Content-Type`, `Location` and `Link` have exactly this spelling.
 * Code can then read them as properties: header names are case-insensitive (RFC 9110, section 5.1), but property names
 * are not.
 */
export function normalizeHeaderNames(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [SPELLINGS[name.toLowerCase()] ?? name, value]),
  );
}

/** Header names that the server looks up in this spelling. */
const SPELLINGS: Readonly<Record<string, string>> = { 'content-type': 'Content-Type', location: 'Location' };

/** Returns headers with the names that the server looks up in its spelling. HTTP names are case-insensitive (RFC 9110, section 5.1). */
export function normalizeHeaderNames(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [SPELLINGS[name.toLowerCase()] ?? name, value]),
  );
}

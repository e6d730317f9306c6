import { MAX_JSON_DEPTH } from './json-limits.ts';
import { tryOrUndefined } from './try-or-undefined.ts';

/**
 * Matches the names of headers, parameters and properties whose values are secret, such as `token`. It is the only list of these names. The journal, the
 * matchers and `storefront check` use it.
 */
const SECRET =
  /authorization|(^|[^a-z])(auth|jwt|pin|pwd)([^a-z]|$)|cookie|token|secret|passw|passphrase|passcode|credential|session|(api|auth|access)[-_]?key|card[-_]?number|credit[-_]?card|cvc|cvv/i;

/** The replacement for a secret value. */
const REDACTED = '[redacted]';

/** Placeholders for credentials in messages of the server, such as `Authorization: Bearer TOKEN`. They are not secret, so they are not redacted. */
const PLACEHOLDERS = ['TOKEN', 'CREDENTIALS'];

/** The replacement for a value that is nested too deeply. */
const TOO_DEEP = '…';

/** The maximum nesting of URL-encoded texts that are searched for secrets. A parameter value can be a URL with parameters of its own. */
const MAX_PARAMETER_DEPTH = 3;

/**
 * The maximum length of a text that is searched for secrets, in characters. The rest is dropped, because the search would take too long for a header of 64 kB.
 */
const MAX_TEXT_LENGTH = 8_000;

/** Returns whether a header, parameter or property with this name has a secret value. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

/**
 * Replaces secrets in a JSON value with `[redacted]`. Secrets are the values of properties with secret names at any depth, such as `token`, and credentials in
 * strings.
 */
export function redactSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_JSON_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((inner) => redactSecrets(inner, depth + 1));
  // A violation of the contract has a `pointer` to a value, and the property `value`, which is secret if the pointer contains a secret name.
  const { pointer } = value as { readonly pointer?: unknown };
  const isSecret = (name: string) =>
    isSecretName(name) || (name === 'value' && typeof pointer === 'string' && isSecretName(pointer));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name) && inner !== undefined ? REDACTED : redactSecrets(inner, depth + 1),
    ]),
  );
}

/** The names of headers and query parameters that contain credentials. Header names are in lower case. */
export interface CredentialNames {
  readonly headers: readonly string[];
  readonly query: readonly string[];
}

/** Replaces the values of the properties `names` with `[redacted]`. */
export function redactNamed<Values extends Readonly<Record<string, unknown>>>(
  values: Values,
  names: readonly string[],
): Values {
  const isNamed = names.some((name) => values[name] !== undefined);
  if (!isNamed) return values;
  const entries = Object.entries(values).map(([name, value]) => [name, names.includes(name) ? REDACTED : value]);
  return Object.fromEntries(entries) as Values;
}

/** Replaces the values of the query parameters `names` in a URL with `[redacted]`. */
export function redactNamedInUrl(url: string, names: readonly string[]): string {
  if (names.length === 0) return url;
  return url.replaceAll(/([?&])([^=&]+)=[^&]*/g, (whole, begin: string, name: string) =>
    names.includes(decode(name)) ? `${begin}${name}=${REDACTED}` : whole,
  );
}

/**
 * Replaces secrets in a text with `[redacted]`, and shortens the text to at most 8,000 characters. The text can be JSON, truncated JSON, a form, a URL or a
 * sentence.
 */
export function redactText(text: string): string {
  return redactFullText(text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text);
}

/** Replaces secrets in a text of any length with `[redacted]`. `depth`: how often the text was already URL-decoded. */
export function redactFullText(text: string, depth = 0): string {
  if (!SECRET.test(text) && !/[%@\\]|\b(bearer|basic) /i.test(text)) return text;
  return redactCredentials(redactSentences(redactPairs(redactProperties(text), depth)));
}

/** Replaces secret values of headers with `[redacted]`. Empty values stay empty. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value !== '' && isSecretName(name) ? REDACTED : redactText(value),
    ]),
  );
}

/** Replaces the credentials after `Bearer` or `Basic` in a text, and user names and passwords in its URLs. */
function redactCredentials(text: string): string {
  return text
    .replaceAll(/\b(bearer|basic) ([^\s",;]+)/gi, (whole, scheme: string, value: string) =>
      PLACEHOLDERS.includes(value) ? whole : `${scheme} ${REDACTED}`,
    )
    .replaceAll(/:\/\/[^/\s@"]{1,200}@/g, `://${REDACTED}@`);
}

/** Replaces the values after secret names in a sentence, such as `token is "abc"`. The quotation marks can be escaped, as in JSON. */
function redactSentences(text: string): string {
  const named = /(?<![\w.-])([\w.-]+)( is)? (?:\\?"(?:[^"\\]|\\[^"])*(?:\\?"|$)|-?\d[\w.+-]*)/g;
  return text.replaceAll(named, (whole, name: string, is = '') =>
    isSecretName(name) ? `${name}${is} ${REDACTED}` : whole,
  );
}

/** Replaces secret parameter values in a URL or a form: the values of parameters such as `token`, and URL-encoded values that contain a secret. */
function redactPairs(text: string, depth: number): string {
  return text.replaceAll(
    /(^|[?&;\s"])([^=&?;\s"]+)=([^&;\s]*)/g,
    (whole, begin: string, name: string, value: string) =>
      isSecretName(decode(name)) || (value.includes('%') && hasSecret(decode(value), depth))
        ? `${begin}${name}=${REDACTED}`
        : whole,
  );
}

/** Returns whether a decoded parameter value contains a secret. At the maximum nesting, the name of a secret is enough. */
function hasSecret(value: string, depth: number): boolean {
  return SECRET.test(value) && (depth === MAX_PARAMETER_DEPTH || redactFullText(value, depth + 1) !== value);
}

/** Decodes a percent-encoded text. Returns the same text if an escape is invalid. */
function decode(text: string): string {
  return tryOrUndefined(() => decodeURIComponent(text)) ?? text;
}

/** Replaces the values of properties with secret names in a JSON text. The text can be truncated. */
function redactProperties(text: string): string {
  // The length of a name is limited. Otherwise the time would be quadratic for a text with many quotation marks.
  const property = /"((?:[^"\\]|\\.){0,100})"\s*:\s*/g;
  let result = '';
  let from = 0;
  for (let found = property.exec(text); found; found = property.exec(text)) {
    const [, name = ''] = found;
    // A name with an invalid escape is compared without decoding.
    if (!isSecretName(tryOrUndefined(() => JSON.parse(`"${name}"`)) ?? name)) continue;
    result += `${text.slice(from, property.lastIndex)}"${REDACTED}"`;
    from = findEndOfValue(text, property.lastIndex);
    property.lastIndex = from;
  }
  return result + text.slice(from);
}

/** Returns the index after the JSON value that starts at `begin`. Returns the length of the text if the value is truncated. */
function findEndOfValue(text: string, begin: number): number {
  const token = /"(?:[^"\\]|\\.)*("|$)|[[{]|[\]}]|[^[\]{}",]+|,/gy;
  token.lastIndex = begin;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [part] = found;
    if (part === '[' || part === '{') depth++;
    else if (part === ']' || part === '}') depth--;
    // The end of the enclosing object is not part of the value.
    if (depth < 0 || (depth === 0 && part === ',')) return token.lastIndex - part.length;
    if (depth === 0) return token.lastIndex;
  }
  return text.length;
}

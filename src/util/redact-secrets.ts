import { MAX_JSON_DEPTH } from './json-limits.ts';
import { tryOrUndefined } from './try-or-undefined.ts';

/** Names of headers, parameters and properties whose values may be secret. */
const SECRET =
  /authorization|(^|[^a-z])(auth|jwt|pin|pwd)([^a-z]|$)|cookie|token|secret|passw|passphrase|passcode|credential|session|(api|auth|access)[-_]?key|card[-_]?number|credit[-_]?card|cvc|cvv/i;

/** The replacements of a value that may be secret, and of one that is nested too deep to be searched. */
const REDACTED = '[left out]';
const TOO_DEEP = '…';

/** The maximum depth of parameters within parameters that are searched. */
const MAX_PARAMETER_DEPTH = 3;

/** The number of characters of a text that are searched and returned: a URL or a header of 64 kB takes too long. */
const MAX_TEXT_LENGTH = 8_000;

/** Whether the value of a header, parameter or property of this name may be secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

/** Returns a value with `[left out]` in place of what may be secret: values of properties with such names, at any depth, and values in its texts. */
export function redactSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_JSON_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((inner) => redactSecrets(inner, depth + 1));
  // A violation has the value that its pointer refers to.
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

/** Returns the first 8,000 characters of a text (JSON, also cut off, a form, a URL or a sentence) without secrets. */
export function redactText(text: string): string {
  return redactFullText(text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text);
}

/** Returns a whole text without secrets, whatever its length. `depth`: the number of parameters around it. */
export function redactFullText(text: string, depth = 0): string {
  if (!SECRET.test(text) && !/[%@\\]|\b(bearer|basic) /i.test(text)) return text;
  return redactCredentials(redactSentences(redactPairs(redactProperties(text), depth)));
}

/** Returns header values by name, with `[left out]` in place of those that may be secret. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value !== '' && isSecretName(name) ? REDACTED : redactText(value),
    ]),
  );
}

/** Redacts what follows the name of an authentication scheme, or precedes the host of a URL. */
function redactCredentials(text: string): string {
  return text
    .replaceAll(/\b(bearer|basic) [^\s",;]+/gi, `$1 ${REDACTED}`)
    .replaceAll(/:\/\/[^/\s@"]{1,200}@/g, `://${REDACTED}@`);
}

/** Redacts the values in the messages of violations, also within JSON. */
function redactSentences(text: string): string {
  const named = /(?<![\w.-])([\w.-]+)( is)? (?:\\?"(?:[^"\\]|\\[^"])*(?:\\?"|$)|-?\d[\w.+-]*)/g;
  return text.replaceAll(named, (whole, name: string, is = '') =>
    isSecretName(name) ? `${name}${is} ${REDACTED}` : whole,
  );
}

/** Redacts the values of parameters, as in a URL or a form, and values that contain secrets. */
function redactPairs(text: string, depth: number): string {
  return text.replaceAll(
    /(^|[?&;\s"])([^=&?;\s"]+)=([^&;\s]*)/g,
    (whole, begin: string, name: string, value: string) =>
      isSecretName(decode(name)) || (value.includes('%') && hasSecret(decode(value), depth))
        ? `${begin}${name}=${REDACTED}`
        : whole,
  );
}

/** Whether a value contains a secret; one that is nested too deep may. */
function hasSecret(value: string, depth: number): boolean {
  return SECRET.test(value) && (depth === MAX_PARAMETER_DEPTH || redactFullText(value, depth + 1) !== value);
}

/** Decodes a name or a value; a stray % stands for itself. */
function decode(text: string): string {
  return tryOrUndefined(() => decodeURIComponent(text)) ?? text;
}

/** Redacts the values of properties, in JSON that may be cut off anywhere. */
function redactProperties(text: string): string {
  // The length of a name is bounded: otherwise each quote of a text full of them is followed to its end.
  const property = /"((?:[^"\\]|\\.){0,100})"\s*:\s*/g;
  let result = '';
  let from = 0;
  for (let found = property.exec(text); found; found = property.exec(text)) {
    const [, name = ''] = found;
    // A name that is no valid JSON string stands for itself.
    if (!isSecretName(tryOrUndefined(() => JSON.parse(`"${name}"`)) ?? name)) continue;
    result += `${text.slice(from, property.lastIndex)}"${REDACTED}"`;
    from = findEndOfValue(text, property.lastIndex);
    property.lastIndex = from;
  }
  return result + text.slice(from);
}

/** Returns where the JSON value that starts at `begin` ends: the end of the text if it is cut off. */
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

import { MAX_JSON_DEPTH } from './limits.ts';
import { tryOrUndefined } from './try-or-undefined.ts';

/**
 * Matches the names of headers, parameters and properties whose values are secret, such as `token`.
 * Together with `WORDS`, it is the only list of these names.
 * The journal, the log, the matchers and `storefront check` use it.
 */
const SECRET =
  /authorization|cookie|token|secret(?!ar)|pass[-_ ]?w(?:or)?[dt]|passphrase|passcode|pwd|credential|(?<!ob|pos)session|sess[-_ ]?id|signature|(api|auth|access|private|signing|encryption|subscription|functions|master)[-_ ]?key|card[-_ ]?num|cc[-_ ]?num|credit[-_ ]?card|cvc|cvv|(pin|security|verification|recovery)[-_ ]?code|(security|secret)[-_ ]?answer|social[-_ ]?security|tax[-_ ]?(payer[-_ ]?)?id|connection[-_ ]?string/i;

/** Secret names that are also parts of other words, such as `pin` in `shipping`. Only whole words are secret. */
const WORDS = 'auth|bearer|jwt|pin|otp|totp|mfa|ssn|iban';

const SECRET_WORD = new RegExp(`(?:^|[^a-z])(?:${WORDS})(?:[^a-z]|$)|^(?:connect\\.)?sid$`, 'i');

/** Matches names that contain a secret name and count or describe secrets, such as `max_tokens` and `tokenType`. */
const NOT_SECRET =
  /(?:^|[^a-z])(?:max|min|total|prompt|completion|input|output|cached|reasoning|used)[-_ ](?:[a-z]+[-_ ])*tokens$|[-_ ](?:types?|count|usage|used|limit|budget|length|policy|required|enabled|(?:changed|updated|expires|set)[-_ ]?(?:at|on))$|^(?:has|is|needs|requires|allows?|show|hide|can)[-_ ]/i;

/** Matches each text that contains a secret name, and some others. */
const MAYBE_SECRET = new RegExp(`${SECRET.source}|${WORDS}|sid`, 'i');

/** The replacement for a secret value. */
export const REDACTED = '[redacted]';

/**
 * Placeholders for credentials in messages of the server, such as `Authorization: Bearer TOKEN`.
 * They are not secret, so they are not redacted.
 */
const PLACEHOLDERS = ['TOKEN', 'CREDENTIALS'];

/** The replacement for a value that is nested too deeply. */
const TOO_DEEP = '…';

/**
 * The maximum nesting of URL-encoded texts that are searched for secrets.
 * A parameter value can be a URL with parameters of its own.
 */
const MAX_PARAMETER_DEPTH = 3;

/**
 * The maximum length of a text that is searched for secrets, in characters.
 * The rest is dropped, because the search would take too long for a header of 64 kB.
 */
const MAX_TEXT_LENGTH = 8_000;

/** The results of `isSecretName`, because most names are those of the contract. Clients can send any name. */
const secretNames = new Map<string, boolean>();

const MAX_SECRET_NAMES = 1_000;
const MAX_NAME_LENGTH = 100;

/** Returns whether a header, parameter or property with this name has a secret value. */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return matchesSecret(name);
  const known = secretNames.get(name);
  if (known !== undefined) return known;
  if (secretNames.size >= MAX_SECRET_NAMES) secretNames.clear();
  const isSecret = matchesSecret(name);
  secretNames.set(name, isSecret);
  return isSecret;
}

function matchesSecret(name: string): boolean {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2');
  return (SECRET.test(words) || SECRET_WORD.test(words)) && !NOT_SECRET.test(words);
}

/** Matches a text with several words that ends with a secret name: `API key`, and not `Cookie cutter`. */
const SECRET_END = new RegExp(`(?:${SECRET.source}|(?:^|[^a-z])(?:${WORDS}))s?$`, 'i');

/** Returns whether a text names a secret that another property has, as in `{ name: 'password', value: 'x' }`. */
function namesSecretValue(text: string): boolean {
  return /\s/.test(text) ? SECRET_END.test(text) : isSecretName(text);
}

/**
 * Replaces secrets in a JSON value with `[redacted]`.
 * Secrets are the values of properties with secret names at any depth, such as `token`, and credentials in strings.
 */
export function redactSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_JSON_DEPTH) return TOO_DEEP;
  if (isSecretPair(value)) return [value[0], REDACTED];
  if (Array.isArray(value)) return value.map((inner) => redactSecrets(inner, depth + 1));
  const isSecret = (name: string) => isSecretName(name) || (isValueName(name) && namesSecret(value, namesSecretValue));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name) && inner !== undefined && typeof inner !== 'boolean' ? REDACTED : redactSecrets(inner, depth + 1),
    ]),
  );
}

/**
 * The properties that name the value beside them, as in `{ name: 'password', value: 'x' }`, in lower case.
 * A violation of the contract has a `pointer`, and an operation of a JSON Patch has a `path`.
 */
const NAMING = ['name', 'key', 'id', 'field', 'parameter', 'header', 'pointer', 'path'];

/** The properties with a value that another property names, in lower case. */
const VALUES = ['value', 'val', 'content'];

function isNamingName(name: string): boolean {
  return NAMING.includes(name.toLowerCase());
}

function isValueName(name: string): boolean {
  return VALUES.includes(name.toLowerCase());
}

/** Returns whether a list is the name of a secret and its value, as in `['password', 'x']`. */
function isSecretPair(value: object): value is readonly [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, secret]: readonly unknown[] = value;
  return typeof name === 'string' && typeof secret === 'string' && isSecretName(name);
}

/** Returns whether an object names a secret, which it has as one of the properties `VALUES`. */
function namesSecret(object: object, isSecret: (text: string) => boolean): boolean {
  return Object.entries(object).some(
    ([name, value]) => isNamingName(name) && typeof value === 'string' && isSecret(value),
  );
}

/**
 * The names of headers, query parameters and properties that contain credentials or passwords.
 * Header names are in lower case.
 * `paths`: the paths with parameters that are secret, which have the name `secret`. The other parameters have no name:
 * `/users/{}/resets/{secret}`.
 */
export interface CredentialNames {
  readonly paths: readonly string[];
  readonly headers: readonly string[];
  readonly query: readonly string[];
  readonly properties: readonly string[];
}

/** The names of a contract without credentials and passwords. */
export const NO_NAMES: CredentialNames = { headers: [], query: [], properties: [], paths: [] };

/**
 * Replaces the values of the properties `names` with `[redacted]`, at any depth.
 * `value`: a parsed body, or a text with JSON, XML or a form, which can be truncated.
 */
export function redactNamedProperties(value: unknown, names: readonly string[], depth = 0): unknown {
  if (names.length === 0) return value;
  const isNamed = (name: string) => names.includes(name);
  const namesValue = (text: string) => text.split('/').some(isNamed);
  if (typeof value === 'string') {
    const redacted = redactProperties(redactNamedInUrl(`?${value}`, names).slice(1), isNamed, namesValue);
    return redactElements(redactAttributes(redactLoose(redactEscaped(redacted, isNamed), isNamed), isNamed), isNamed);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_JSON_DEPTH) return TOO_DEEP;
  // A text can be JSON or XML itself. The values of other texts stay.
  const isDocument = (text: string) => /^\s*[[{<]/.test(text);
  const redact = (inner: unknown) =>
    typeof inner === 'string' && !isDocument(inner) ? inner : redactNamedProperties(inner, names, depth + 1);
  if (Array.isArray(value)) return value.map(redact);
  const isSecret = (name: string) => isNamed(name) || (isValueName(name) && namesSecret(value, namesValue));
  const entries = Object.entries(value).map(([name, inner]) => [name, isSecret(name) ? REDACTED : redact(inner)]);
  return Object.fromEntries(entries);
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

/**
 * Replaces the values of the query parameters `names` in a URL with `[redacted]`.
 * A parameter such as `filter[pin]` also has the name `pin`.
 */
export function redactNamedInUrl(url: string, names: readonly string[]): string {
  if (names.length === 0) return url;
  return url.replaceAll(/([?&])([^=&]+)=([^&]*)/g, (whole, begin: string, name: string, value: string) => {
    if (hasName(decode(name), names)) return `${begin}${name}=${REDACTED}`;
    const text = /^(?:%7B|%5B|[{[])/i.test(value) ? decode(value) : undefined;
    return text !== undefined && redactNamedProperties(text, names) !== text ? `${begin}${name}=${REDACTED}` : whole;
  });
}

/** Returns whether a query parameter has one of `names`, also as the last key: `filter[pin]`. */
function hasName(parameter: string, names: readonly string[]): boolean {
  const key = /\[([^[\]]*)\]$/.exec(parameter)?.[1];
  return names.includes(parameter) || (key !== undefined && names.includes(key));
}

/** Replaces the values of the query parameters `names` with `[redacted]`, as `redactNamedInUrl` does. */
export function redactQuery(
  query: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  if (names.length === 0) return query;
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const hasSecret = typeof value === 'string' && redactNamedProperties(value, names) !== value;
      return [name, hasSecret || hasName(name, names) ? REDACTED : value];
    }),
  );
}

/**
 * Replaces the secret parameters in a path with `[redacted]`.
 * `templates`: `paths` of `CredentialNames`. The path can begin with a base path.
 */
export function redactPath(path: string, templates: readonly string[]): string {
  const [, own = '', slashes = ''] = /^(.*?)(\/*)$/s.exec(path) ?? [];
  const segments = own.split('/');
  for (const template of templates) {
    const parts = template.split('/').slice(1);
    const start = segments.length - parts.length;
    const fits = start > 0 && parts.every((part, index) => part.includes('{') || part === segments[start + index]);
    for (const [index, part] of fits ? parts.entries() : [])
      if (part.includes('{secret}')) segments[start + index] = REDACTED;
  }
  return segments.join('/') + slashes;
}

/** Returns the texts in the places of the secret parameters of a path, as sent and decoded. */
export function listPathSecrets(path: string, templates: readonly string[]): readonly string[] {
  const shown = redactPath(path, templates).split('/');
  const secrets = path.split('/').filter((segment, index) => segment !== shown[index] && segment !== '');
  return [...new Set(secrets.flatMap((secret) => [secret, decode(secret)]))];
}

/** Replaces the texts `secrets` in all texts of a value, at any depth. */
export function redactTexts<Value>(secrets: readonly string[], value: Value): Value {
  if (secrets.length === 0) return value;
  const change = (inner: unknown): unknown => {
    if (typeof inner === 'string') return secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), inner);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (Array.isArray(inner)) return inner.map(change);
    return Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, change(one)]));
  };
  return change(value) as Value;
}

/** Replaces the secrets in a URL path with a query: those of `names`, and others. */
export function redactUrl(url: string, { query, properties, paths }: Omit<CredentialNames, 'headers'>): string {
  const end = url.indexOf('?');
  const path = redactPath(end === -1 ? url : url.slice(0, end), paths);
  return redactText(path + (end === -1 ? '' : redactNamedInUrl(url.slice(end), [...query, ...properties])));
}

/**
 * Replaces secrets in a text with `[redacted]`, and shortens the text to at most 8,000 characters.
 * The text can be JSON, truncated JSON, a form, a URL or a sentence.
 */
export function redactText(text: string): string {
  return redactFullText(text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text);
}

/** Replaces secrets in a text of any length with `[redacted]`. `depth`: how often the text was already URL-decoded. */
export function redactFullText(text: string, depth = 0): string {
  if (!MAYBE_SECRET.test(text) && !/[%@\\]|\b(bearer|basic) /i.test(text)) return text;
  const inJson = redactLoose(redactEscaped(redactLists(redactProperties(text))));
  const inMarkup = redactElements(redactAttributes(inJson));
  return redactCredentials(redactLines(redactSentences(redactPairs(inMarkup, depth))));
}

/** Replaces the values of secret names in lines such as `password: x`, as in YAML and in headers. */
function redactLines(text: string): string {
  return text.replaceAll(
    /^([ \t]*)([\w-]{1,100}):[ \t]+(\S.*)$/gm,
    (whole, begin: string, name: string, value: string) =>
      isSecretName(name) && !PLACEHOLDERS.some((placeholder) => value.includes(placeholder))
        ? `${begin}${name}: ${REDACTED}`
        : whole,
  );
}

/** Replaces the credentials after `Bearer` or `Basic` in a text, and user names and passwords in its URLs. */
function redactCredentials(text: string): string {
  return text
    .replaceAll(/\b(authorization: *[\w-]{1,40}) ([^\s",;]+)/gi, (whole, scheme: string, value: string) =>
      PLACEHOLDERS.includes(value) ? whole : `${scheme} ${REDACTED}`,
    )
    .replaceAll(/\b(bearer|basic) ([^\s",;]+)/gi, (whole, scheme: string, value: string) =>
      PLACEHOLDERS.includes(value) ? whole : `${scheme} ${REDACTED}`,
    )
    .replaceAll(/:\/\/[^/\s@"]{1,200}@/g, `://${REDACTED}@`);
}

/**
 * Replaces the values after secret names in a sentence, such as `token is "abc"`.
 * The quotation marks can be escaped, as in JSON.
 */
function redactSentences(text: string): string {
  const named = /(?<![\w.-])([\w.-]+)( is)? (?:\\?"(?:[^"\\]|\\[^"])*(?:\\?"|$)|-?\d[\w.+-]*)/g;
  return text.replaceAll(named, (whole, name: string, is = '') =>
    isSecretName(name) ? `${name}${is} ${REDACTED}` : whole,
  );
}

/**
 * Replaces secret parameter values in a URL or a form: the values of parameters such as `token`, and URL-encoded values
 * that contain a secret.
 */
function redactPairs(text: string, depth: number): string {
  return text.replaceAll(
    /(^|[?&;\s"])([^=&?;\s"]+)=("[^"<>]*"(?=[\s/>?]|$)|[^&;\s]*)/g,
    (whole, begin: string, name: string, value: string) =>
      value !== `"${REDACTED}"` &&
      (isSecretName(decode(name)) || (value.includes('%') && hasSecret(decode(value), depth)))
        ? `${begin}${name}=${REDACTED}`
        : whole,
  );
}

/**
 * Returns whether a decoded parameter value contains a secret.
 * At the maximum nesting, the name of a secret is enough.
 */
function hasSecret(value: string, depth: number): boolean {
  return MAYBE_SECRET.test(value) && (depth === MAX_PARAMETER_DEPTH || redactFullText(value, depth + 1) !== value);
}

/** Decodes a percent-encoded text. Returns the same text if an escape is invalid. */
function decode(text: string): string {
  return tryOrUndefined(() => decodeURIComponent(text)) ?? text;
}

/**
 * Replaces the values of properties with secret names in a JSON text. The text can be truncated.
 * `namesValue`: returns whether a text is the name of another property that is secret.
 */
function redactProperties(text: string, isSecret = isSecretName, namesValue = namesSecretValue): string {
  // The length of a name is limited. Otherwise the time would be quadratic for a text with many quotation marks.
  const property = /"((?:[^"\\]|\\.){0,100})"\s*:\s*/g;
  let result = '';
  let from = 0;
  let isNamed = false;
  for (let found = property.exec(text); found; found = property.exec(text)) {
    const name = decodeString(found[1] ?? '');
    const at = property.lastIndex;
    if (isNamingName(name)) isNamed = namesValue(readString(text, at) ?? '');
    const isValue = isValueName(name);
    const isFound = isSecret(name) || (isValue && (isNamed || isNamedAfter(text, at, namesValue)));
    if (isValue) isNamed = false;
    if (!isFound) continue;
    result += `${text.slice(from, at)}"${REDACTED}"`;
    from = findEndOfValue(text, at);
    property.lastIndex = from;
  }
  return result + text.slice(from);
}

/** Replaces the values of properties with secret names in text that is nearly JSON, such as `{label:'x'}`. */
function redactLoose(text: string, isSecret = isSecretName): string {
  return text.replaceAll(
    /([{,]\s{0,9}'?)([\w-]{1,100})('?\s{0,9}:\s{0,9})(?:'[^']*'?|"[^"]*"?)/g,
    (whole, begin: string, name: string, end: string) =>
      isSecret(name) ? `${begin}${name}${end}"${REDACTED}"` : whole,
  );
}

/** Replaces the values of properties with secret names in JSON that is a string of JSON itself. */
function redactEscaped(text: string, isSecret = isSecretName): string {
  if (!text.includes('\\"')) return text;
  return text.replaceAll(
    /(\\{1,9}")([^"\\]{1,100})(\\{1,9}"\s{0,9}:\s{0,9})(?:\\{1,9}"[^"\\]*|[^\s"\\,{}[\]]+)/g,
    (whole, begin: string, name: string, end: string) =>
      isSecret(name) ? `${begin}${name}${end}${begin}${REDACTED}` : whole,
  );
}

/** Replaces the value in each list of a secret name and its value in a JSON text: `["password", "x"]`. */
function redactLists(text: string): string {
  return text.replaceAll(/\[\s*"((?:[^"\\]|\\.){0,100})"\s*,\s*"(?:[^"\\]|\\.)*(?:"\s*\]|$)/g, (whole, name: string) =>
    isSecretName(decodeString(name)) ? `["${name}","${REDACTED}"]` : whole,
  );
}

/** Replaces the texts of XML elements with secret names. The text can be truncated. */
function redactElements(text: string, isSecret = isSecretName): string {
  if (!text.includes('<')) return text;
  const tag = /<([\w.:-]{1,100})((?:\s[^<>]*)?)>/g;
  let result = '';
  let from = 0;
  for (let found = tag.exec(text); found; found = tag.exec(text)) {
    const [, name = '', attributes = ''] = found;
    if (attributes.endsWith('/') || !isSecret(name.replace(/^.*:/, ''))) continue;
    const end = text.indexOf(`</${name}`, tag.lastIndex);
    const isEmpty = end === tag.lastIndex;
    result += text.slice(from, tag.lastIndex) + (isEmpty ? '' : REDACTED);
    from = end === -1 ? text.length : end;
    tag.lastIndex = from;
  }
  return result + text.slice(from);
}

/** Replaces the values of XML attributes with secret names. */
function redactAttributes(text: string, isSecret = isSecretName): string {
  return text.replaceAll(/<[\w.:-]{1,100}\s[^<>]*/g, (tag) =>
    tag.replaceAll(
      /(\s(?:[\w.-]{1,100}:)?([\w.-]{1,100})\s{0,9}=\s{0,9})(?:"[^"]*"?|'[^']*'?)/g,
      (whole, begin: string, name: string) => (isSecret(name) ? `${begin}"${REDACTED}"` : whole),
    ),
  );
}

/**
 * Decodes the text between the quotation marks of a JSON string.
 * Returns the text itself if it has an invalid escape.
 */
function decodeString(text: string): string {
  return tryOrUndefined(() => JSON.parse(`"${text}"`)) ?? text;
}

/**
 * Returns the JSON string of at most 100 characters that starts at an index of a text.
 * Returns undefined if there is none.
 */
function readString(text: string, at: number): string | undefined {
  // A truncated text can end in the string.
  const string = /"((?:[^"\\]|\\.){0,100})(?:"|$)/y;
  string.lastIndex = at;
  const [, content] = string.exec(text) ?? [];
  return content === undefined ? undefined : decodeString(content);
}

/**
 * Returns whether the property after a short value names a secret, as in `"value":"x","name":"password"`.
 * `at`: the index of the value.
 */
function isNamedAfter(text: string, at: number, namesValue: (text: string) => boolean): boolean {
  const next = /(?:"(?:[^"\\]|\\.){0,200}"|[^\s",[\]{}]{1,200})\s*,\s*"(\w{1,20})"\s*:\s*/y;
  next.lastIndex = at;
  const [, name = ''] = next.exec(text) ?? [];
  return isNamingName(name) && namesValue(readString(text, next.lastIndex) ?? '');
}

/**
 * Returns the index after the JSON value that starts at `begin`.
 * Returns the length of the text if the value is truncated.
 */
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

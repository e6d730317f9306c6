/** Names of headers, parameters and properties whose values are nobody's business. */
const SECRET =
  /authorization|(^|[^a-z])(auth|jwt|pin|pwd)([^a-z]|$)|cookie|token|secret|passw|passphrase|passcode|credential|session|(api|auth|access)[-_]?key|card[-_]?number|credit[-_]?card|cvc|cvv/i;

/** What stands in the place of a value that may be secret, and of one that is nested too deep to be looked at. */
const LEFT_OUT = '[left out]';
const TOO_DEEP = '…';

/** How deep values are looked at, and how deep those of parameters within parameters. */
const DEEPEST = 100;
const DEEPEST_VALUE = 3;

/** The longest text that is looked at, and shown, in characters: nobody is to wait for a URL or a header of 64 kB. */
const LONGEST = 8_000;

/** Whether what has this name may be secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

/** A value without what may be secret: the values of such properties, however deep, and what its texts tell of such names. */
export function redactSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((inner) => redactSecrets(inner, depth + 1));
  // A violation tells the value of what its pointer leads to.
  const { pointer } = value as { readonly pointer?: unknown };
  const isNobodys = (name: string) =>
    isSecretName(name) || (name === 'value' && typeof pointer === 'string' && isSecretName(pointer));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isNobodys(name) && inner !== undefined ? LEFT_OUT : redactSecrets(inner, depth + 1),
    ]),
  );
}

/** A text that is JSON with its end cut off, a form, a URL or a sentence, without what may be secret in it. */
export function redactText(text: string): string {
  return discreet(text, 0);
}

function discreet(text: string, depth: number): string {
  const told = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  if (!SECRET.test(told) && !/[%@\\]|\b(bearer|basic) /i.test(told)) return told;
  return withoutCredentials(withoutSecretsTold(withoutSecretPairs(withoutSecretProperties(told), depth)));
}

/** A text without what stands behind the name of a way to authenticate, or before the host of a URL. */
function withoutCredentials(text: string): string {
  return text
    .replaceAll(/\b(bearer|basic) [^\s",;]+/gi, `$1 ${LEFT_OUT}`)
    .replaceAll(/:\/\/[^/\s@"]{1,200}@/g, `://${LEFT_OUT}@`);
}

/** A text without the values that sentences on violations tell, in a text of JSON too. */
function withoutSecretsTold(text: string): string {
  const told = /(?<![\w.-])([\w.-]+)( is)? (?:\\?"(?:[^"\\]|\\[^"])*(?:\\?"|$)|-?\d[\w.+-]*)/g;
  return text.replaceAll(told, (whole, name: string, is = '') =>
    isSecretName(name) ? `${name}${is} ${LEFT_OUT}` : whole,
  );
}

/** A text without the values of parameters, as in a URL or a form, and without values that hold what may be secret. */
function withoutSecretPairs(text: string, depth: number): string {
  return text.replaceAll(
    /(^|[?&;\s"])([^=&?;\s"]+)=([^&;\s]*)/g,
    (whole, begin: string, name: string, value: string) =>
      isSecretName(decoded(name)) || (value.includes('%') && holdsSecret(decoded(value), depth))
        ? `${begin}${name}=${LEFT_OUT}`
        : whole,
  );
}

/** Whether a value holds what may be secret; one that is nested too deep may. */
function holdsSecret(value: string, depth: number): boolean {
  return SECRET.test(value) && (depth === DEEPEST_VALUE || discreet(value, depth + 1) !== value);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A stray %: the name is what is written.
    return name;
  }
}

function unescaped(name: string): string {
  try {
    return String(JSON.parse(`"${name}"`));
  } catch {
    // No escape of JSON's.
    return name;
  }
}

/** A text without the values of properties, as in JSON that may be cut off anywhere. */
function withoutSecretProperties(text: string): string {
  // The longest name is bounded: else each quote of a text full of them would be followed to its end.
  const property = /"((?:[^"\\]|\\.){0,100})"\s*:\s*/g;
  let kept = '';
  let from = 0;
  for (let found = property.exec(text); found; found = property.exec(text)) {
    if (!isSecretName(unescaped(found[1] ?? ''))) continue;
    kept += `${text.slice(from, property.lastIndex)}"${LEFT_OUT}"`;
    from = endOfValue(text, property.lastIndex);
    property.lastIndex = from;
  }
  return kept + text.slice(from);
}

/** Where the JSON value ends that begins at a place: at the end of the text where it is cut off. */
function endOfValue(text: string, begin: number): number {
  const token = /"(?:[^"\\]|\\.)*("|$)|[[{]|[\]}]|[^[\]{}",]+|,/gy;
  token.lastIndex = begin;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [part] = found;
    if (part === '[' || part === '{') depth++;
    else if (part === ']' || part === '}') depth--;
    // What ends the object around it is none of the value's.
    if (depth < 0 || (depth === 0 && part === ',')) return token.lastIndex - part.length;
    if (depth === 0) return token.lastIndex;
  }
  return text.length;
}

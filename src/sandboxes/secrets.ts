/** Names of headers, parameters and properties whose values are nobody's business. */
const SECRET =
  /authorization|cookie|token|secret|passw|passphrase|credential|session|api[-_]?key|card[-_]?number|cvc|cvv/i;

/** What stands in the place of a value that may be secret. */
const LEFT_OUT = '[left out]';

/** Whether what has this name may be secret. */
export function isSecret(name: string): boolean {
  return SECRET.test(name);
}

/** A value without the values of properties that may be secret, however deep. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name) && inner !== undefined ? LEFT_OUT : withoutSecrets(inner),
    ]),
  );
}

/** A text that is JSON with its end cut off, a form, a URL or a sentence, without what may be secret in it. */
export function textWithoutSecrets(text: string): string {
  return text
    .replaceAll(
      /"((?:[^"\\]|\\.)*)"(\s*:\s*)("(?:[^"\\]|\\.)*"?|\[[^\]]*\]?|[^,}\]]*)/g,
      (whole, name: string, colon) => (isSecret(name) ? `"${name}"${colon}"${LEFT_OUT}"` : whole),
    )
    .replaceAll(/(^|[?&])([^=&\s"]+)=([^&\s"]*)/g, (whole, begin, name: string) =>
      isSecret(name) ? `${begin}${name}=${LEFT_OUT}` : whole,
    );
}

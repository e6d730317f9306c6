/** The names of headers (RFC 9110, section 5.6.2), and their values without control characters. */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Returns whether a header can be sent. */
export function isHeader(name: string, value: unknown): value is string {
  return NAME.test(name) && typeof value === 'string' && VALUE.test(value);
}

/**
 * How a header has an object (OpenAPI 3.0, Parameter Object, `style: simple`).
 * `list`: names and values alternate.
 * `pairs`: `name=value`.
 * `json`: JSON, because the header has a `content`.
 */
export type ObjectStyle = 'list' | 'pairs' | 'json';

/**
 * Converts a value to the text of a response header: an array to a comma-separated list, and an object as `style` says.
 * Omits characters that a header can't contain.
 */
export function formatHeader(value: unknown, style: ObjectStyle): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const text = Array.isArray(value) ? value.map(formatMember).join(',') : String(value);
  return (isObject ? formatObject(value, style) : text).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

function formatObject(value: object, style: ObjectStyle): string {
  if (style === 'json') return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}${style === 'pairs' ? '=' : ','}${formatMember(one)}`)
    .join(',');
}

/** The style has no form for an object in an object, so that is JSON. */
function formatMember(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

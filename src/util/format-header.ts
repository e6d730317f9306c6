/**
 * Converts a value to the text of a response header: an array to a comma-separated list, and an object as `style` says.
 * Omits characters that a header can't contain.
 */
export function formatHeader(value: unknown, style: 'list' | 'pairs' | 'json'): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // String() joins the entries of an array with commas.
  return (isObject ? formatObject(value, style) : String(value)).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

function formatObject(value: object, style: 'list' | 'pairs' | 'json'): string {
  if (style === 'json') return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}${style === 'pairs' ? '=' : ','}${one}`)
    .join(',');
}

/**
 * Converts a value to the text of a response header: an object to JSON, and an array to a comma-separated list.
 * Omits characters that a header can't contain.
 */
export function formatHeader(value: unknown): string {
  const isObject = typeof value === 'object' && !Array.isArray(value);
  // String() joins the entries of an array with commas.
  return (isObject ? JSON.stringify(value) : String(value)).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

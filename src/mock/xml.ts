/** A value as a document of XML: an element for each property, and one for each entry of a list. */
export function asXml(value: unknown): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('root', value)}`;
}

function element(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((entry) => element(name, entry)).join('') || `<${name}/>`;
  if (typeof value !== 'object' || value === null) return `<${name}>${escaped(String(value ?? ''))}</${name}>`;
  const inner = Object.entries(value).map(([key, entry]) => element(nameOf(key), entry));
  return `<${name}>${inner.join('')}</${name}>`;
}

function nameOf(key: string): string {
  const name = key.replaceAll(/[^\w.-]/g, '_');
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

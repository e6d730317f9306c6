/** Formats a value as an XML document. The document has the root element `root`, and an element for each property and each array entry. */
export function toXml(value: unknown): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${createElement('root', value)}`;
}

function createElement(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((entry) => createElement(name, entry)).join('') || `<${name}/>`;
  if (typeof value !== 'object' || value === null) return `<${name}>${escapeText(String(value ?? ''))}</${name}>`;
  const inner = Object.entries(value).map(([key, entry]) => createElement(toElementName(key), entry));
  return `<${name}>${inner.join('')}</${name}>`;
}

function toElementName(key: string): string {
  const name = key.replaceAll(/[^\w.-]/g, '_');
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Formats a truncated JSON object or list on several lines.
 * Returns undefined if the text does not start like a JSON object or list.
 */
export function formatPartialJson(text: string): string | undefined {
  if (!/^\s*(\{\s*["}]|\[\s*(?:["{[\]\d-]|true|false|null))/.test(text)) return undefined;
  let depth = 0;
  // A truncated string has no quotation mark at its end.
  return text.replaceAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|\s+|[{[]\s*[}\]]|[{}[\],:]/g, (token) => {
    if (token.trim() === '') return '';
    if (token === ':') return ': ';
    if (token === ',') return `,${startLine(depth)}`;
    if (token === '{' || token === '[') return token + startLine(++depth);
    if (token === '}' || token === ']') return startLine(--depth) + token;
    return token;
  });
}

function startLine(depth: number): string {
  return `\n${'  '.repeat(Math.max(0, depth))}`;
}

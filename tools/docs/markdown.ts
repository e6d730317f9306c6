/** Returns a Markdown table; an empty string if there are no rows. Vertical bars and line breaks in cells are escaped. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = [headings, headings.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n')}\n`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}

/** Joins the parts of a page that are not empty, with a blank line between them. */
export function joinParts(parts: readonly string[]): string {
  return `${parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

/** Returns the text with an upper-case first letter. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Marks text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

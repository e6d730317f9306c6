/** Quotes a text as one argument of a POSIX shell. The shell expands nothing in it. */
export function quoteShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Quotes a text as one argument of a POSIX shell, but returns it unchanged if it has no characters with a special
 * meaning.
 */
export function quoteShellIfNeeded(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteShell(text);
}

/** Formats the first `max` items of a list as texts. If there are more items, adds a text such as "and 3 more". */
export function limitList<Item>(
  items: readonly Item[],
  max: number,
  format: (item: Item) => string = String,
): readonly string[] {
  const rest = items.length - max;
  const listed = items.slice(0, max).map((item) => format(item));
  return rest > 0 ? [...listed, `and ${rest} more`] : listed;
}

/** The maximum length of a joined list, in characters. A longer line is hard to read in a terminal. */
const MAX_JOINED = 800;

/**
 * Joins the first `max` items of a list to a text of at most 800 characters, such as "a, b, and 3 more".
 * It has at least one item.
 */
export function joinList(items: readonly string[], max: number, separator = ', '): string {
  let length = 0;
  const fitting = items.findIndex((item) => {
    length += item.length + separator.length;
    return length > MAX_JOINED;
  });
  return limitList(items, fitting < 0 ? max : Math.min(max, Math.max(1, fitting))).join(separator);
}

/**
 * Matches characters that can control a terminal or reorder a text on it: control characters (C0, C1), format
 * characters such as U+202E, and separators.
 */
const CONTROLS = /[\p{Control}\p{Format}\u2028\u2029]/gu;

/**
 * Escapes characters that can control a terminal as in JSON, such as `\u001b`.
 * A text of a client could otherwise add false lines to a log.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, toEscapes);
}

/** Like `escapeControls`, but keeps line breaks. JSON with indentation stays the same JSON. */
export function escapeControlsInLines(text: string): string {
  return text.replaceAll(CONTROLS, (character) => (character === '\n' ? character : toEscapes(character)));
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

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

/** Returns the command line flag of an option, such as `--at-least` for `atLeast`. */
export function toFlag(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

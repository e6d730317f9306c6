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

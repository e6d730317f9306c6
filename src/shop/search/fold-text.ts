/** Converts a text to lower case. Removes accents and replaces full-width characters (NFKD without marks). */
export function foldText(text: string): string {
  // Most texts are ASCII. This shortcut is ten times faster for them.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase();
}

/** The maximum length of a word, in characters. Longer words are truncated. */
export const WORD_LIMIT = 31;

/** Splits a folded text into words. A word is a run of letters and digits. Apostrophes are removed, and long words are truncated. */
export function splitWords(foldedText: string): string[] {
  const words = foldedText.replaceAll(/['’]/g, '').match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > WORD_LIMIT ? word.slice(0, WORD_LIMIT) : word));
}

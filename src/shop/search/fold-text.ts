/** Returns a text in lower case, without accents and width variants (NFKD without marks). */
export function foldText(text: string): string {
  // Most texts are ASCII, for which this takes a tenth of the time.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase();
}

/** The maximum length of a token, in characters: longer ones are truncated. */
export const WORD_LIMIT = 31;

/** Splits a folded text into tokens: its runs of letters and digits, without apostrophes, truncated to 31 characters. */
export function splitWords(foldedText: string): string[] {
  const words = foldedText.replaceAll(/['’]/g, '').match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > WORD_LIMIT ? word.slice(0, WORD_LIMIT) : word));
}

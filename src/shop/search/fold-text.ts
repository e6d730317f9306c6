/** What is searched of a text: without letter case, accents and width of letters (NFKD, then the marks taken off). */
export function foldText(text: string): string {
  // Most texts need no more than this, which takes a tenth of the time.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase();
}

/** The longest part of a word that is looked at, in characters: as many as a machine word has bits, by which distances are counted. */
export const WORD_LIMIT = 31;

/** The words of a folded text: its runs of letters and digits, without apostrophes, cut to their first 31 characters. */
export function splitWords(foldedText: string): string[] {
  const found = foldedText.replaceAll(/['’]/g, '').match(/[\p{L}\p{N}]+/gu) ?? [];
  return found.map((word) => (word.length > WORD_LIMIT ? word.slice(0, WORD_LIMIT) : word));
}

/** What is searched of a text: without letter case, accents and width of letters (NFKD, then the marks taken off). */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase();
}

/** The longest part of a word that is looked at, in characters: a forward index keeps every beginning of a word, which is quadratic in its length. */
const WORD_LIMIT = 64;

/** The words of a folded text: its runs of letters and digits, cut to their first 64 characters. */
export function words(foldedText: string): string[] {
  return (foldedText.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, WORD_LIMIT));
}

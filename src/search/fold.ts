/** What is searched of a text: without letter case, accents and width of letters (NFKD, then the marks taken off). */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase();
}

/** The words of a folded text: its runs of letters and digits. */
export function words(foldedText: string): string[] {
  return foldedText.match(/[\p{L}\p{N}]+/gu) ?? [];
}

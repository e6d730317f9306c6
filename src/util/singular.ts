/**
 * Returns the singular of an English word: `categories` → `category`, `boxes` → `box`, `aliases` → `alias`, `pets` →
 * `pet`.
 */
export function toSingular(word: string): string {
  if (/(?:ss|us|is|news|series|species)$/i.test(word)) return word;
  if (/ies$/i.test(word)) return word.replace(/ies$/i, 'y');
  if (/(?:x|ch|sh|ss|z|ias|tus)es$/i.test(word)) return word.slice(0, -2);
  return word.replace(/s$/i, '');
}

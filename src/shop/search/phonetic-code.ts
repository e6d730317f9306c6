/** What is read otherwise than it is written in English, in this order; after L. Philips, Hanging on the Metaphone, 1990, far simpler. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/^(kn|gn|pn)/, 'n'],
  [/^wr/, 'r'],
  [/^wh/, 'w'],
  [/^ps/, 's'],
  [/mb$/, 'm'],
  [/ph/g, 'f'],
  [/cqu/g, 'k'],
  [/qu/g, 'kw'],
  [/(.)ght/g, '$1t'],
  [/gh/g, ''],
  [/tch/g, 'C'],
  [/sch(?=[aeiou])/g, 'sk'],
  [/sc(?=[eiy])/g, 's'],
  [/ch/g, 'C'],
  [/sh|(?<=[^s])ti(?=o|a)|(?<=[aeiou])ci(?=o|a)|ssi(?=o)/g, 'S'],
  [/th/g, 'T'],
  [/dge?(?=[eiy]|$)/g, 'j'],
  [/c(?=[eiy])/g, 's'],
  [/g(?=[eiy])/g, 'j'],
  [/ck|q|c/g, 'k'],
  [/x/g, 'ks'],
  [/z/g, 's'],
  [/v/g, 'f'],
  [/(?<=.)e(?=s?$)/, ''],
  [/(?<=[aeiou])[wy]/g, ''],
  [/y/g, 'i'],
  [/[aeiou]+/g, 'a'],
  [/(.)\1+/g, '$1'],
];

/** How a word sounds, so that words that sound alike have the same key: consonants by their sound, one "a" for all vowels that stand together. */
export function getPhoneticCode(word: string): string {
  return RULES.reduce((sound, [pattern, read]) => sound.replace(pattern, read), word);
}

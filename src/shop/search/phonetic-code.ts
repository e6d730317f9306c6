/** The replacements of English spellings by sounds, in this order. They are a simplified Metaphone (L. Philips, Hanging on the Metaphone, 1990). */
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

/** Returns the phonetic code of a word: a letter for each consonant sound, and an "a" for each run of vowels. Words that sound alike have equal codes. */
export function getPhoneticCode(word: string): string {
  return RULES.reduce((code, [pattern, sound]) => code.replace(pattern, sound), word);
}

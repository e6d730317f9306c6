/**
 * The rules that replace English spellings by sounds, in order.
 * They simplify Metaphone (L.
 * Philips, Hanging on the Metaphone, 1990).
 * `letter`: a letter that a word must contain for the rule to apply, or an empty string.
 * A search for one letter is faster than a regular expression.
 */
const RULES: readonly (readonly [letter: string, pattern: RegExp, sound: string])[] = [
  ['n', /^(kn|gn|pn)/, 'n'],
  ['w', /^wr/, 'r'],
  ['w', /^wh/, 'w'],
  ['p', /^ps/, 's'],
  ['b', /mb$/, 'm'],
  ['h', /ph/g, 'f'],
  ['q', /cqu/g, 'k'],
  ['q', /qu/g, 'kw'],
  ['h', /(.)ght/g, '$1t'],
  ['h', /gh/g, ''],
  ['h', /tch/g, 'C'],
  ['h', /sch(?=[aeiou])/g, 'sk'],
  ['c', /sc(?=[eiy])/g, 's'],
  ['h', /ch/g, 'C'],
  ['', /sh|(?<=[^s])ti(?=o|a)|(?<=[aeiou])ci(?=o|a)|ssi(?=o)/g, 'S'],
  ['h', /th/g, 'T'],
  ['d', /dge?(?=[eiy]|$)/g, 'j'],
  ['c', /c(?=[eiy])/g, 's'],
  ['g', /g(?=[eiy])/g, 'j'],
  ['', /ck|q|c/g, 'k'],
  ['x', /x/g, 'ks'],
  ['z', /z/g, 's'],
  ['v', /v/g, 'f'],
  ['e', /(?<=.)e(?=s?$)/, ''],
  ['', /(?<=[aeiou])[wy]/g, ''],
  ['y', /y/g, 'i'],
  ['', /[aeiou]+/g, 'a'],
  ['', /(.)\1+/g, '$1'],
];

/**
 * Returns the phonetic code of a word, which is equal for words that sound alike: "phone" and "fone" have the code
 * "fan".
 * The code has a letter for each consonant sound, and an "a" for each sequence of vowels.
 */
export function getPhoneticCode(word: string): string {
  let code = word;
  for (const [letter, pattern, sound] of RULES) if (code.includes(letter)) code = code.replace(pattern, sound);
  return code;
}

/** Returns the first letter of a word and the consonants after it, such as "bsktbl" for "basketball". A doubled consonant counts once. */
export function getConsonants(word: string): string {
  const consonants = word.slice(1).replaceAll(/[aeiou]/g, '');
  return word.charAt(0) + consonants.replaceAll(/(.)\1+/g, '$1');
}

/** Whether a word contains the letters of a text in the same order. */
export function isSubsequence(text: string, word: string): boolean {
  let matched = 0;
  for (let at = 0; matched < text.length && at < word.length; at++) if (text[matched] === word[at]) matched++;
  return matched === text.length;
}

/** The minimum number of letters from the end of a word in its abbreviation. */
const TAIL_LENGTH = 3;

/** Returns the first letter of a word followed by its last three letters. */
export function getEnds(word: string): string {
  return word.charAt(0) + word.slice(-TAIL_LENGTH);
}

/**
 * Whether a text consists of the head and the tail of a word: "bball" consists of "b" and "ball" from "basketball". The word must be at least two
 * letters longer than the text.
 */
export function isHeadAndTail(text: string, word: string): boolean {
  if (word.length < text.length + 2) return false;
  let head = 0;
  while (head < text.length && text[head] === word[head]) head++;
  let tail = 0;
  while (tail < text.length && text.at(-1 - tail) === word.at(-1 - tail)) tail++;
  return head >= 1 && tail >= TAIL_LENGTH && head + tail >= text.length;
}

/** Returns the number forms of a word: its possible plurals and singulars. */
export function getNumberForms(word: string): readonly string[] {
  if (word.length < 3) return [];
  const forms = [`${word}s`, `${word}es`];
  if (word.endsWith('y')) forms.push(`${word.slice(0, -1)}ies`);
  if (word.endsWith('f')) forms.push(`${word.slice(0, -1)}ves`);
  if (word.endsWith('fe')) forms.push(`${word.slice(0, -2)}ves`);
  if (word.endsWith('s') && !word.endsWith('ss')) forms.push(word.slice(0, -1));
  if (word.endsWith('es')) forms.push(word.slice(0, -2));
  if (word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`);
  if (word.endsWith('ves')) forms.push(`${word.slice(0, -3)}f`, `${word.slice(0, -3)}fe`);
  return forms;
}

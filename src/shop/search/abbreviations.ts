/** Removes the vowels after the first letter of a word, and repeated consonants: "basketball" becomes "bsktbl". */
export function getConsonants(word: string): string {
  const consonants = word.slice(1).replaceAll(/[aeiou]/g, '');
  return word.charAt(0) + consonants.replaceAll(/(.)\1+/g, '$1');
}

/**
 * Returns whether a word contains the letters of a text in the same order: "basketball" contains "bktl".
 * Other letters may be in between.
 */
export function isSubsequence(text: string, word: string): boolean {
  let matched = 0;
  for (let at = 0; matched < text.length && at < word.length; at++) if (text[matched] === word[at]) matched++;
  return matched === text.length;
}

/**
 * The minimum number of letters that an abbreviation must share with the end of its word.
 * "bball" shares four letters ("ball") with "basketball".
 */
const MIN_TAIL_LENGTH = 3;

/** Returns the first letter and the last three letters of a word, such as "ktle" for "kettle". */
export function getEnds(word: string): string {
  return word.charAt(0) + word.slice(-MIN_TAIL_LENGTH);
}

/**
 * Returns whether a text consists of the start and the end of a word: "bball" is the "b" and the "ball" of
 * "basketball".
 * The end must have at least three letters.
 * The text must be at least two letters shorter than the word.
 */
export function isHeadAndTail(text: string, word: string): boolean {
  if (word.length < text.length + 2) return false;
  let head = 0;
  while (head < text.length && text[head] === word[head]) head++;
  let tail = 0;
  while (tail < text.length && text.at(-1 - tail) === word.at(-1 - tail)) tail++;
  return head >= 1 && tail >= MIN_TAIL_LENGTH && head + tail >= text.length;
}

/**
 * Returns the possible plurals and singulars of an English word.
 * Some are not real words: "ball" gives "balls" and "balles".
 * Returns an empty list for a word of fewer than three letters.
 */
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

import { type Steps, sortInSteps } from '../../util/slices.ts';
import { WORD_LIMIT } from './fold-text.ts';

/** The minimum length of a word that may have two typing errors. A shorter word may have one. */
const TWO_TYPOS_LENGTH = 5;

/** The minimum length of a search word that may misspell the start of a longer word. */
const PREFIX_LENGTH = 4;

/**
 * A word that is similar to a search word.
 * `isWhole`: true if the whole word is similar, false if only its start is similar.
 */
interface SimilarWord {
  readonly id: number;
  readonly isWhole: boolean;
}

/** Returns the words that are similar to a search word. */
type SimilarWordSearch = (searchWord: string) => readonly SimilarWord[];

/** The number of words after which `createSimilarWordSearch` yields. */
const STEP_WORDS = 512;

/**
 * The number of cells in a row of the edit distance table.
 * There is a cell for each prefix of the search word, one for the empty prefix, and a sentinel at the end.
 */
const WIDTH = WORD_LIMIT + 2;

/**
 * The edit distance table, with a row for each prefix of a word, and a column for each prefix of the search word.
 * A cell that would exceed the limit is not computed.
 * It has the value `WIDTH`.
 */
const rows = new Uint8Array(WIDTH * WIDTH).fill(WIDTH);

/** The character codes of the search word, starting at index 1. */
const codes = new Int32Array(WIDTH).fill(-1);

/** The lowest edit distance in each row of the edit distance table. */
const rowMinimums = new Uint8Array(WIDTH);

/**
 * For each row of the edit distance table, the distance between the search word and the most similar prefix of the word
 * up to this row.
 */
const prefixDistances = new Uint8Array(WIDTH);

/** Returns the maximum number of typing errors in a word, which depends on its length. */
function getMaxDistance(word: string): number {
  return word.length >= TWO_TYPOS_LENGTH ? 2 : 1;
}

/**
 * Creates a function that finds similar words: words with an edit distance of at most two, and words whose start has an
 * edit distance of at most one.
 * Swapping two letters is one edit.
 * Words with a common prefix share the distances of the prefix.
 * If a prefix differs too much, all words with it are skipped (K.
 * Oflazer, Error-tolerant finite-state recognition, 1996).
 */
export function* createSimilarWordSearch(words: readonly string[]): Steps<SimilarWordSearch> {
  const order = yield* sortInSteps([...words.keys()], (id, other) => compare(words[id] ?? '', words[other] ?? ''));
  const sharedLengths = new Uint8Array(order.length);
  const letterBits = new Int32Array(order.length);
  for (const [at, id] of order.entries()) {
    sharedLengths[at] = getSharedLength(words[order[at - 1] ?? -1] ?? '', words[id] ?? '');
    letterBits[at] = getLetterBits(words[id] ?? '');
    if (at % STEP_WORDS === 0) yield;
  }
  return (searchWord) => {
    const searchBits = getLetterBits(searchWord);
    const limit = getMaxDistance(searchWord);
    const prefixLimit = searchWord.length < PREFIX_LENGTH ? -1 : 1;
    const similar: SimilarWord[] = [];
    startRows(searchWord, limit);
    /**
     * The number of table rows that are still correct for the current word, because an earlier word has the same
     * prefix.
     */
    let depth = 0;
    for (let at = 0; at < order.length; at++) {
      depth = Math.min(depth, sharedLengths[at] as number);
      if (hasMoreBits(searchBits & ~(letterBits[at] as number), limit)) continue;
      const id = order[at] as number;
      const word = words[id] as string;
      while (depth < word.length && !isTooFar(depth, limit)) fillRow(word, ++depth, searchWord.length, limit);
      const isPrefix = (prefixDistances[depth] as number) <= prefixLimit;
      const isWhole =
        depth === word.length &&
        (rows[depth * WIDTH + searchWord.length] as number) <= Math.min(limit, getMaxDistance(word));
      if (isWhole || (isPrefix && word.length > searchWord.length)) similar.push({ id, isWhole });
      if (isPrefix || !isTooFar(depth, limit)) continue;
      while ((sharedLengths[at + 1] as number) >= depth) at++;
    }
    return similar;
  };
}

function compare(word: string, other: string): number {
  return word < other ? -1 : 1;
}

/** Returns the length of the common prefix of two words. */
function getSharedLength(word: string, other: string): number {
  let length = 0;
  while (length < word.length && word.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/**
 * Computes the first row of the edit distance table, which belongs to the empty prefix of a word.
 * `limit`: the maximum edit distance.
 */
function startRows(searchWord: string, limit: number): void {
  for (let at = 0; at < searchWord.length; at++) codes[at + 1] = searchWord.charCodeAt(at);
  for (let cell = 0; cell <= Math.min(searchWord.length, limit); cell++) rows[cell] = cell;
  rows[Math.min(searchWord.length, limit) + 1] = WIDTH;
  rowMinimums[0] = 0;
  prefixDistances[0] = searchWord.length <= limit ? searchWord.length : WIDTH;
}

/**
 * Returns whether the first `depth` letters of the current word differ so much that no word with this start can be
 * similar.
 * Also checks the row before, because a transposition uses two rows.
 */
function isTooFar(depth: number, limit: number): boolean {
  return (rowMinimums[depth] as number) > limit && (depth === 0 || (rowMinimums[depth - 1] as number) >= limit);
}

/**
 * Computes the row of the edit distance table for the first `depth` letters of a word.
 * `length`: the length of the search word.
 * Skips cells that would exceed `limit`.
 */
function fillRow(word: string, depth: number, length: number, limit: number): void {
  const row = depth * WIDTH;
  const before = row - WIDTH;
  const from = Math.max(1, depth - limit);
  const to = Math.min(length, depth + limit);
  const code = word.charCodeAt(depth - 1);
  const codeBefore = depth > 1 ? word.charCodeAt(depth - 2) : -1;
  let left = depth <= limit ? depth : WIDTH;
  let best = left;
  rows[row + from - 1] = left;
  for (let cell = from; cell <= to; cell++) {
    const above = (rows[before + cell] as number) + 1;
    const isSame = codes[cell] === code;
    let distance = (rows[before + cell - 1] as number) + (isSame ? 0 : 1);
    if (above < distance) distance = above;
    if (left + 1 < distance) distance = left + 1;
    if (!isSame && codes[cell] === codeBefore && codes[cell - 1] === code) {
      distance = Math.min(distance, (rows[before - WIDTH + cell - 2] as number) + 1);
    }
    rows[row + cell] = distance;
    left = distance;
    if (distance < best) best = distance;
  }
  rows[row + to + 1] = WIDTH;
  rowMinimums[depth] = best;
  const last = to === length ? left : WIDTH;
  prefixDistances[depth] = Math.min(prefixDistances[depth - 1] as number, last);
}

/**
 * Returns whether more than `limit` bits are set.
 * Each iteration clears one bit (P.
 * Wegner, A technique for counting ones in a binary computer, 1960).
 */
function hasMoreBits(bits: number, limit: number): boolean {
  let remaining = bits;
  for (let count = 0; count < limit; count++) remaining &= remaining - 1;
  return remaining !== 0;
}

/** Returns a set of bits, one for each letter that a text contains. Other characters share the bits of letters. */
function getLetterBits(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

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

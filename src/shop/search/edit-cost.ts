/** The cost of each kind of spelling difference between two words. A likely typing error, such as a doubled letter, costs less than an unlikely error. */
const COST = {
  substitution: 1,
  adjacentKey: 0.7,
  vowel: 0.5,
  similarSound: 0.5,
  transposition: 0.5,
  doubledLetter: 0.3,
  vowelGap: 0.7,
  gap: 0.95,
  /** The additional cost of an error in the first letter of a word, because users seldom misspell the first letter. */
  firstLetter: 0.35,
} as const;

const VOWELS = 'aeiouy';

/** Pairs of letters that can represent the same sound. */
const SIMILAR_LETTERS = ['ck', 'cs', 'sz', 'kq', 'gj', 'fv', 'pb', 'td', 'mn', 'iy', 'vw', 'xs', 'xz', 'gk'];
const KEYBOARD_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

const FIRST_CODE = 'a'.charCodeAt(0);
const LETTERS = 26;

/** The cost of replacing one letter with another, as a table with 26 rows and 26 columns. */
const substitutionCosts = new Float64Array(LETTERS * LETTERS).fill(COST.substitution);
for (const keys of KEYBOARD_ROWS)
  for (let at = 1; at < keys.length; at++) setSubstitutionCost(keys.charAt(at - 1), keys.charAt(at), COST.adjacentKey);
for (const vowel of VOWELS) for (const other of VOWELS) setSubstitutionCost(vowel, other, COST.vowel);
for (const pair of SIMILAR_LETTERS) setSubstitutionCost(pair.charAt(0), pair.charAt(1), COST.similarSound);

function setSubstitutionCost(letter: string, other: string, cost: number): void {
  const [row, column] = [letter.charCodeAt(0) - FIRST_CODE, other.charCodeAt(0) - FIRST_CODE];
  substitutionCosts[row * LETTERS + column] = cost;
  substitutionCosts[column * LETTERS + row] = cost;
}

/** The number of cells in a row of the edit distance table. It is greater than the maximum length of a word. */
const WIDTH = 64;
const table = new Float64Array(WIDTH * WIDTH);

/**
 * Returns the weighted edit distance between a search word and a word: the lowest total cost of substitutions, insertions, deletions and transpositions. With
 * `isPrefix`, returns the lowest distance between the search word and any prefix of the word. Both words have at most 63 characters. The algorithm is R. Wagner
 * and M. Fischer, The string-to-string correction problem, 1974, with weights.
 */
export function getEditCost(searchWord: string, word: string, isPrefix: boolean): number {
  table[0] = 0;
  for (let column = 1; column <= word.length; column++)
    table[column] = getCell(0, column - 1) + getGapCost(word, column - 1);
  for (let row = 1; row <= searchWord.length; row++) fillRow(searchWord, row, word);
  if (!isPrefix) return getCell(searchWord.length, word.length);
  let lowest = Number.POSITIVE_INFINITY;
  for (let column = 0; column <= word.length; column++) lowest = Math.min(lowest, getCell(searchWord.length, column));
  return lowest;
}

function fillRow(searchWord: string, row: number, word: string): void {
  const insertionCost = getGapCost(searchWord, row - 1);
  table[row * WIDTH] = getCell(row - 1, 0) + insertionCost;
  for (let column = 1; column <= word.length; column++) {
    let lowest = Math.min(
      getCell(row - 1, column) + insertionCost,
      getCell(row, column - 1) + getGapCost(word, column - 1),
      getCell(row - 1, column - 1) + getSubstitutionCost(searchWord, row - 1, word, column - 1),
    );
    if (isTransposed(searchWord, row - 1, word, column - 1)) {
      const cost = COST.transposition + (row === 2 && column === 2 ? COST.firstLetter : 0);
      lowest = Math.min(lowest, getCell(row - 2, column - 2) + cost);
    }
    table[row * WIDTH + column] = lowest;
  }
}

function getCell(row: number, column: number): number {
  return table[row * WIDTH + column] as number;
}

function isTransposed(searchWord: string, row: number, word: string, column: number): boolean {
  return (
    row > 0 &&
    column > 0 &&
    searchWord.charCodeAt(row) === word.charCodeAt(column - 1) &&
    searchWord.charCodeAt(row - 1) === word.charCodeAt(column)
  );
}

function getSubstitutionCost(searchWord: string, row: number, word: string, column: number): number {
  const [letter, other] = [searchWord.charCodeAt(row) - FIRST_CODE, word.charCodeAt(column) - FIRST_CODE];
  if (letter === other) return 0;
  const isKnown = letter >= 0 && letter < LETTERS && other >= 0 && other < LETTERS;
  const cost = isKnown ? (substitutionCosts[letter * LETTERS + other] as number) : COST.substitution;
  return column === 0 && row === 0 ? cost + COST.firstLetter : cost;
}

/** Returns the cost of inserting or deleting the letter at index `at` of a word. */
function getGapCost(word: string, at: number): number {
  const code = word.charCodeAt(at);
  if (code === word.charCodeAt(at - 1) || code === word.charCodeAt(at + 1)) return COST.doubledLetter;
  const cost = VOWELS.includes(word.charAt(at)) ? COST.vowelGap : COST.gap;
  return at === 0 ? cost + COST.firstLetter : cost;
}

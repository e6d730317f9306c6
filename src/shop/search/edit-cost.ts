/** What it takes to write one letter for another, or to leave one out or put one in, by how easily that happens: 1 for letters that have nothing in common. */
const EFFORT = {
  other: 1,
  /** The next key. */
  near: 0.7,
  vowel: 0.5,
  alike: 0.5,
  swapped: 0.5,
  doubled: 0.3,
  vowelAmiss: 0.7,
  letterAmiss: 0.95,
  /** Beside the above, where it is the first letter: that one is seldom wrong. */
  first: 0.35,
} as const;

const VOWELS = 'aeiouy';

/** Letters that stand for the same sound here or there. */
const ALIKE = ['ck', 'cs', 'sz', 'kq', 'gj', 'fv', 'pb', 'td', 'mn', 'iy', 'vw', 'xs', 'xz', 'gk'];
const KEYS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

const FIRST_CODE = 'a'.charCodeAt(0);
const LETTERS = 26;

/** The effort of each letter for each other: 26 rows of 26. */
const wrongLetters = new Float64Array(LETTERS * LETTERS).fill(EFFORT.other);
for (const row of KEYS) for (let at = 1; at < row.length; at++) learn(row.charAt(at - 1), row.charAt(at), EFFORT.near);
for (const one of VOWELS) for (const other of VOWELS) learn(one, other, EFFORT.vowel);
for (const pair of ALIKE) learn(pair.charAt(0), pair.charAt(1), EFFORT.alike);

function learn(one: string, other: string, effort: number): void {
  const [row, column] = [one.charCodeAt(0) - FIRST_CODE, other.charCodeAt(0) - FIRST_CODE];
  wrongLetters[row * LETTERS + column] = effort;
  wrongLetters[column * LETTERS + row] = effort;
}

/** Longer than any two words that are compared. */
const WIDTH = 64;
const table = new Float64Array(WIDTH * WIDTH);

/**
 * The effort of writing `typed` where `meant` is meant: the sum over the letters that are wrong, missing, too many or swapped, the least of all ways
 * to see it (R. Wagner and M. Fischer, The string-to-string correction problem, 1974, with weights). With `isOpen` only a beginning of `meant`
 * needs be written: the rest is yet to come. Neither has more than 63 characters.
 */
export function getEditCost(typed: string, meant: string, isOpen: boolean): number {
  table[0] = 0;
  for (let at = 1; at <= meant.length; at++) table[at] = cell(0, at - 1) + amiss(meant, at - 1);
  for (let row = 1; row <= typed.length; row++) {
    const extra = amiss(typed, row - 1);
    table[row * WIDTH] = cell(row - 1, 0) + extra;
    for (let at = 1; at <= meant.length; at++) {
      let least = Math.min(
        cell(row - 1, at) + extra,
        cell(row, at - 1) + amiss(meant, at - 1),
        cell(row - 1, at - 1) + wrong(typed, row - 1, meant, at - 1),
      );
      if (isSwapped(typed, row - 1, meant, at - 1)) {
        least = Math.min(least, cell(row - 2, at - 2) + EFFORT.swapped + (row === 2 && at === 2 ? EFFORT.first : 0));
      }
      table[row * WIDTH + at] = least;
    }
  }
  if (!isOpen) return cell(typed.length, meant.length);
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at <= meant.length; at++) least = Math.min(least, cell(typed.length, at));
  return least;
}

function cell(row: number, at: number): number {
  return table[row * WIDTH + at] as number;
}

function isSwapped(typed: string, row: number, meant: string, at: number): boolean {
  return (
    row > 0 &&
    at > 0 &&
    typed.charCodeAt(row) === meant.charCodeAt(at - 1) &&
    typed.charCodeAt(row - 1) === meant.charCodeAt(at)
  );
}

function wrong(typed: string, row: number, meant: string, at: number): number {
  const [one, other] = [typed.charCodeAt(row) - FIRST_CODE, meant.charCodeAt(at) - FIRST_CODE];
  if (one === other) return 0;
  const isKnown = one >= 0 && one < LETTERS && other >= 0 && other < LETTERS;
  const effort = isKnown ? (wrongLetters[one * LETTERS + other] as number) : EFFORT.other;
  return at === 0 && row === 0 ? effort + EFFORT.first : effort;
}

/** The effort for a letter that one word has at a place and the other lacks. */
function amiss(word: string, at: number): number {
  const code = word.charCodeAt(at);
  if (code === word.charCodeAt(at - 1) || code === word.charCodeAt(at + 1)) return EFFORT.doubled;
  const effort = VOWELS.includes(word.charAt(at)) ? EFFORT.vowelAmiss : EFFORT.letterAmiss;
  return at === 0 ? effort + EFFORT.first : effort;
}

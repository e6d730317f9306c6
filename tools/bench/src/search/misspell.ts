import type { Random } from '../../../../src/util/random.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const VOWELS = 'aeiou';

/** The rows of letters on a keyboard. Most typing errors hit an adjacent letter in the same row. */
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

function neighbours(letter: string): string {
  return ROWS.flatMap((row) => {
    const at = row.indexOf(letter);
    return at < 0 ? [] : [row[at - 1] ?? '', row[at + 1] ?? ''];
  }).join('');
}

/** Returns a word with one random typo: a wrong, missing, extra, doubled or swapped letter. */
export function oneTypo(word: string, random: Random): string {
  const at = random.integer(0, word.length - 1);
  const letter = word[at] ?? '';
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  switch (random.integer(0, 4)) {
    case 0:
      return before + random.pick([...(random.next() < 0.7 ? neighbours(letter) || LETTERS : LETTERS)]) + after;
    case 1:
      return before + after;
    case 2:
      return before + random.pick([...LETTERS]) + letter + after;
    case 3:
      return before + letter + letter + after;
    default:
      return at + 1 < word.length ? before + word[at + 1] + letter + word.slice(at + 2) : before + after;
  }
}

/** Letters, and other letters that sound the same in English. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/ph/, 'f'],
  [/cks\b/, 'x'],
  [/ck/, 'k'],
  [/^kn/, 'n'],
  [/^wr/, 'r'],
  [/ight/, 'ite'],
  [/tion/, 'shun'],
  [/c(?=[eiy])/, 's'],
  [/c(?=[aou])/, 'k'],
  [/qu/, 'kw'],
  [/x/, 'ks'],
  [/oo/, 'u'],
  [/ee/, 'ea'],
  [/ea/, 'ee'],
  [/ie/, 'ei'],
  [/ou/, 'ow'],
  [/er$/, 'or'],
  [/or$/, 'er'],
  [/le$/, 'el'],
  [/y$/, 'ie'],
  [/([bcdfglmnprst])\1/, '$1'],
  [/ant/, 'ent'],
  [/able/, 'ible'],
  [/sc/, 's'],
  [/gh/, ''],
  [/ge/, 'je'],
  [/z/, 's'],
];

/** Returns a random phonetic misspelling of a word, such as "fone" for "phone". Returns undefined if there is none. */
export function byEar(word: string, random: Random): string | undefined {
  const heard = SOUNDS.filter(([pattern]) => pattern.test(word)).map(([pattern, written]) =>
    word.replace(pattern, written),
  );
  return heard.length > 0 ? random.pick(heard) : undefined;
}

/**
 * Returns a word without its vowels, except the first letter: "kttl" for "kettle". Returns undefined if fewer than `least` letters are removed, or if fewer
 * than three letters are left.
 */
export function withoutVowels(word: string, least: number): string | undefined {
  const short = [...word].filter((letter, at) => at === 0 || !VOWELS.includes(letter)).join('');
  return word.length - short.length >= least && short.length >= 3 ? short : undefined;
}

/**
 * Returns a word without its first `count` vowels, except the first letter. Returns undefined if the word has fewer vowels, or if fewer than three letters
 * are left.
 */
export function withoutSomeVowels(word: string, count: number): string | undefined {
  let left = count;
  const short = [...word].filter((letter, at) => at === 0 || !VOWELS.includes(letter) || left-- <= 0).join('');
  return left <= 0 && short.length >= 3 ? short : undefined;
}

/** Returns the first letter and the end of a word: "bball" for "basketball". Returns undefined if the word has fewer than eight letters. */
export function headAndTail(word: string, random: Random): string | undefined {
  if (word.length < 8) return undefined;
  return word.slice(0, 1) + word.slice(-random.integer(4, 5));
}

/** Returns the plural of a singular word, or the singular of a plural word. */
export function otherNumber(word: string): string {
  if (/(ch|sh|x|ss|z)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  if (/ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ch|sh|x|ss|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : `${word}s`;
}

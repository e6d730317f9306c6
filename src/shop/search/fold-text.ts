/**
 * Replacements for letters that Unicode normalization does not change.
 * The first line has letters that users type differently, such as "ß" and "ss".
 * The second line has variants of one letter.
 */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', œ: 'oe', æ: 'ae', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ı: 'i' },
  ...{ ς: 'σ', ة: 'ه', ى: 'ي' },
};
const UNUSUAL_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** The distance between a hiragana letter and the katakana letter with the same sound, in Unicode code points. */
const KATAKANA_OFFSET = 'ア'.charCodeAt(0) - 'あ'.charCodeAt(0);

/**
 * Converts a text to the form that the search compares: "Café" becomes "cafe".
 * The result is in lower case, without accents and full-width characters (NFKD without marks).
 * Letters such as "ß" become "ss", and hiragana becomes katakana.
 */
export function foldText(text: string): string {
  // Most texts are ASCII, and for ASCII this shortcut is ten times faster.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(UNUSUAL_LETTER, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(/[ぁ-ゖ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + KATAKANA_OFFSET));
}

/** The maximum length of a word in the search, in characters. The rest of a longer word is ignored. */
export const WORD_LIMIT = 31;

const WORD = /[\p{L}\p{N}]+/gu;

/**
 * Splits a text into its sequences of letters and digits.
 * Removes apostrophes, so "men's" becomes "mens".
 * Truncates words to `WORD_LIMIT` characters.
 * `foldedText`: a result of `foldText`.
 */
export function splitWords(foldedText: string): string[] {
  const text = /['’]/.test(foldedText) ? foldedText.replaceAll(/['’]/g, '') : foldedText;
  const words = text.match(WORD) ?? [];
  return words.some(({ length }) => length > WORD_LIMIT) ? words.map(truncate) : words;
}

/** Truncates a word to the maximum length in the search. */
export function truncate(word: string): string {
  return word.length > WORD_LIMIT ? word.slice(0, WORD_LIMIT) : word;
}

/** Matches a character of a script that puts no spaces between words, such as Chinese or Thai. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * Returns whether a text is in a script that puts no spaces between words, such as Chinese or Thai.
 * A text without spaces may then be a whole sentence, and a single character may be a word.
 */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

/** The spellings of each unit of measurement. The search replaces each spelling with the first one of its line. */
const UNITS: readonly (readonly string[])[] = [
  ['in', 'inch', 'inches', '"', '”', '″'],
  ['ft', 'foot', 'feet'],
  ['mm', 'millimeter', 'millimeters'],
  ['cm', 'centimeter', 'centimeters'],
  ['m', 'meter', 'meters'],
  ['yd', 'yard', 'yards'],
  ['oz', 'ounce', 'ounces'],
  ['lb', 'lbs', 'pound', 'pounds'],
  ['g', 'gram', 'grams'],
  ['kg', 'kgs', 'kilogram', 'kilograms'],
  ['ml', 'milliliter', 'milliliters'],
  ['l', 'liter', 'liters', 'litre', 'litres'],
  ['mb', 'megabyte', 'megabytes'],
  ['gb', 'gigabyte', 'gigabytes'],
  ['tb', 'terabyte', 'terabytes'],
  ['mp', 'megapixel', 'megapixels'],
  ['hz', 'hertz'],
  ['mhz', 'megahertz'],
  ['ghz', 'gigahertz'],
  ['w', 'watt', 'watts'],
  ['v', 'volt', 'volts'],
  ['mah'],
  ['pack', 'pk', 'packs'],
  ['pc', 'pcs', 'piece', 'pieces'],
];

const canonicalUnits = new Map(UNITS.flatMap((names) => names.map((name) => [name, names[0] as string])));

/** Matches a number that is followed by a unit: "6ft", "6 ft" or "6-ft". */
const MEASURE = new RegExp(
  `(?<![\\p{L}\\p{N}.])(\\d+(?:\\.\\d+)?)[ -]?(${[...canonicalUnits.keys()].join('|')})(?![\\p{L}\\p{N}])`,
  'gu',
);

/**
 * A measure in a text, such as "6-foot".
 * `word`: the measure with the standard spelling of its unit, such as "6ft".
 * `start` and `end`: its position in the text.
 */
interface Measure {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the measures in a text, such as "6-foot". The text must be in lower case and without accents. */
export function findMeasures(foldedText: string): readonly Measure[] {
  if (!/\d/.test(foldedText)) return [];
  return Array.from(foldedText.matchAll(MEASURE), ({ 0: text, 1: number, 2: unit = '', index }) => ({
    word: `${Number(number)}${canonicalUnits.get(unit)}`,
    start: index,
    end: index + text.length,
  }));
}

/** Returns whether a word is a measure with the standard spelling of its unit: "6ft" but not "6foot". */
export function isMeasure(word: string): boolean {
  return findMeasures(word)[0]?.word === word;
}

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
export interface Measure {
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

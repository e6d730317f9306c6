import type { Product } from '../types.ts';
import { foldText } from './fold-text.ts';
import { createPrefilter, type Prefilter } from './prefilter.ts';

/** Names and keywords as texts, in which more than a word can be looked for. */
export interface Texts {
  /** The products, by their places, whose name or joined keywords hold a text as it is written. */
  holding(text: string): readonly number[];
  /** Those whose keywords hold it where the end of one and the start of the next run together, so many letters of each at least. */
  runningTogether(text: string, least: number): readonly number[];
}

/** The machine words by which the parts of a product's texts are noted. */
const TEXT_PAIRS = 10;

/** The names of all products and their keywords, these joined by a comma (interface, search rule 5); made ready when first asked for. */
export function createTexts(products: readonly Product[]): Texts {
  const nameOf = (place: number) => foldText(products[place]?.name ?? '');
  const keywordsOf = (place: number) => withoutBlanks(foldText(products[place]?.keywords.join(',') ?? ''));
  let made: Prefilter | undefined;
  const sieve = () => {
    made ??= createPrefilter(products.length, (place) => allOf(nameOf(place), keywordsOf(place)), TEXT_PAIRS);
    return made;
  };
  const holding = (text: string) =>
    sieve()
      .mayHold(text)
      .filter((place) => nameOf(place).includes(text) || keywordsOf(place).includes(text));
  return {
    holding(text) {
      const wanted = withoutBlanks(text);
      return wanted === text ? holding(text) : [...new Set([...holding(wanted), ...holding(text)])];
    },
    runningTogether(text, least) {
      const borders = Array.from({ length: Math.max(0, text.length - 2 * least + 1) }, (_, at) => at + least);
      const parted = borders.map((at) => `${text.slice(0, at)},${text.slice(at)}`);
      const isOver = (keywords: string) => parted.some((part) => keywords.includes(part));
      return sieve()
        .mayHold(text)
        .filter((place) => isOver(bare(keywordsOf(place))));
    },
  };
}

/** All that is looked for in a product: its name, its keywords with their commas and these run together. */
function allOf(name: string, keywords: string): string {
  return `${name}\n${keywords}\n${bare(keywords).replaceAll(',', '')}`;
}

/** Keywords without what is neither letter nor digit, but for the commas between them. */
function bare(keywords: string): string {
  return /^[a-z0-9,]*$/.test(keywords) ? keywords : keywords.replaceAll(/[^\p{L}\p{N},]/gu, '');
}

/** A text without the blanks around its commas. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/ *, */g, ',');
}

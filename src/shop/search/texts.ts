import type { Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { foldText } from './fold-text.ts';
import { createPrefilter } from './prefilter.ts';

/** An index of the names and keywords of products. It finds terms of several words. */
export interface TextIndex {
  /** Returns the indexes of the products whose name or joined keywords contain a text. */
  findContaining(text: string): readonly number[];
  /**
   * Returns the indexes of the products with two adjacent keywords that contain the text across their border: its start ends the first keyword, and its
   * end starts the second keyword. Each part has at least `minLetters` letters.
   */
  findAcrossKeywords(text: string, minLetters: number): readonly number[];
}

/** The number of 32-bit integers of the prefilter for each product. */
const FILTER_WORDS = 10;

/** Creates a text index of names, and of keywords joined by commas (interface, search rule 5). */
export function* createTextIndex(products: readonly Product[]): Steps<TextIndex> {
  const getName = (index: number) => foldText(products[index]?.name ?? '');
  const getKeywords = (index: number) => trimCommas(foldText(products[index]?.keywords.join(',') ?? ''));
  const getText = (index: number) => joinTexts(getName(index), getKeywords(index));
  const findCandidates = yield* createPrefilter(products.length, getText, FILTER_WORDS);
  const findLiteral = (text: string) =>
    findCandidates(text).filter((index) => getName(index).includes(text) || getKeywords(index).includes(text));
  return {
    findContaining(text) {
      const trimmed = trimCommas(text);
      return trimmed === text ? findLiteral(text) : [...new Set([...findLiteral(trimmed), ...findLiteral(text)])];
    },
    findAcrossKeywords(text, minLetters) {
      const borders = Array.from({ length: Math.max(0, text.length - 2 * minLetters + 1) }, (_, at) => at + minLetters);
      const splitTexts = borders.map((at) => `${text.slice(0, at)},${text.slice(at)}`);
      const hasSplitText = (keywords: string) => splitTexts.some((splitText) => keywords.includes(splitText));
      return findCandidates(text).filter((index) => hasSplitText(keepLettersAndCommas(getKeywords(index))));
    },
  };
}

/** Joins the searched texts of a product: its name, its keywords with commas, and its keywords without separators. */
function joinTexts(name: string, keywords: string): string {
  return `${name}\n${keywords}\n${keepLettersAndCommas(keywords).replaceAll(',', '')}`;
}

/** Removes all characters except letters, digits and commas. */
function keepLettersAndCommas(keywords: string): string {
  return /^[a-z0-9,]*$/.test(keywords) ? keywords : keywords.replaceAll(/[^\p{L}\p{N},]/gu, '');
}

/** Removes the spaces around commas. */
function trimCommas(text: string): string {
  return text.replaceAll(/ *, */g, ',');
}

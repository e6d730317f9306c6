import type { Steps } from '../../util/slices.ts';
import type { Product } from '../types.ts';
import { foldText } from './fold-text.ts';
import { createPrefilter } from './vocabulary.ts';

/** An index that finds any text within the names and keywords of products. */
export interface TextIndex {
  /**
   * Returns the indexes of the products that contain a text, either in the name or in the list of keywords (joined by
   * commas).
   */
  findContaining(text: string): Steps<readonly number[]>;
  /**
   * Returns the indexes of the products in which a text matches across two adjacent keywords: "woolhik" matches the end
   * of "wool" and the start of "hiking".
   * Each keyword must have at least `minLetters` letters of the text.
   */
  findAcrossKeywords(text: string, minLetters: number): Steps<readonly number[]>;
}

/** The number of 32-bit integers in the Bloom filter of a product. */
const FILTER_WORDS = 10;

/**
 * Creates an index that finds any text within the names and keywords of products.
 * Keywords are joined by commas, so "wool,hik" finds the keywords "wool" and "hiking".
 */
export function* createTextIndex(products: readonly Product[]): Steps<TextIndex> {
  const getName = (index: number) => foldText(products[index]?.name ?? '');
  const getKeywords = (index: number) => trimCommas(foldText(products[index]?.keywords.join(',') ?? ''));
  const getText = (index: number) => joinTexts(getName(index), getKeywords(index));
  const findCandidates = yield* createPrefilter(products.length, getText, FILTER_WORDS);
  const findLiteral = (text: string) =>
    filterInSteps(findCandidates(text), (index) => getName(index).includes(text) || getKeywords(index).includes(text));
  return {
    *findContaining(text) {
      const trimmed = trimCommas(text);
      if (trimmed === text) return yield* findLiteral(text);
      return [...new Set([...(yield* findLiteral(trimmed)), ...(yield* findLiteral(text))])];
    },
    *findAcrossKeywords(text, minLetters) {
      const borders = Array.from({ length: Math.max(0, text.length - 2 * minLetters + 1) }, (_, at) => at + minLetters);
      const splitTexts = borders.map((at) => `${text.slice(0, at)},${text.slice(at)}`);
      const hasSplitText = (keywords: string) => splitTexts.some((splitText) => keywords.includes(splitText));
      return yield* filterInSteps(findCandidates(text), (index) =>
        hasSplitText(keepLettersAndCommas(getKeywords(index))),
      );
    },
  };
}

/** The number of compared products after which a search yields. */
const STEP_CANDIDATES = 1_024;

function* filterInSteps(candidates: readonly number[], isMatch: (index: number) => boolean): Steps<readonly number[]> {
  const matches: number[] = [];
  for (const [at, index] of candidates.entries()) {
    if (isMatch(index)) matches.push(index);
    if (at % STEP_CANDIDATES === STEP_CANDIDATES - 1) yield;
  }
  return matches;
}

/**
 * Returns all text in which a search can find a product: the name, the keywords joined by commas, and the keywords
 * without separators.
 */
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

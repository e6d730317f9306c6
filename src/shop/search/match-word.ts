import { getNumberForms } from './abbreviations.ts';
import { findFuzzyMatches, findLiteralMatches, getLowestDistance, TIERS } from './candidates.ts';
import { type Costs, getProductCosts, intersectCosts, mergeCosts, TIER_COST } from './ranking.ts';
import type { TextIndex } from './texts.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The indexes over a list of products. */
export interface SearchIndex {
  readonly vocabulary: Vocabulary;
  readonly texts: TextIndex;
}

/** The minimum length of a match across two keywords, in letters, and its cost: slightly less than that of a misspelled word. */
const ACROSS_LENGTH = 4;
const ACROSS_COST = TIERS.misspelled * TIER_COST - 1;

/** How many letters of each of two keywords make a match across them reliable. */
const ACROSS_LETTERS = 3;

/** The maximum distance of a typo that is likelier than any match across keywords, and than one with a single letter of a keyword. */
const TYPO_DISTANCE = 0.75;
const LETTER_DISTANCE = 1;

/** The separators between two parts that can also be written as one word. */
const SEPARATORS = [' ', '-'];

/**
 * Returns the products that match a search word: literally; else split into two words; else by a fuzzy match. A match across two keywords takes the
 * place of a distant fuzzy match.
 */
export function matchWord(word: string, index: SearchIndex): Costs {
  const { vocabulary } = index;
  const literal = findLiteralMatches(word, vocabulary);
  const costs = getProductCosts(literal, vocabulary);
  if (literal.some(({ tier }) => tier < TIERS.infix)) return costs;
  const withSplits = mergeCosts([costs, ...splitWord(word).map((parts) => matchParts(parts, index))]);
  if (withSplits.size > 0) return withSplits;
  const fuzzy = findFuzzyMatches(word, vocabulary);
  const distance = getLowestDistance(fuzzy);
  const minLetters = distance > LETTER_DISTANCE ? 1 : ACROSS_LETTERS;
  const across = distance > TYPO_DISTANCE ? matchAcrossKeywords(word, minLetters, index) : new Map();
  return across.size > 0 ? across : getProductCosts(fuzzy, vocabulary);
}

/** Returns the products with a fuzzy match for a search word that is not in the vocabulary. */
export function matchTypo(word: string, { vocabulary }: SearchIndex): Costs {
  const isKnown = findLiteralMatches(word, vocabulary).some(({ tier }) => tier < TIERS.prefix);
  return isKnown ? new Map() : getProductCosts(findFuzzyMatches(word, vocabulary), vocabulary);
}

/** Returns the products that contain a word exactly. */
export function matchExact(word: string, { vocabulary }: SearchIndex): Costs {
  const id = vocabulary.getId(word);
  return id === undefined ? new Map() : getProductCosts([{ id, tier: TIERS.exact, distance: 0 }], vocabulary);
}

function matchAcrossKeywords(word: string, minLetters: number, { texts }: SearchIndex): Costs {
  const products = word.length < ACROSS_LENGTH ? [] : texts.findAcrossKeywords(word, minLetters);
  return new Map(products.map((product) => [product, ACROSS_COST]));
}

type Parts = readonly [string, string];

/** Splits a word into two parts in every way. */
function splitWord(word: string): readonly Parts[] {
  return Array.from({ length: word.length - 1 }, (_, at) => [word.slice(0, at + 1), word.slice(at + 1)]);
}

/** Returns the products that contain both parts of a word, the second in any number form. A single letter must be adjacent to the other part. */
function matchParts([first, second]: Parts, index: SearchIndex): Costs {
  const isKnown = (word: string) => index.vocabulary.getId(word) !== undefined;
  const secondForms = [second, ...getNumberForms(second)].filter(isKnown);
  if (!isKnown(first) || secondForms.length === 0) return new Map();
  const costs = intersectCosts([
    matchExact(first, index),
    mergeCosts(secondForms.map((form) => matchExact(form, index))),
  ]);
  if (costs.size === 0 || Math.min(first.length, second.length) > 1) return costs;
  const adjacent = new Set(SEPARATORS.flatMap((separator) => index.texts.findContaining(first + separator + second)));
  return new Map([...costs].filter(([product]) => adjacent.has(product)));
}

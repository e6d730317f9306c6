import type { Steps } from '../../util/slices.ts';
import { findFuzzyMatches, findLiteralMatches, findWordForms, getLowestDistance } from './candidates.ts';
import { isMeasure, isUnspaced, WORD_LIMIT } from './fold-text.ts';
import type { ProductOrder } from './product-order.ts';
import {
  type Candidate,
  type Costs,
  getProductCosts,
  intersectCosts,
  MATCH_RANKS,
  mapCosts,
  mergeCosts,
  NO_COSTS,
  RANK_COST,
} from './ranking.ts';
import type { Synonyms } from './synonyms.ts';
import type { TextIndex } from './texts.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The indexes that a search in a list of products uses, and the synonyms. */
export interface WordIndexes {
  readonly vocabulary: Vocabulary;
  readonly texts: TextIndex;
  readonly order: ProductOrder;
  /** Returns the synonyms of a word or a phrase. */
  readonly synonyms: Synonyms;
  /** Records the matching products and the reasons, for an explanation of the search. Undefined in a normal search. */
  readonly trace?: SearchTrace;
}

/**
 * The minimum length of a search word that can match across two adjacent keywords: "woolhik" matches the keywords
 * "wool" and "hiking".
 */
const ACROSS_LENGTH = 4;

/**
 * The cost of a product with a match across two keywords, such as "woolhik" in "wool" and "hiking".
 * It is a little lower than for a misspelled word, so the product ranks higher.
 */
const ACROSS_COST = MATCH_RANKS.misspelled * RANK_COST - 1;

/**
 * The minimum number of letters in each keyword for a match across two keywords: "woolhik" has four letters in "wool"
 * and three in "hiking".
 * The minimum is one letter if all similar words are farther from the search word than `SINGLE_LETTER_DISTANCE`.
 */
const ACROSS_LETTERS = 3;

/**
 * If all similar words are farther from the search word than this distance, a match across two keywords may have a
 * single letter in one keyword.
 */
const SINGLE_LETTER_DISTANCE = 1;

/**
 * If all similar words are farther from the search word than this distance, matches across two keywords ("woolhik" in
 * "wool" and "hiking") replace them.
 */
const TYPO_DISTANCE = 0.75;

/**
 * The additional cost of a product with two adjacent words that the search term joins: "t shirt" for the search word
 * "tshirt".
 */
const ADJACENT_COST = 1;

/**
 * The limits for splitting a search word into two words ("note book" for "notebook").
 * `known` applies if products contain the search word, `unknown` if not.
 * `minLength`: the minimum length of each part.
 * `minApart`: if a part is shorter than this, the two words must be next to each other in a product.
 */
const SPLITS = { known: { minLength: 2, minApart: WORD_LIMIT }, unknown: { minLength: 1, minApart: 2 } };

/** The characters between the two words of a compound, as in "t-shirt" and "t shirt". */
const SEPARATORS = [' ', '-'];

/**
 * The conditions under which a rare search word also matches a similar frequent word, because it may be a misspelling.
 * `maxProducts`: the maximum number of products that contain the search word.
 * `maxDistance`: the maximum distance between the two words.
 * `minLength`: the minimum length of the search word.
 * `ratio`: how many times as frequent the frequent word must be.
 * `partRatio` replaces `ratio` if products contain the search word only inside other words.
 */
const RARE = { maxProducts: 8, maxDistance: 1, minLength: 4, ratio: 40, partRatio: 100 };

/**
 * Returns the products that contain a search word, a synonym, or the search word as two words ("note book" for
 * "notebook").
 * A rare search word also matches frequent words with a similar spelling.
 * If there are no such products, returns the products with a similar word.
 * If no similar word is close, prefers products with a match across two adjacent keywords ("woolhik" for "wool" and
 * "hiking").
 */
export function* matchWord(word: string, index: WordIndexes): Steps<Costs> {
  const { vocabulary } = index;
  // A measure matches only an equal measure: "6ft" must not match "8ft".
  if (isMeasure(word) && vocabulary.getId(word) !== undefined) return yield* matchExact(word, index);
  const literal = findLiteralMatches(word, vocabulary);
  yield;
  const synonyms = yield* matchSynonyms(word, [word], index);
  const isKnown = literal.some(({ rank }) => rank < MATCH_RANKS.infix) || synonyms.size > 0;
  const literalCosts = yield* matchCandidates(word, literal, index);
  const splits = yield* matchSplits(word, isKnown ? SPLITS.known : SPLITS.unknown, index);
  const costs = yield* mergeCosts([literalCosts, synonyms, splits]);
  const count = isKnown ? literalCosts.size : costs.size;
  if (costs.size > 0) return yield* mergeCosts([costs, yield* matchFrequent(word, count, literal, index)]);
  const fuzzy = findFuzzyMatches(word, vocabulary);
  yield;
  const distance = getLowestDistance(fuzzy);
  const minLetters = distance > SINGLE_LETTER_DISTANCE ? 1 : ACROSS_LETTERS;
  const across = distance > TYPO_DISTANCE ? yield* matchAcrossKeywords(word, minLetters, index) : NO_COSTS;
  if (across.size === 0) return yield* matchCandidates(word, fuzzy, index);
  index.trace?.addMatch({ word, by: 'adjacent keywords', costs: across });
  return across;
}

/** Returns the products that contain at least one of the candidates, the words that match a search word. */
function* matchCandidates(word: string, candidates: readonly Candidate[], index: WordIndexes): Steps<Costs> {
  const costs = yield* getProductCosts(candidates, index);
  index.trace?.addMatch({ word, by: candidates, costs });
  return costs;
}

/**
 * Returns the products with a frequent word that a rare search word may misspell.
 * `count`: the number of products that contain the search word.
 * `literal`: the words that match it without a misspelling.
 */
function* matchFrequent(word: string, count: number, literal: readonly Candidate[], index: WordIndexes): Steps<Costs> {
  if (count > RARE.maxProducts || word.length < RARE.minLength) return NO_COSTS;
  const { vocabulary } = index;
  const isWord = literal.some(({ rank }) => rank < MATCH_RANKS.infix);
  const minProducts = count * (isWord ? RARE.ratio : RARE.partRatio);
  const literalIds = new Set(literal.map(({ id }) => id));
  const isFrequent = ({ id, distance }: Candidate) =>
    distance <= RARE.maxDistance && vocabulary.getPostings(id).length >= minProducts;
  const fuzzy = findFuzzyMatches(word, vocabulary, (id) => !literalIds.has(id));
  yield;
  return yield* matchCandidates(word, fuzzy.filter(isFrequent), index);
}

/**
 * Splits a search word into two parts at each possible position, such as "note" and "book".
 * Returns the products that contain both parts.
 */
function* matchSplits(word: string, { minLength, minApart }: typeof SPLITS.known, index: WordIndexes): Steps<Costs> {
  const isUnspacedWord = isUnspaced(word);
  const ends = Array.from({ length: word.length - 1 }, (_, at) => at + 1).filter((at) => {
    const isLong = Math.min(at, word.length - at) >= minLength;
    return isUnspacedWord || (isLong && index.vocabulary.getId(word.slice(0, at)) !== undefined);
  });
  const splits = yield* mapInSteps(ends, (at) => {
    const parts = [word.slice(0, at), word.slice(at)] as const;
    return isUnspacedWord ? matchUnspaced(parts, index) : matchParts(parts, minApart, index);
  });
  const costs = yield* mergeCosts(splits);
  index.trace?.addMatch({ word, by: 'split word', costs });
  return costs;
}

/**
 * Returns the products that contain both parts of a search word in a script without spaces between words, such as
 * Chinese.
 */
function* matchUnspaced(parts: readonly string[], index: WordIndexes): Steps<Costs> {
  const costsOfParts = yield* mapInSteps(parts, (part) =>
    getProductCosts(findLiteralMatches(part, index.vocabulary), index),
  );
  return yield* intersectCosts(costsOfParts);
}

/**
 * Returns the products that contain two words, such as "note" and "book".
 * If one of them is shorter than `minApart`, they must be next to each other.
 * The second word may be in the singular or plural.
 */
function* matchParts([first, second]: readonly [string, string], minApart: number, index: WordIndexes): Steps<Costs> {
  const forms = findWordForms(second, index.vocabulary).map((form) => ({
    ...form,
    rank: MATCH_RANKS.exact,
    distance: 0,
  }));
  const costs = yield* intersectCosts([yield* matchExact(first, index), yield* getProductCosts(forms, index)]);
  if (costs.size === 0 || Math.min(first.length, second.length) >= minApart) return costs;
  const texts = SEPARATORS.map((separator) => first + separator + second);
  const adjacent = new Set((yield* mapInSteps(texts, index.texts.findContaining)).flat());
  return yield* mapCosts(costs, (cost, product) => (adjacent.has(product) ? cost + ADJACENT_COST : undefined));
}

/**
 * Returns the products with a word that the search word may misspell or abbreviate.
 * If products contain the search word, its singular or its plural, the other word must be much more frequent.
 */
export function* matchTypo(word: string, index: WordIndexes): Steps<Costs> {
  const { vocabulary } = index;
  const literal = findLiteralMatches(word, vocabulary);
  const known = literal.filter(({ rank }) => rank < MATCH_RANKS.prefix);
  yield;
  if (known.length > 0) return yield* matchFrequent(word, countPostings(known, vocabulary), literal, index);
  return yield* matchCandidates(word, findFuzzyMatches(word, vocabulary), index);
}

function countPostings(candidates: readonly Candidate[], { getPostings }: Vocabulary): number {
  return candidates.reduce((sum, { id }) => sum + getPostings(id).length, 0);
}

/** Returns the products that contain the search word itself. Similar words and other word forms do not match. */
export function* matchExact(word: string, index: WordIndexes): Steps<Costs> {
  const id = index.vocabulary.getId(word);
  if (id === undefined) return NO_COSTS;
  return yield* matchCandidates(word, [{ id, rank: MATCH_RANKS.exact, distance: 0 }], index);
}

/** Returns the products that contain a word starting with the search word, or its singular or plural. */
export function* matchBeginning(word: string, index: WordIndexes): Steps<Costs> {
  const literal = findLiteralMatches(word, index.vocabulary);
  return yield* matchCandidates(
    word,
    literal.filter(({ rank }) => rank < MATCH_RANKS.infix),
    index,
  );
}

/**
 * The additional cost of a product that contains a synonym of the search word.
 * A synonym ranks below a plural (1 × `RANK_COST`) and above a prefix match (2 × `RANK_COST`).
 */
const SYNONYM_COST = 1.5 * RANK_COST;

/**
 * Returns the products that contain a synonym of a search word or of several adjacent search words (`text`).
 * `words`: the same search words as a list.
 * The trace of the search records the products for each of them.
 */
export function* matchSynonyms(text: string, words: readonly string[], index: WordIndexes): Steps<Costs> {
  const synonyms = index.synonyms(text);
  if (synonyms.length === 0) return NO_COSTS;
  const costsOfSynonyms = yield* mapInSteps(synonyms, function* (synonym) {
    const costsOfWords = yield* mapInSteps(synonym, (word) =>
      getProductCosts(findWordForms(word, index.vocabulary), index),
    );
    return yield* intersectCosts(costsOfWords);
  });
  const merged = yield* mergeCosts(costsOfSynonyms);
  const costs = yield* mapCosts(merged, (cost) => cost + SYNONYM_COST);
  for (const word of words) index.trace?.addMatch({ word, by: 'synonym', costs });
  return costs;
}

/**
 * Returns the products with two adjacent keywords that together contain a search word: "wool" and "hiking" contain
 * "woolhik".
 */
function* matchAcrossKeywords(word: string, minLetters: number, { texts }: WordIndexes): Steps<Costs> {
  const products = word.length < ACROSS_LENGTH ? [] : yield* texts.findAcrossKeywords(word, minLetters);
  return new Map(products.map((product) => [product, ACROSS_COST]));
}

/**
 * How a search word matches a product that has no single similar word.
 * `split word`: "note book" for "notebook".
 * `adjacent keywords`: "wool" and "hiking" for "woolhik".
 * `joined words`: "headphones" for "head phones".
 * `text`: the name or the keywords contain the whole search term.
 */
type OtherMatch = 'split word' | 'adjacent keywords' | 'joined words' | 'synonym' | 'text';

/** The products that match a search word, and the kind of match. */
interface TracedMatch {
  readonly word: string;
  /** The words in the product texts that match the search word. If no single word matches, the kind of match. */
  readonly by: readonly Candidate[] | OtherMatch;
  readonly costs: Costs;
}

/**
 * A search word, and the products that match it with their costs (lower means more relevant).
 * `bonus`: for an optional word, the amount that a match subtracts from the cost of a product.
 */
interface TracedWord {
  readonly word: string;
  readonly costs: Costs;
  readonly bonus?: number;
}

/** Records how a search finds its results, so that the search can be explained later. */
export class SearchTrace {
  readonly #matches: TracedMatch[] = [];
  #words: readonly TracedWord[] = [];

  /** Records the products that match a search word in one way. Ignores matches without products. */
  addMatch(match: TracedMatch): void {
    if (match.costs.size > 0) this.#matches.push(match);
  }

  /**
   * Sets the search words that count for the relevance of products.
   * `costs`: the products that match each word, with their costs (lower means more relevant).
   * Replaces all earlier words.
   */
  setWords(words: readonly string[], costs: readonly Costs[]): void {
    this.#words = words.map((word, at) => ({ word, costs: costs[at] ?? NO_COSTS }));
  }

  /** Adds search words that count for the relevance of products, such as optional words. */
  addWords(words: readonly TracedWord[]): void {
    this.#words = [...this.#words, ...words];
  }

  /** The search words that count for the relevance of products. */
  get words(): readonly TracedWord[] {
    return this.#words;
  }

  /** Returns the matches of a search word, in the order in which they were found. */
  getMatches(word: string): readonly TracedMatch[] {
    return this.#matches.filter((match) => match.word === word);
  }
}

/** Calls a function for each value, and returns the results. Yields after each value. */
export function* mapInSteps<Value, Result>(
  values: readonly Value[],
  toResult: (value: Value) => Steps<Result>,
): Steps<readonly Result[]> {
  const results: Result[] = [];
  for (const value of values) {
    results.push(yield* toResult(value));
    yield;
  }
  return results;
}

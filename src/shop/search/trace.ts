import { type Candidate, type Costs, NO_COSTS } from './ranking.ts';

/**
 * How a search word matches a product if no single word of the product is similar to the search word. `text`: the name or the keywords contain the whole search
 * term.
 */
export type OtherMatch = 'split word' | 'adjacent keywords' | 'joined words' | 'synonym' | 'text';

/** The products that match a search word in one way. */
export interface TracedMatch {
  readonly word: string;
  /** The words of the catalogue that match the search word. If the search word does not match a single word, how it matches instead. */
  readonly by: readonly Candidate[] | OtherMatch;
  readonly costs: Costs;
}

/**
 * A search word, and the costs of the products that match it. `bonus`: for an optional word, the amount that is subtracted from the cost of each product that
 * matches the word.
 */
export interface TracedWord {
  readonly word: string;
  readonly costs: Costs;
  readonly bonus?: number;
}

/** Records how a search finds its results. The explanation of the search is made from this record. */
export class SearchTrace {
  readonly #matches: TracedMatch[] = [];
  #words: readonly TracedWord[] = [];

  /** Records the products that match a search word in one way. Ignores a match without products. */
  addMatch(match: TracedMatch): void {
    if (match.costs.size > 0) this.#matches.push(match);
  }

  /**
   * Sets the search words that determine the cost of a product. The cost of a product is the sum of its costs for these words. Replaces all words that were set
   * before.
   */
  setWords(words: readonly string[], costs: readonly Costs[]): void {
    this.#words = words.map((word, at) => ({ word, costs: costs[at] ?? NO_COSTS }));
  }

  /** Adds search words to the words that determine the cost of a product, such as optional words. */
  addWords(words: readonly TracedWord[]): void {
    this.#words = [...this.#words, ...words];
  }

  /** The search words that determine the cost of a product. */
  get words(): readonly TracedWord[] {
    return this.#words;
  }

  /** Returns the matches of a word in the order in which they were found. */
  getMatches(word: string): readonly TracedMatch[] {
    return this.#matches.filter((match) => match.word === word);
  }
}

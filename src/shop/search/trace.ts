import { type Candidate, type Costs, NO_COSTS } from './ranking.ts';

/**
 * How a search word matches a product that has no single similar word.
 * `split word`: "note book" for "notebook".
 * `adjacent keywords`: "wool" and "hiking" for "woolhik".
 * `joined words`: "headphones" for "head phones".
 * `text`: the name or the keywords contain the whole search term.
 */
export type OtherMatch = 'split word' | 'adjacent keywords' | 'joined words' | 'synonym' | 'text';

/** The products that match a search word, and the kind of match. */
export interface TracedMatch {
  readonly word: string;
  /** The words in the product texts that match the search word. If no single word matches, the kind of match. */
  readonly by: readonly Candidate[] | OtherMatch;
  readonly costs: Costs;
}

/**
 * A search word, and the products that match it with their costs (lower means more relevant).
 * `bonus`: for an optional word, the amount that a match subtracts from the cost of a product.
 */
export interface TracedWord {
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

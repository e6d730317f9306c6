/** Types of the data that the console and the control API show about an application. */
import type { Entry, State } from './store/state.ts';

/** An example request that users can try. */
export interface ExampleRequest {
  readonly title: string;
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  /** The JSON body; undefined if there is none. */
  readonly body?: unknown;
}

/** The table in which the console shows the entries of a collection. */
export interface Table<S extends State = State> {
  readonly columns: readonly Column[];
  /** Returns one value for each column, such as `[1, 'Leo']`. A missing value is null. */
  getCells(entry: Entry, state: S): readonly unknown[];
  /** Returns values about the whole collection, such as totals. */
  summarize?(state: S): readonly SummaryValue[];
}

/**
 * A column of a table.
 * `format` says how the console shows a value: `money` is an amount in cents, `time` is an ISO 8601 time, `image` is
 * the URL of an image, and `json` is any JSON value.
 */
export interface Column {
  readonly title: string;
  readonly format: 'text' | 'number' | 'boolean' | 'image' | 'money' | 'time' | 'json';
}

/** A value about a whole collection, such as a total. */
export interface SummaryValue {
  readonly title: string;
  readonly value: string | number;
  readonly format: 'text' | 'number' | 'money';
}

/**
 * A search to explain.
 * `term`: the text that the user searches for.
 * `limit`: the maximum number of results in the explanation.
 */
export interface ExplainedSearch {
  readonly term: string;
  readonly limit: number;
}

/** The explanation of a search in a collection. */
export interface SearchExplanation {
  /** The number of entries that the search finds. */
  readonly total: number;
  /** The search term with corrected spelling. Undefined if no word seems to be misspelled. */
  readonly suggestion?: string;
  readonly words: readonly ExplainedWord[];
  /** The first results, the most relevant first. */
  readonly results: readonly ExplainedResult[];
}

/** A word of a search term, and what the search finds for this word. */
export interface ExplainedWord {
  readonly word: string;
  /** Whether the search also finds entries that do not match the word. */
  readonly isOptional: boolean;
  /** The number of entries that match this word. */
  readonly entries: number;
  /** The indexed words that match this word, such as `kettle` for `ketle`. The closest match comes first. */
  readonly matches: readonly WordMatch[];
}

/**
 * A word in the search index that matches a search word.
 * `how`: the type of the match.
 * `distance`: how much the spelling differs from the search word; 0 if it is equal.
 * `entries`: the number of entries that contain the indexed word.
 */
export interface WordMatch {
  readonly text: string;
  readonly how: string;
  readonly distance: number;
  readonly entries: number;
}

/**
 * A search result.
 * `cost`: a measure of its relevance; lower means more relevant.
 * `parts`: the parts of which `cost` is the sum.
 */
export interface ExplainedResult {
  /** The index of the entry in the collection. */
  readonly position: number;
  readonly cost: number;
  readonly parts: readonly CostPart[];
}

/**
 * One part of the cost of a search result (a lower cost means more relevant).
 * `cost`: the amount; less than 0 for a bonus.
 * `word`: the search word that causes this part; undefined if no single word causes it.
 */
export interface CostPart {
  readonly word?: string;
  /** The reason, such as `misspelled: kettle`. */
  readonly title: string;
  readonly cost: number;
}

/** The types of what the console and the control API show of an application. */
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
  /** Returns one value for each column. The value is null if the entry has no value for the column. */
  getCells(entry: Entry, state: S): readonly unknown[];
  /** Returns values about the whole collection, such as totals. */
  summarize?(state: S): readonly SummaryValue[];
}

/**
 * A column of a table. `format` is the format of its values. A `money` value is an amount in cents, a `time` value is an ISO 8601 time, an `image` value is the
 * URL of an image, and a `json` value is any JSON value.
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

/** A search to explain. `term`: the text that the user searches for. `limit`: the maximum number of results in the explanation. */
export interface ExplainedSearch {
  readonly term: string;
  readonly limit: number;
}

/** The explanation of a search in a collection. */
export interface SearchExplanation {
  /** The number of entries that the search finds. */
  readonly total: number;
  /** The search term with corrected spelling. Undefined if no word seems misspelled. */
  readonly suggestion?: string;
  readonly words: readonly ExplainedWord[];
  /** The first results, the most relevant first. */
  readonly results: readonly ExplainedResult[];
}

/** A word of a search term. */
export interface ExplainedWord {
  readonly word: string;
  /** Whether the search also finds entries that do not match the word. */
  readonly isOptional: boolean;
  /** The number of entries that match the word. */
  readonly entries: number;
  /** The words in the entries that match the search word, the closest match first. */
  readonly matches: readonly WordMatch[];
}

/**
 * A word in the entries that matches a search word. `how`: the type of the match. `distance`: how much the spelling differs from the search word; 0 for no
 * difference. `entries`: the number of entries that contain the word.
 */
export interface WordMatch {
  readonly text: string;
  readonly how: string;
  readonly distance: number;
  readonly entries: number;
}

/** An entry that a search finds. `cost`: the sum of the costs in `parts`. An entry with a lower cost is more relevant. */
export interface ExplainedResult {
  /** The position of the entry in the collection. */
  readonly position: number;
  readonly cost: number;
  readonly parts: readonly CostPart[];
}

/**
 * One reason why a search result is less relevant, and its cost. `word`: the search word that causes the cost; undefined if the cost does not depend on one
 * word.
 */
export interface CostPart {
  readonly word?: string;
  /** The reason, such as `misspelled: kettle`. */
  readonly title: string;
  readonly cost: number;
}

import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { StateText } from './data-file.ts';
import type { State } from './state.ts';
import type { StateChange } from './state-change.ts';

/** The approximate length of the pieces in which a text is written, in characters. */
const PIECE_LENGTH = 128_000;

/**
 * Creates the JSON text of a state, in UTF-8.
 * Stores the texts of its entries, because the next state has most of them too.
 * Compares states and entries by identity, because they are never changed in place.
 */
export class StateTexts {
  readonly #sources = new WeakMap<State, StateText>();

  /**
   * Returns the JSON text of a list entry, with line break and indentation.
   * Stores the text as long as the entry is in memory.
   */
  readonly #printEntry = memoizeByObject(
    (entry: object) => `\n    ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ')}`,
  );

  /**
   * `getCollections` returns the names of the collections, in the order of the data file.
   * In a text, all other lists follow the collections.
   */
  constructor(private readonly getCollections: () => readonly string[]) {}

  /** Sets the text of the file from which a state was read. `getPieces` then yields this text unchanged. */
  setSource(state: State, source: StateText): void {
    this.#sources.set(state, source);
  }

  /**
   * Returns the text that `setSource` has set for a state.
   * Returns undefined if there is none, so that `getPieces` creates the text.
   */
  getSource(state: State): StateText | undefined {
    return this.#sources.get(state);
  }

  /** Returns how many bytes longer the text of a state can be after a change. The result is an upper limit. */
  measureChange(change: StateChange): number {
    const inserted = Object.values(change).flatMap(([, , entries]) => entries);
    return inserted.reduce((bytes, entry) => bytes + Buffer.byteLength(this.#printEntry(entry)) + LIST_BYTES, 0);
  }

  /**
   * Yields the UTF-8 text of a state, in pieces of about 128 kB.
   * Creates the text of an entry only once, even if several states contain the entry.
   */
  *getPieces(state: State): Generator<Buffer> {
    const source = this.#sources.get(state);
    if (source) yield* splitText(source.text);
    else yield* joinParts(this.#getParts(state));
  }

  *#getParts(state: State): Generator<string> {
    let separator = '{';
    for (const name of new Set([...this.getCollections(), ...Object.keys(state)])) {
      yield `${separator}\n  ${JSON.stringify(name)}: [`;
      const entries = state[name] ?? [];
      for (const [index, entry] of entries.entries()) yield (index === 0 ? '' : ',') + this.#printEntry(entry);
      yield entries.length === 0 ? ']' : '\n  ]';
      separator = ',';
    }
    yield separator === '{' ? '{}\n' : '\n}\n';
  }
}

/**
 * The maximum number of bytes that an entry needs besides its own text: for a comma, and for the line break at the end
 * of the list.
 */
const LIST_BYTES = 4;

function* splitText(text: Buffer): Generator<Buffer> {
  for (let at = 0; at < text.length; at += PIECE_LENGTH) yield text.subarray(at, at + PIECE_LENGTH);
}

function* joinParts(parts: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < PIECE_LENGTH) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

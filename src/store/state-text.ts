import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { StateText } from './data-file.ts';
import type { State } from './state.ts';
import type { StateChange } from './state-change.ts';

/** The approximate length of a piece of a text, in characters. */
const PIECE_LENGTH = 500_000;

/** The text of the file that a state was read from. `printedBytes`: the size of the text that the server would create for the state, in bytes. */
interface Source {
  readonly text: Buffer;
  readonly printedBytes: number;
}

/** The JSON texts of states, in UTF-8. Compares states and entries by identity, because they never change in place. */
export class StateTexts {
  readonly #sources = new WeakMap<State, Source>();

  /** Returns the text of an entry in a list. */
  readonly #printEntry = memoizeByObject(
    (entry: object) => `\n    ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ')}`,
  );

  /** `getCollections`: returns the names of the collections, in the order of the data file. Other lists of a state follow after them. */
  constructor(private readonly getCollections: () => readonly string[]) {}

  /** Sets the original text of a state, which `getPieces` yields unchanged. */
  setSource(state: State, { text, printedBytes }: StateText): void {
    this.#sources.set(state, { text: Buffer.from(text), printedBytes });
  }

  /** Returns the original text of a state; undefined if the server creates its text. */
  getSource(state: State): Source | undefined {
    return this.#sources.get(state);
  }

  /** Returns an upper limit of the bytes that a change adds to the text of a state. */
  measureChange(change: StateChange): number {
    const inserted = Object.values(change).flatMap(([, , entries]) => entries);
    return inserted.reduce((bytes, entry) => bytes + Buffer.byteLength(this.#printEntry(entry)) + LIST_BYTES, 0);
  }

  /** Yields the text of a state in pieces of about 500 kB. Reuses the texts of entries that earlier texts contain. */
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

/** The maximum number of bytes around an entry in a list: a comma, and the last line break of the list. */
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

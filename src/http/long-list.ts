import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { CompletedBody } from '../mock/compare-contracts.ts';
import type { State } from '../store/state.ts';
import { runInSlices, type Steps, splitList } from '../util/slices.ts';

/** The JSON text of a long list or of a state in UTF-8, split into pieces. */
export interface ListPieces {
  readonly pieces: readonly Buffer[];
  /** The length of all pieces, in bytes. */
  readonly length: number;
}

type CompletedList = CompletedBody & { readonly body: readonly unknown[] };

/** The minimum size of a piece, in characters. */
const PIECE_LENGTH = 128 * 1024;

/**
 * Completes the entries of a long list: adds generated fields and removes unknown fields.
 * Works in slices, between which the server handles other requests.
 * `complete`: a function that completes a part of the list.
 * The result contains `list` itself if no entry changes.
 */
export function completeList(
  list: readonly unknown[],
  complete: (part: readonly unknown[]) => CompletedBody,
): Promise<CompletedList> {
  return runInSlices(completeSteps(list, complete));
}

function* completeSteps(
  list: readonly unknown[],
  complete: (part: readonly unknown[]) => CompletedBody,
): Steps<CompletedList> {
  const body: unknown[] = [];
  const generated = new Set<string>();
  let isChanged = false;
  for (const [part] of splitList(list)) {
    const completed = complete(part);
    isChanged ||= completed.body !== part;
    body.push(...(completed.body as readonly unknown[]));
    for (const pointer of completed.generated) generated.add(pointer);
    yield;
  }
  return { body: isChanged ? body : list, generated: [...generated] };
}

/** The conversions to JSON that are in progress, by list. */
const inProgress = new WeakMap<readonly unknown[], Promise<ListPieces>>();

/**
 * Converts a long list to JSON.
 * Works in slices, between which the server handles other requests.
 * The entries must be JSON values that never change.
 * Concurrent calls with the same list share one conversion.
 */
export function serializeList(list: readonly unknown[]): Promise<ListPieces> {
  const known = inProgress.get(list);
  if (known) return known;
  const pieces = runInSlices(serializeSteps(list)).finally(() => inProgress.delete(list));
  inProgress.set(list, pieces);
  return pieces;
}

function* serializeSteps(list: readonly unknown[]): Steps<ListPieces> {
  const writer = new PieceWriter();
  yield* writer.writeList(list);
  return writer.end();
}

/**
 * Converts a state to JSON.
 * Works in slices, between which the server handles other requests.
 */
export function serializeState(state: State): Promise<ListPieces> {
  return runInSlices(serializeStateSteps(state));
}

function* serializeStateSteps(state: State): Steps<ListPieces> {
  const writer = new PieceWriter();
  let separator = '{';
  for (const [name, list] of Object.entries(state)) {
    writer.write(`${separator}${JSON.stringify(name)}:`);
    yield* writer.writeList(list);
    separator = ',';
  }
  writer.write(separator === '{' ? '{}' : '}');
  return writer.end();
}

/** Splits a text into pieces. */
class PieceWriter {
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #text = '';

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) this.#addPiece();
  }

  *writeList(list: readonly unknown[]): Steps<void> {
    this.write('[');
    for (const [part, start] of splitList(list)) {
      this.write((start === 0 ? '' : ',') + JSON.stringify(part).slice(1, -1));
      yield;
    }
    this.write(']');
  }

  end(): ListPieces {
    this.#addPiece();
    return { pieces: this.#pieces, length: this.#length };
  }

  #addPiece(): void {
    const piece = Buffer.from(this.#text);
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#text = '';
  }
}

/**
 * Sends the pieces as the body of a response, as fast as the client reads them.
 * Returns the text of the first piece.
 */
export function sendPieces(res: ServerResponse, { pieces }: ListPieces): string {
  if (res.req.method === 'HEAD') res.end();
  // If the client closes the connection, the log line of the request says so.
  else pipeline(Readable.from(pieces), res, () => {});
  return (pieces[0] ?? '').toString();
}

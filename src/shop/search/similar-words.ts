import { WORD_LIMIT } from './fold-text.ts';

/** From how many letters on two of them may be wrong, and what was typed may be the misspelt beginning of a word. */
const TWO_TYPOS_LENGTH = 5;
const OPEN_LENGTH = 4;

/** A word, by its place, that is near to what was typed, or of which a beginning is. */
export interface Near {
  readonly place: number;
  readonly isWhole: boolean;
}

/** Cells of a row of distances: one for each beginning of what was typed, the empty one too, and one behind these. */
const WIDTH = WORD_LIMIT + 2;
const rows = new Uint8Array(WIDTH * WIDTH).fill(WIDTH);

/** The letters of what was typed, behind one that is none. */
const codes = new Int32Array(WIDTH).fill(-1);

/** By how many letters the words so far are told from what was typed: of each row the least cell, and the least last cell of it and those before. */
const least = new Uint8Array(WIDTH);
const beginning = new Uint8Array(WIDTH);

/** How many letters of a word may be wrong. */
function typoLimit(word: string): number {
  return word.length >= TWO_TYPOS_LENGTH ? 2 : 1;
}

/**
 * Finds the words that are one or two letters away from what was typed, or of which a beginning is one letter away: letters wrong, missing, too many,
 * or swapped with the next. Words are gone through in the order of a dictionary, so that those with a common beginning share the rows of distances
 * for it, and none is gone into whose beginning is too far already (K. Oflazer, Error-tolerant finite-state recognition, 1996).
 */
export function findSimilarWords(words: readonly string[]): (typed: string) => readonly Near[] {
  const order = Int32Array.from(words.keys()).sort((one, other) => compare(words[one] ?? '', words[other] ?? ''));
  const sharedLengths = Uint8Array.from(order, (place, at) =>
    sharedLength(words[order[at - 1] ?? -1] ?? '', words[place] ?? ''),
  );
  const letters = Int32Array.from(order, (place) => lettersOf(words[place] ?? ''));
  return (typed) => {
    const own = lettersOf(typed);
    const limit = typoLimit(typed);
    const openLimit = typed.length < OPEN_LENGTH ? -1 : 1;
    const found: Near[] = [];
    startRows(typed, limit);
    /** How many letters of the word before were gone through. */
    let depth = 0;
    for (let at = 0; at < order.length; at++) {
      depth = Math.min(depth, sharedLengths[at] as number);
      if (isMore(own & ~(letters[at] as number), limit)) continue;
      const place = order[at] as number;
      const word = words[place] as string;
      while (depth < word.length && !isTooFar(depth, limit)) fillRow(word, ++depth, typed.length, limit);
      const isOpen = (beginning[depth] as number) <= openLimit;
      const isWhole =
        depth === word.length && (rows[depth * WIDTH + typed.length] as number) <= Math.min(limit, typoLimit(word));
      if (isWhole || (isOpen && word.length > typed.length)) found.push({ place, isWhole });
      if (isOpen || !isTooFar(depth, limit)) continue;
      while ((sharedLengths[at + 1] as number) >= depth) at++;
    }
    return found;
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** How many letters two words begin with alike. */
function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** The row of the empty beginning of a word. */
function startRows(typed: string, limit: number): void {
  for (let at = 0; at < typed.length; at++) codes[at + 1] = typed.charCodeAt(at);
  for (let cell = 0; cell <= Math.min(typed.length, limit); cell++) rows[cell] = cell;
  rows[Math.min(typed.length, limit) + 1] = WIDTH;
  least[0] = 0;
  beginning[0] = typed.length <= limit ? typed.length : WIDTH;
}

/** Whether no word with this beginning can be near: neither by this row, nor by letters swapped across it. */
function isTooFar(depth: number, limit: number): boolean {
  return (least[depth] as number) > limit && (depth === 0 || (least[depth - 1] as number) >= limit);
}

/** Fills the row of the first so many letters of a word, in the cells that can be within the limit. */
function fillRow(word: string, depth: number, length: number, limit: number): void {
  const row = depth * WIDTH;
  const before = row - WIDTH;
  const from = Math.max(1, depth - limit);
  const to = Math.min(length, depth + limit);
  const code = word.charCodeAt(depth - 1);
  const codeBefore = depth > 1 ? word.charCodeAt(depth - 2) : -1;
  let left = depth <= limit ? depth : WIDTH;
  let best = left;
  rows[row + from - 1] = left;
  for (let cell = from; cell <= to; cell++) {
    const above = (rows[before + cell] as number) + 1;
    const isSame = codes[cell] === code;
    let distance = (rows[before + cell - 1] as number) + (isSame ? 0 : 1);
    if (above < distance) distance = above;
    if (left + 1 < distance) distance = left + 1;
    if (!isSame && codes[cell] === codeBefore && codes[cell - 1] === code) {
      distance = Math.min(distance, (rows[before - WIDTH + cell - 2] as number) + 1);
    }
    rows[row + cell] = distance;
    left = distance;
    if (distance < best) best = distance;
  }
  rows[row + to + 1] = WIDTH;
  least[depth] = best;
  const last = to === length ? left : WIDTH;
  beginning[depth] = Math.min(beginning[depth - 1] as number, last);
}

/** Whether more bits are set than that (each step clears one: P. Wegner, 1960). */
function isMore(bits: number, limit: number): boolean {
  let left = bits;
  for (let count = 0; count < limit; count++) left &= left - 1;
  return left !== 0;
}

/** The letters of a text as bits; characters beyond a to z share these. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

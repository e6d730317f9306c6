import type { Steps } from '../../util/slices.ts';

/**
 * Returns the indexes of the texts that may contain a string, in ascending order.
 * No text that contains the string is missing, but a few others may be included.
 */
export type Prefilter = (part: string) => readonly number[];

/** The number of texts after which `createPrefilter` yields. */
const STEP_TEXTS = 64;

/** The number of bits in each integer of an `Int32Array`. */
const BITS = 32;

/**
 * Creates a filter that quickly excludes most texts that do not contain a string: a Bloom filter of pairs of adjacent
 * letters (B.
 * Bloom, Space/time trade-offs in hash coding with allowable errors, 1970).
 * `count`: the number of texts.
 * `getText`: returns the text at an index.
 * `wordsPerText`: the number of 32-bit integers per text, about one for every 5 letters.
 */
export function* createPrefilter(
  count: number,
  getText: (index: number) => string,
  wordsPerText: number,
): Steps<Prefilter> {
  // The array contains the first integer of every text, then the second integer of every text, and so on.
  // A search reads one of these rows first, which excludes most texts.
  const filter = new Int32Array(count * wordsPerText);
  const bits = new Int32Array(wordsPerText);
  for (let index = 0; index < count; index++) {
    addPairs(getText(index), bits.fill(0));
    for (let at = 0; at < wordsPerText; at++) filter[at * count + index] = bits[at] as number;
    if (index % STEP_TEXTS === 0) yield;
  }
  return (part) => {
    addPairs(part, bits.fill(0));
    const [first = 0, ...others] = Array.from(bits.keys()).filter((at) => bits[at] !== 0);
    const firstBits = bits[first] as number;
    const firstFilter = filter.subarray(first * count, (first + 1) * count);
    const matchesOthers = (index: number) =>
      others.every((at) => ((bits[at] as number) & ~(filter[at * count + index] as number)) === 0);
    const indexes: number[] = [];
    for (let index = 0; index < count; index++) {
      if ((firstBits & ~(firstFilter[index] as number)) !== 0) continue;
      if (matchesOthers(index)) indexes.push(index);
    }
    return indexes;
  };
}

/** Sets a bit for each pair of adjacent letters in a text. */
function addPairs(text: string, bits: Int32Array): void {
  const range = bits.length * BITS;
  for (let at = 1; at < text.length; at++) {
    const bit = (text.charCodeAt(at - 1) * 37 + text.charCodeAt(at)) % range;
    bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31));
  }
}

import type { Steps } from '../../util/slices.ts';

/** Returns the indexes of the texts that may contain a part, in ascending order. It returns all texts that contain the part, and few others. */
export type Prefilter = (part: string) => readonly number[];

/** The number of texts in a step of the creation. */
const STEP_TEXTS = 64;

/** The number of bits in an element of an Int32Array. */
const BITS = 32;

/**
 * Creates a prefilter: a Bloom filter of pairs of adjacent letters (B. Bloom, Space/time trade-offs in hash coding with allowable errors, 1970).
 * `getText` returns the text of an index from 0 to `count` - 1. The filter of a text has `wordsPerText` integers of 32 bits. A text of n letters needs
 * about n / 5 integers.
 */
export function* createPrefilter(
  count: number,
  getText: (index: number) => string,
  wordsPerText: number,
): Steps<Prefilter> {
  // The filter contains the first integers of all texts, then the second integers of all texts. The first comparison excludes most texts.
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

/** Sets the bit of each pair of adjacent letters of a text. */
function addPairs(text: string, bits: Int32Array): void {
  const range = bits.length * BITS;
  for (let at = 1; at < text.length; at++) {
    const bit = (text.charCodeAt(at - 1) * 37 + text.charCodeAt(at)) % range;
    bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31));
  }
}

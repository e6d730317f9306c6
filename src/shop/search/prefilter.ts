/** Rules out texts, by their places, that can't hold a part that is looked for. */
export interface Prefilter {
  /** The places of the few texts that may hold a part, in their order; all that do are among them. */
  mayHold(part: string): readonly number[];
}

/** How many bits a machine word has, by which pairs of letters are noted. */
const BITS = 32;

/**
 * A sieve for the texts that `textOf` gives for the places from 0 up to `count`. Of each, the pairs of letters that stand side by side are noted in so
 * many machine words, and those pass that have all pairs of the part (B. Bloom, Space/time trade-offs in hash coding with allowable errors, 1970).
 * Texts of n letters want about n / 5 machine words.
 */
export function createPrefilter(count: number, textOf: (place: number) => string, machineWords: number): Prefilter {
  // The first machine word of all texts, then the second of all: what rules a text out is mostly the first one looked at.
  const pairs = new Int32Array(count * machineWords);
  const own = new Int32Array(machineWords);
  for (let place = 0; place < count; place++) {
    notePairs(textOf(place), own.fill(0));
    for (let at = 0; at < machineWords; at++) pairs[at * count + place] = own[at] as number;
  }
  return {
    mayHold(part) {
      notePairs(part, own.fill(0));
      const [first = 0, ...others] = Array.from(own.keys()).filter((at) => own[at] !== 0);
      const firstBits = own[first] as number;
      const firstPairs = pairs.subarray(first * count, (first + 1) * count);
      const hasOthers = (place: number) =>
        others.every((at) => ((own[at] as number) & ~(pairs[at * count + place] as number)) === 0);
      const places: number[] = [];
      for (let place = 0; place < count; place++) {
        if ((firstBits & ~(firstPairs[place] as number)) !== 0) continue;
        if (hasOthers(place)) places.push(place);
      }
      return places;
    },
  };
}

/** Sets the bit of each pair of letters of a text. */
function notePairs(text: string, bits: Int32Array): void {
  const range = bits.length * BITS;
  for (let at = 1; at < text.length; at++) {
    const bit = (text.charCodeAt(at - 1) * 37 + text.charCodeAt(at)) % range;
    bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31));
  }
}

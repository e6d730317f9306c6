/** Letters that are missing, too many or wrong, and letters swapped with the next one: how many of these part a word from another. */
export interface Distances {
  /** From the whole of what was measured. */
  readonly whole: number;
  /** From that beginning of it that is nearest. */
  readonly beginning: number;
}

/** Measures words against one. */
export interface Ruler {
  /** How far the first so many characters of another word are; the same object each time. */
  measure(other: string, length: number): Distances;
  /** Has the next ruler be made. */
  done(): void;
}

const placesOfLetters = new Int32Array(65_536);

/**
 * Measures how far words of at most 31 characters are from one of them, by optimal string alignment: bit-parallel, one step a letter (H. Hyyrö, A
 * bit-vector algorithm for computing Levenshtein and Damerau edit distances, 2003). What is measured with one ruler can't be mixed with another's.
 */
export function rulerFor(word: string): Ruler {
  const last = 1 << (word.length - 1);
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    placesOfLetters[code] = (placesOfLetters[code] ?? 0) | (1 << at);
  }
  const distances = { whole: 0, beginning: 0 };
  return {
    measure(other, length) {
      let ups = -1;
      let downs = 0;
      let diagonal = 0;
      let before = 0;
      let score = word.length;
      let beginning = word.length;
      for (let at = 0; at < length; at++) {
        const here = placesOfLetters[other.charCodeAt(at)] as number;
        const swapped = ((~diagonal & here) << 1) & before;
        diagonal = (((here & ups) + ups) ^ ups) | here | downs | swapped;
        let right = downs | ~(diagonal | ups);
        let left = diagonal & ups;
        if (right & last) score++;
        else if (left & last) score--;
        if (score < beginning) beginning = score;
        right = (right << 1) | 1;
        left <<= 1;
        ups = left | ~(diagonal | right);
        downs = right & diagonal;
        before = here;
      }
      distances.whole = score;
      distances.beginning = beginning;
      return distances;
    },
    done() {
      for (let at = 0; at < word.length; at++) placesOfLetters[word.charCodeAt(at)] = 0;
    },
  };
}

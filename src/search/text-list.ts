/** Texts that are looked through quickly. */
export interface TextList {
  readonly texts: readonly string[];
  /** The letters of each text, as bits. */
  readonly letters: Int32Array;
  /** The places of the texts that hold another one, in their order. */
  holding(text: string): readonly number[];
}

/** Only texts that have all its letters are searched for a text: a step of one machine word rules most of them out. */
export function textList(texts: readonly string[]): TextList {
  const letters = Int32Array.from(texts, lettersOf);
  return {
    texts,
    letters,
    holding(text) {
      const wanted = lettersOf(text);
      const places: number[] = [];
      for (let place = 0; place < letters.length; place++) {
        if ((wanted & ~(letters[place] as number)) === 0 && texts[place]?.includes(text)) places.push(place);
      }
      return places;
    },
  };
}

/** The letters of a text as bits; characters beyond a to z share these, so that a text without a letter of another lacks at least one of it. */
export function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

/** How many bits are set (H. Warren, Hacker's Delight, 2002, section 5–1). */
export function bitsIn(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

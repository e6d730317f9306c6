/** The number of integers in each array of a `NumberList`. */
const CHUNK = 65_536;

/**
 * A list of 32-bit integers that can grow.
 * It consists of arrays of a fixed size, because a single array of millions of integers takes up to 20 ms to grow.
 */
export class NumberList {
  readonly #chunks: Int32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const at = this.#length++ % CHUNK;
    if (at === 0) this.#chunks.push(new Int32Array(CHUNK));
    (this.#chunks.at(-1) as Int32Array)[at] = value;
  }

  /** Returns the integer at an index from 0 to `length` - 1. */
  get(index: number): number {
    return (this.#chunks[Math.floor(index / CHUNK)] as Int32Array)[index % CHUNK] as number;
  }
}

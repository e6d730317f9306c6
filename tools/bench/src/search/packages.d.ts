/** A list of English words, the most popular word first. */
declare module 'popular-english-words' {
  export const words: { getMostPopular(count: number): string[] };
}

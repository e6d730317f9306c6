/** English filler words of a search term, such as "show me the best". A product can match without these words. */
const FILLER_WORDS = new Set(
  [
    'a an the of for from with without and or in on at to by is are am i me my we our you your it its this that some any',
    'best good great nice cheap affordable buy get find show want need needs looking search searching please where can could would like',
  ].flatMap((line) => line.split(' ')),
);

/** Returns the words without filler words such as "the" and "best". If all words are filler words, returns all words. */
export function withoutFillers(words: readonly string[]): readonly string[] {
  const named = words.filter((word) => !FILLER_WORDS.has(word));
  return named.length > 0 ? named : words;
}

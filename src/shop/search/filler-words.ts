/** Words that do not matter in a search term, such as "show me the best". A product can match without them. */
const FILLER_WORDS = new Set(
  [
    'a an the of for from with without and or in on at to by is are am i me my we our you your it its this that some any',
    'best good great nice cheap affordable buy get find show want need needs looking search searching please where can could would like',
  ].flatMap((line) => line.split(' ')),
);

/** Removes filler words such as "the" and "best" from a list. Returns the list unchanged if it has only filler words. */
export function withoutFillers(words: readonly string[]): readonly string[] {
  const named = words.filter((word) => !FILLER_WORDS.has(word));
  return named.length > 0 ? named : words;
}

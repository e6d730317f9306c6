import { endsOf, getConsonants, isHeadAndTail, isWithin, otherNumbersOf } from './abbreviations.ts';
import { getEditCost } from './edit-cost.ts';
import { getPhoneticCode } from './phonetic-code.ts';
import type { Vocabulary, WordId } from './vocabulary.ts';

/** In what way a word is what was typed: the sooner, the better. */
export const TIERS = { exact: 0, number: 1, beginning: 2, inside: 3, misspelt: 4, shortened: 5 } as const;

/** A word that what was typed may mean. */
export interface Candidate {
  readonly id: WordId;
  readonly tier: number;
  /** How far it is from what was typed, within its tier; 0 up to, not including, 4. */
  readonly effort: number;
}

/** The shortest text that is looked for within words, and the shortest that may be misspelt or shortened, in letters. */
const INSIDE_LENGTH = 3;
const TYPO_LENGTH = 3;

/** Fewer letters than these say little: one that slips in them must be easily mistaken. */
const SHORT_OPEN_LENGTH = 5;
const SHORT_OPEN_EFFORT = 0.75;

/** How much more effort than the best of them a candidate may take to be kept. */
const SLACK = 0.45;

/** The most effort that slips take: two letters that are wrong for no reason, but not where one is the first. */
const SLIPS_EFFORT = 2.25;

/** What of the effort a misspelt word takes that isn't complete, for each letter that lacks. */
const OPEN_EFFORT = 0.1;

/** The effort for a word that sounds like what was typed, however it is written, and the most that any is given. */
const SOUND_EFFORT = 1;
const MOST_EFFORT = 3.9;

/** The effort of the other number of a word. */
const NUMBER_EFFORT = 0.05;

/** How much effort may part words that sound alike, how many letters one may have more, and the fewest sounds that count. */
const SOUND_LIMIT = 2.75;
const SOUND_LETTERS = 2;
const SOUND_LENGTH = 3;

/** The effort of a first letter and the end of the word, and how many letters that takes: "bball". */
const INITIAL_EFFORT = 0.25;
const INITIAL_LENGTH = 5;

/** The effort of leaving vowels out, and of head and tail, and what each letter that lacks adds to it. */
const VOWELS_EFFORT = { least: 0.4, letter: 0.1 };
const HEAD_AND_TAIL_EFFORT = { least: 0.6, letter: 0.03 };

/** The words that a typed word may be misspelt or shortened from. */
export function findFuzzyMatches(typed: string, vocabulary: Vocabulary): readonly Candidate[] {
  if (typed.length < TYPO_LENGTH) return [];
  return inBothNumbers(best([...misspelt(typed, vocabulary), ...shortened(typed, vocabulary)]), vocabulary);
}

/** The candidates, and after each its other number: who misspells a plural means the singular too. */
function inBothNumbers(candidates: readonly Candidate[], vocabulary: Vocabulary): readonly Candidate[] {
  const found = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  for (const candidate of candidates) {
    for (const form of otherNumbersOf(vocabulary.words[candidate.id] ?? '')) {
      const id = vocabulary.idOf(form);
      if (id !== undefined && !found.has(id))
        found.set(id, { ...candidate, id, effort: candidate.effort + NUMBER_EFFORT });
    }
  }
  return [...found.values()];
}

/** The effort of the candidate that takes the least; infinite where there is none. */
export function leastEffort(candidates: readonly Candidate[]): number {
  return candidates.reduce((least, { effort }) => Math.min(least, effort), Number.POSITIVE_INFINITY);
}

/** The words that a text is, in one number or the other, that begin with it and that hold it. */
export function asItStands(typed: string, vocabulary: Vocabulary): readonly Candidate[] {
  const { words } = vocabulary;
  const found = new Map<WordId, Candidate>();
  const add = (id: WordId | undefined, tier: number) => {
    if (id === undefined || found.has(id)) return;
    const more = Math.abs((words[id] ?? '').length - typed.length);
    found.set(id, { id, tier, effort: Math.min(more / 8, MOST_EFFORT) });
  };
  add(vocabulary.idOf(typed), TIERS.exact);
  for (const form of otherNumbersOf(typed)) add(vocabulary.idOf(form), TIERS.number);
  for (const id of vocabulary.beginningWith(typed)) add(id, TIERS.beginning);
  if (typed.length >= INSIDE_LENGTH) for (const id of vocabulary.holding(typed)) add(id, TIERS.inside);
  return [...found.values()];
}

function misspelt(typed: string, vocabulary: Vocabulary): readonly Candidate[] {
  const { words } = vocabulary;
  const found: Candidate[] = [];
  const add = (id: WordId, effort: number) =>
    found.push({ id, tier: TIERS.misspelt, effort: Math.min(effort, MOST_EFFORT) });
  for (const { place: id, isWhole } of vocabulary.nearTo(typed)) {
    const word = words[id] ?? '';
    if (isWhole) {
      const effort = getEditCost(typed, word, false);
      if (effort <= SLIPS_EFFORT) add(id, effort);
    } else {
      const effort = getEditCost(typed, word.slice(0, typed.length + 1), true);
      if (typed.length < SHORT_OPEN_LENGTH && effort > SHORT_OPEN_EFFORT) continue;
      add(id, effort + OPEN_EFFORT * (word.length - typed.length + 1));
    }
  }
  return [...found, ...soundingLike(typed, vocabulary)];
}

/** The words that sound like what was typed and aren't written all too differently. */
function soundingLike(typed: string, vocabulary: Vocabulary): readonly Candidate[] {
  const sound = getPhoneticCode(typed);
  if (sound.length < SOUND_LENGTH) return [];
  return vocabulary.sounding(sound).flatMap((id) => {
    const word = vocabulary.words[id] ?? '';
    const effort = getEditCost(typed, word, false);
    return effort > SOUND_LIMIT || Math.abs(word.length - typed.length) > SOUND_LETTERS
      ? []
      : [{ id, tier: TIERS.misspelt, effort: Math.min(effort, SOUND_EFFORT) }];
  });
}

function shortened(typed: string, vocabulary: Vocabulary): readonly Candidate[] {
  return [
    ...vocabulary.withSkeleton(getConsonants(typed)).flatMap((id) => withoutVowels(typed, id, vocabulary)),
    ...vocabulary.withSkeleton(getConsonants(`${typed}s`)).flatMap((id) => withoutVowels(typed, id, vocabulary)),
    ...vocabulary.withEnds(endsOf(typed)).flatMap((id) => headAndTail(typed, id, vocabulary)),
  ];
}

function withoutVowels(typed: string, id: WordId, { words }: Vocabulary): readonly Candidate[] {
  const lacking = (words[id] ?? '').length - typed.length;
  if (lacking <= 0 || !isWithin(typed, words[id] ?? '')) return [];
  return [{ id, tier: TIERS.shortened, effort: VOWELS_EFFORT.least + VOWELS_EFFORT.letter * lacking }];
}

function headAndTail(typed: string, id: WordId, { words }: Vocabulary): readonly Candidate[] {
  const word = words[id] ?? '';
  if (!isHeadAndTail(typed, word)) return [];
  // One letter and then what ends a word is a known way to shorten it: as good as a slip.
  if (typed.length >= INITIAL_LENGTH && word.endsWith(typed.slice(1))) {
    return [{ id, tier: TIERS.misspelt, effort: INITIAL_EFFORT }];
  }
  const { least, letter } = HEAD_AND_TAIL_EFFORT;
  return [{ id, tier: TIERS.shortened, effort: least + letter * (word.length - typed.length) }];
}

/** The candidates that take hardly more effort than the best, each word once. */
function best(candidates: readonly Candidate[]): readonly Candidate[] {
  const least = new Map<WordId, Candidate>();
  let limit = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const known = least.get(candidate.id);
    if (!known || candidate.effort < known.effort) least.set(candidate.id, candidate);
    limit = Math.min(limit, candidate.effort + SLACK);
  }
  return [...least.values()].filter(({ effort }) => effort <= limit);
}

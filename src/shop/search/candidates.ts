import { getConsonants, getEnds, getNumberForms, isHeadAndTail, isSubsequence } from './abbreviations.ts';
import { getEditCost } from './edit-cost.ts';
import { getPhoneticCode } from './phonetic-code.ts';
import type { Vocabulary, WordId } from './vocabulary.ts';

/** The ways in which a word can match a search word, the most relevant first. */
export const TIERS = { exact: 0, number: 1, prefix: 2, infix: 3, misspelled: 4, abbreviated: 5 } as const;

/** A word of the vocabulary that a search word may mean. */
export interface Candidate {
  readonly id: WordId;
  readonly tier: number;
  /** The distance between the search word and the word within the tier: at least 0 and less than 4. */
  readonly distance: number;
}

/** The minimum lengths of a search word for an infix match and for a fuzzy match, in letters. */
const INFIX_LENGTH = 3;
const TYPO_LENGTH = 3;

/** A shorter misspelled prefix must be closer: few letters say little. */
const SHORT_PREFIX_LENGTH = 5;
const SHORT_PREFIX_DISTANCE = 0.75;

/** The maximum difference between the distances of a candidate and of the best one. */
const MAX_DIFFERENCE = 0.45;

/** The maximum edit distance: two unlikely substitutions, but not of the first letter. */
const MAX_EDIT_DISTANCE = 2.25;

/** Added to the distance of a misspelled prefix for each missing letter. */
const MISSING_LETTER_DISTANCE = 0.1;

/** The maximum distance of a word that sounds like the search word, and that of any candidate. */
const PHONETIC_DISTANCE = 1;
const MAX_DISTANCE = 3.9;

/** Added to the distance of a number form of a candidate. */
const NUMBER_DISTANCE = 0.05;

/** Limits of phonetic matches: the maximum edit distance and difference of length, and the minimum length of the phonetic code. */
const PHONETIC_EDIT_DISTANCE = 2.75;
const PHONETIC_LENGTH_DIFFERENCE = 2;
const PHONETIC_CODE_LENGTH = 3;

/** The distance of a first letter followed by the end of a word, such as "bball", and its minimum length. */
const INITIAL_DISTANCE = 0.25;
const INITIAL_LENGTH = 5;

/** The distances of abbreviations: a minimum, and what each missing letter adds. */
const VOWELS_DISTANCE = { minimum: 0.4, perLetter: 0.1 };
const HEAD_AND_TAIL_DISTANCE = { minimum: 0.6, perLetter: 0.03 };

/** Returns the words that a search word may be a misspelling or an abbreviation of. */
export function findFuzzyMatches(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  if (searchWord.length < TYPO_LENGTH) return [];
  const candidates = [...findMisspelled(searchWord, vocabulary), ...findAbbreviated(searchWord, vocabulary)];
  return addNumberForms(keepBest(candidates), vocabulary);
}

/** Adds singulars and plurals of the candidates: a misspelled plural matches the singular too. */
function addNumberForms(candidates: readonly Candidate[], vocabulary: Vocabulary): readonly Candidate[] {
  const all = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  for (const candidate of candidates) {
    for (const form of getNumberForms(vocabulary.words[candidate.id] ?? '')) {
      const id = vocabulary.getId(form);
      if (id !== undefined && !all.has(id))
        all.set(id, { ...candidate, id, distance: candidate.distance + NUMBER_DISTANCE });
    }
  }
  return [...all.values()];
}

/** Returns the distance of the closest candidate; infinity if there is none. */
export function getLowestDistance(candidates: readonly Candidate[]): number {
  return candidates.reduce((lowest, { distance }) => Math.min(lowest, distance), Number.POSITIVE_INFINITY);
}

/** Returns the words that equal a search word or one of its number forms, start with it or contain it. */
export function findLiteralMatches(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  const { words } = vocabulary;
  const candidates = new Map<WordId, Candidate>();
  const add = (id: WordId | undefined, tier: number) => {
    if (id === undefined || candidates.has(id)) return;
    const lengthDifference = Math.abs((words[id] ?? '').length - searchWord.length);
    candidates.set(id, { id, tier, distance: Math.min(lengthDifference / 8, MAX_DISTANCE) });
  };
  add(vocabulary.getId(searchWord), TIERS.exact);
  for (const form of getNumberForms(searchWord)) add(vocabulary.getId(form), TIERS.number);
  for (const id of vocabulary.findByPrefix(searchWord)) add(id, TIERS.prefix);
  if (searchWord.length >= INFIX_LENGTH) for (const id of vocabulary.findByInfix(searchWord)) add(id, TIERS.infix);
  return [...candidates.values()];
}

function findMisspelled(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  const { words } = vocabulary;
  const candidates: Candidate[] = [];
  const add = (id: WordId, distance: number) =>
    candidates.push({ id, tier: TIERS.misspelled, distance: Math.min(distance, MAX_DISTANCE) });
  for (const { id, isWhole } of vocabulary.findSimilar(searchWord)) {
    const word = words[id] ?? '';
    if (isWhole) {
      const distance = getEditCost(searchWord, word, false);
      if (distance <= MAX_EDIT_DISTANCE) add(id, distance);
    } else {
      const distance = getEditCost(searchWord, word.slice(0, searchWord.length + 1), true);
      if (searchWord.length < SHORT_PREFIX_LENGTH && distance > SHORT_PREFIX_DISTANCE) continue;
      add(id, distance + MISSING_LETTER_DISTANCE * (word.length - searchWord.length + 1));
    }
  }
  return [...candidates, ...findSoundalikes(searchWord, vocabulary)];
}

/** Returns the words that sound like a search word and have a similar spelling. */
function findSoundalikes(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  const code = getPhoneticCode(searchWord);
  if (code.length < PHONETIC_CODE_LENGTH) return [];
  return vocabulary.findByPhoneticCode(code).flatMap((id) => {
    const word = vocabulary.words[id] ?? '';
    const distance = getEditCost(searchWord, word, false);
    return distance > PHONETIC_EDIT_DISTANCE || Math.abs(word.length - searchWord.length) > PHONETIC_LENGTH_DIFFERENCE
      ? []
      : [{ id, tier: TIERS.misspelled, distance: Math.min(distance, PHONETIC_DISTANCE) }];
  });
}

function findAbbreviated(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  const byConsonants = [searchWord, `${searchWord}s`].flatMap((form) =>
    vocabulary.findByConsonants(getConsonants(form)),
  );
  const byEnds = vocabulary.findByEnds(getEnds(searchWord));
  return [
    ...byConsonants.flatMap((id) => matchWithoutVowels(searchWord, id, vocabulary)),
    ...byEnds.flatMap((id) => matchHeadAndTail(searchWord, id, vocabulary)),
  ];
}

function matchWithoutVowels(searchWord: string, id: WordId, { words }: Vocabulary): readonly Candidate[] {
  const missingLetters = (words[id] ?? '').length - searchWord.length;
  if (missingLetters <= 0 || !isSubsequence(searchWord, words[id] ?? '')) return [];
  const { minimum, perLetter } = VOWELS_DISTANCE;
  return [{ id, tier: TIERS.abbreviated, distance: minimum + perLetter * missingLetters }];
}

function matchHeadAndTail(searchWord: string, id: WordId, { words }: Vocabulary): readonly Candidate[] {
  const word = words[id] ?? '';
  if (!isHeadAndTail(searchWord, word)) return [];
  // One letter and the end of a word is a common abbreviation: as close as a typo.
  if (searchWord.length >= INITIAL_LENGTH && word.endsWith(searchWord.slice(1))) {
    return [{ id, tier: TIERS.misspelled, distance: INITIAL_DISTANCE }];
  }
  const { minimum, perLetter } = HEAD_AND_TAIL_DISTANCE;
  return [{ id, tier: TIERS.abbreviated, distance: minimum + perLetter * (word.length - searchWord.length) }];
}

/** Returns the candidates that are almost as close as the best one, each word once. */
function keepBest(candidates: readonly Candidate[]): readonly Candidate[] {
  const closest = new Map<WordId, Candidate>();
  for (const candidate of candidates) {
    const known = closest.get(candidate.id);
    if (!known || candidate.distance < known.distance) closest.set(candidate.id, candidate);
  }
  const limit = getLowestDistance(candidates) + MAX_DIFFERENCE;
  return [...closest.values()].filter(({ distance }) => distance <= limit);
}

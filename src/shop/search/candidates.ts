import { getConsonants, getEnds, getNumberForms, isHeadAndTail, isSubsequence } from './abbreviations.ts';
import { getEditCost } from './edit-cost.ts';
import { getPhoneticCode } from './phonetic-code.ts';
import { type Candidate, MATCH_RANKS } from './ranking.ts';
import type { Vocabulary, WordId } from './vocabulary.ts';

/** The minimum length of a search word for an infix match, in letters. */
const INFIX_LENGTH = 3;

/** The minimum length of a search word for a fuzzy match, in letters. */
const TYPO_LENGTH = 3;

/**
 * The minimum length of a search word for a misspelled prefix with any distance, in letters. A shorter search word matches only prefixes with a
 * distance of at most `SHORT_PREFIX_DISTANCE`.
 */
const SHORT_PREFIX_LENGTH = 5;
const SHORT_PREFIX_DISTANCE = 0.75;

/** The maximum difference between the distance of a candidate and the lowest distance. */
const MAX_DIFFERENCE = 0.45;

/** The maximum edit cost of a misspelled word. It allows two unlikely substitutions, but not of the first letter. */
const MAX_EDIT_DISTANCE = 2.25;

/** The additional distance of a misspelled prefix for each missing letter. */
const MISSING_LETTER_DISTANCE = 0.1;

/** The maximum distance of a candidate. */
const MAX_DISTANCE = 3.9;

/** The additional distance of a singular or plural of a candidate. */
const NUMBER_DISTANCE = 0.05;

/** The limits of a phonetic match. A word that sounds like the search word and exceeds a limit does not match. */
const PHONETIC = { maxDistance: 1, maxEditCost: 2.75, maxLengthDifference: 2, minCodeLength: 3 };

/** The distance and the minimum length of an abbreviation that consists of the first letter and the end of a word, such as "bball". */
const INITIAL = { distance: 0.25, minLength: 5 };

/** The distance of an abbreviation without vowels: a minimum, and an addition for each missing letter. */
const VOWELS_DISTANCE = { minimum: 0.4, perLetter: 0.1 };

/** The distance of an abbreviation that is the head and the tail of a word: a minimum, and an addition for each missing letter. */
const HEAD_AND_TAIL_DISTANCE = { minimum: 0.6, perLetter: 0.03 };

/** Returns the words of the vocabulary that a search word may misspell or abbreviate. */
export function findFuzzyMatches(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  if (searchWord.length < TYPO_LENGTH) return [];
  const candidates = [...findMisspelled(searchWord, vocabulary), ...findAbbreviated(searchWord, vocabulary)];
  return addNumberForms(selectClosest(candidates), vocabulary);
}

/** Adds the singulars and plurals of the candidates, so that a misspelled plural also matches the singular. */
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

/** Returns the lowest distance of the candidates, or infinity if there are no candidates. */
export function getLowestDistance(candidates: readonly Candidate[]): number {
  return candidates.reduce((lowest, { distance }) => Math.min(lowest, distance), Number.POSITIVE_INFINITY);
}

/**
 * Returns the literal matches of a search word: the equal word, its singulars and plurals, the words that start with the search word, and the words
 * that contain it.
 */
export function findLiteralMatches(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  const { words } = vocabulary;
  const candidates = new Map<WordId, Candidate>();
  const add = (id: WordId | undefined, rank: number) => {
    if (id === undefined || candidates.has(id)) return;
    const lengthDifference = Math.abs((words[id] ?? '').length - searchWord.length);
    candidates.set(id, { id, rank, distance: Math.min(lengthDifference / 8, MAX_DISTANCE) });
  };
  add(vocabulary.getId(searchWord), MATCH_RANKS.exact);
  for (const form of getNumberForms(searchWord)) add(vocabulary.getId(form), MATCH_RANKS.number);
  for (const id of vocabulary.findByPrefix(searchWord)) add(id, MATCH_RANKS.prefix);
  if (searchWord.length >= INFIX_LENGTH)
    for (const id of vocabulary.findByInfix(searchWord)) add(id, MATCH_RANKS.infix);
  return [...candidates.values()];
}

function findMisspelled(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  const { words } = vocabulary;
  const candidates: Candidate[] = [];
  const add = (id: WordId, distance: number) =>
    candidates.push({ id, rank: MATCH_RANKS.misspelled, distance: Math.min(distance, MAX_DISTANCE) });
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
  if (code.length < PHONETIC.minCodeLength) return [];
  return vocabulary.findByPhoneticCode(code).flatMap((id) => {
    const word = vocabulary.words[id] ?? '';
    const distance = getEditCost(searchWord, word, false);
    const lengthDifference = Math.abs(word.length - searchWord.length);
    if (distance > PHONETIC.maxEditCost || lengthDifference > PHONETIC.maxLengthDifference) return [];
    return [{ id, rank: MATCH_RANKS.misspelled, distance: Math.min(distance, PHONETIC.maxDistance) }];
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
  return [{ id, rank: MATCH_RANKS.abbreviated, distance: minimum + perLetter * missingLetters }];
}

function matchHeadAndTail(searchWord: string, id: WordId, { words }: Vocabulary): readonly Candidate[] {
  const word = words[id] ?? '';
  if (!isHeadAndTail(searchWord, word)) return [];
  // This kind of abbreviation is common, so it has the rank of a misspelling.
  if (searchWord.length >= INITIAL.minLength && word.endsWith(searchWord.slice(1))) {
    return [{ id, rank: MATCH_RANKS.misspelled, distance: INITIAL.distance }];
  }
  const { minimum, perLetter } = HEAD_AND_TAIL_DISTANCE;
  return [{ id, rank: MATCH_RANKS.abbreviated, distance: minimum + perLetter * (word.length - searchWord.length) }];
}

/** Returns the candidates with a distance close to the lowest distance. Each word occurs once. */
function selectClosest(candidates: readonly Candidate[]): readonly Candidate[] {
  const closest = new Map<WordId, Candidate>();
  for (const candidate of candidates) {
    const known = closest.get(candidate.id);
    if (!known || candidate.distance < known.distance) closest.set(candidate.id, candidate);
  }
  const limit = getLowestDistance(candidates) + MAX_DIFFERENCE;
  return [...closest.values()].filter(({ distance }) => distance <= limit);
}

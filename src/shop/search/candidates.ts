import { isUnspaced } from './fold-text.ts';
import type { WordId } from './postings.ts';
import { type Candidate, MATCH_RANKS } from './ranking.ts';
import {
  getConsonants,
  getEnds,
  getNumberForms,
  getPhoneticCode,
  isHeadAndTail,
  isSubsequence,
} from './similar-words.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * The cost of each kind of spelling difference between two words.
 * A likely typing error, such as a doubled letter, costs less than an unlikely error.
 */
const COST = {
  substitution: 1,
  adjacentKey: 0.7,
  vowel: 0.5,
  similarSound: 0.5,
  transposition: 0.5,
  doubledLetter: 0.3,
  vowelGap: 0.7,
  gap: 0.95,
  /** The additional cost of an error in the first letter of a word, because users seldom misspell the first letter. */
  firstLetter: 0.35,
} as const;

const VOWELS = 'aeiouy';

/** Pairs of letters that can represent the same sound. */
const SIMILAR_LETTERS = ['ck', 'cs', 'sz', 'kq', 'gj', 'fv', 'pb', 'td', 'mn', 'iy', 'vw', 'xs', 'xz', 'gk'];
const KEYBOARD_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

const FIRST_CODE = 'a'.charCodeAt(0);
const LETTERS = 26;

/** The cost of replacing one letter with another, as a table with 26 rows and 26 columns. */
const substitutionCosts = new Float64Array(LETTERS * LETTERS).fill(COST.substitution);
for (const keys of KEYBOARD_ROWS)
  for (let at = 1; at < keys.length; at++) setSubstitutionCost(keys.charAt(at - 1), keys.charAt(at), COST.adjacentKey);
for (const vowel of VOWELS) for (const other of VOWELS) setSubstitutionCost(vowel, other, COST.vowel);
for (const pair of SIMILAR_LETTERS) setSubstitutionCost(pair.charAt(0), pair.charAt(1), COST.similarSound);

function setSubstitutionCost(letter: string, other: string, cost: number): void {
  const [row, column] = [letter.charCodeAt(0) - FIRST_CODE, other.charCodeAt(0) - FIRST_CODE];
  substitutionCosts[row * LETTERS + column] = cost;
  substitutionCosts[column * LETTERS + row] = cost;
}

/** The number of cells in a row of the edit distance table. It is greater than the maximum length of a word. */
const WIDTH = 64;
const table = new Float64Array(WIDTH * WIDTH);

/**
 * Returns the weighted edit distance between a search word and a word: the lowest total cost of substitutions,
 * insertions, deletions and transpositions.
 * With `isPrefix`, returns the lowest distance between the search word and any prefix of the word.
 * Both words have at most 63 characters.
 * The algorithm is R.
 * Wagner and M.
 * Fischer, The string-to-string correction problem, 1974, with weights.
 */
export function getEditCost(searchWord: string, word: string, isPrefix: boolean): number {
  table[0] = 0;
  for (let column = 1; column <= word.length; column++)
    table[column] = getCell(0, column - 1) + getGapCost(word, column - 1);
  for (let row = 1; row <= searchWord.length; row++) fillRow(searchWord, row, word);
  if (!isPrefix) return getCell(searchWord.length, word.length);
  let lowest = Number.POSITIVE_INFINITY;
  for (let column = 0; column <= word.length; column++) lowest = Math.min(lowest, getCell(searchWord.length, column));
  return lowest;
}

function fillRow(searchWord: string, row: number, word: string): void {
  const insertionCost = getGapCost(searchWord, row - 1);
  table[row * WIDTH] = getCell(row - 1, 0) + insertionCost;
  for (let column = 1; column <= word.length; column++) {
    let lowest = Math.min(
      getCell(row - 1, column) + insertionCost,
      getCell(row, column - 1) + getGapCost(word, column - 1),
      getCell(row - 1, column - 1) + getSubstitutionCost(searchWord, row - 1, word, column - 1),
    );
    if (isTransposed(searchWord, row - 1, word, column - 1)) {
      const cost = COST.transposition + (row === 2 && column === 2 ? COST.firstLetter : 0);
      lowest = Math.min(lowest, getCell(row - 2, column - 2) + cost);
    }
    table[row * WIDTH + column] = lowest;
  }
}

function getCell(row: number, column: number): number {
  return table[row * WIDTH + column] as number;
}

function isTransposed(searchWord: string, row: number, word: string, column: number): boolean {
  return (
    row > 0 &&
    column > 0 &&
    searchWord.charCodeAt(row) === word.charCodeAt(column - 1) &&
    searchWord.charCodeAt(row - 1) === word.charCodeAt(column)
  );
}

function getSubstitutionCost(searchWord: string, row: number, word: string, column: number): number {
  const [letter, other] = [searchWord.charCodeAt(row) - FIRST_CODE, word.charCodeAt(column) - FIRST_CODE];
  if (letter === other) return 0;
  const isKnown = letter >= 0 && letter < LETTERS && other >= 0 && other < LETTERS;
  const cost = isKnown ? (substitutionCosts[letter * LETTERS + other] as number) : COST.substitution;
  return column === 0 && row === 0 ? cost + COST.firstLetter : cost;
}

/** Returns the cost of inserting or deleting the letter at index `at` of a word. */
function getGapCost(word: string, at: number): number {
  const code = word.charCodeAt(at);
  if (code === word.charCodeAt(at - 1) || code === word.charCodeAt(at + 1)) return COST.doubledLetter;
  const cost = VOWELS.includes(word.charAt(at)) ? COST.vowelGap : COST.gap;
  return at === 0 ? cost + COST.firstLetter : cost;
}

/**
 * The minimum length of a search word that also matches inside other words: "board" matches "cupboard".
 * Scripts without spaces between words, such as Chinese, have no minimum.
 */
const INFIX_LENGTH = 3;

/**
 * The minimum length of a search word that also matches similar words.
 * A shorter search word is never treated as a misspelling or an abbreviation.
 */
const TYPO_LENGTH = 3;

/** A search word with fewer letters than this must be nearly equal to the start of a longer word to match that word. */
const SHORT_PREFIX_LENGTH = 5;

/** The maximum edit distance between a short search word and the start of a word that it matches. */
const SHORT_PREFIX_DISTANCE = 0.75;

/** A misspelled match is dropped if its distance is more than this value above the lowest distance of all matches. */
const MAX_DIFFERENCE = 0.45;

/**
 * The maximum weighted edit distance of a misspelled word.
 * It allows two wrong letters, but not if one of them is the first letter.
 */
const MAX_EDIT_DISTANCE = 2.25;

/** The distance that each missing letter adds if a search word is the misspelled start of a longer word. */
const MISSING_LETTER_DISTANCE = 0.1;

/**
 * The maximum distance (difference in spelling) between a search word and a matching word.
 * A greater distance is reduced to this value.
 */
const MAX_DISTANCE = 3.9;

/** The distance between a word and its plural or singular. */
const NUMBER_DISTANCE = 0.05;

/**
 * The limits for a word that sounds like the search word.
 * A word with a higher edit cost or length difference does not match.
 * A distance above `maxDistance` is reduced to `maxDistance`.
 * `minCodeLength`: the minimum length of the phonetic code of the search word.
 */
const PHONETIC = { maxDistance: 1, maxEditCost: 2.75, maxLengthDifference: 2, minCodeLength: 3 };

/**
 * An abbreviation that consists of the first letter and the end of a word, such as "bball" for "basketball".
 * `distance`: its distance from the word.
 * `minLength`: its minimum length.
 */
const INITIAL = { distance: 0.25, minLength: 5 };

/**
 * The distance of an abbreviation without vowels, such as "bsktbl" for "basketball".
 * It is `minimum`, plus `perLetter` for each missing letter.
 */
const VOWELS_DISTANCE = { minimum: 0.4, perLetter: 0.1 };

/**
 * The distance of an abbreviation that consists of the start and the end of a word, such as "baskball".
 * It is `minimum`, plus `perLetter` for each missing letter.
 */
const HEAD_AND_TAIL_DISTANCE = { minimum: 0.6, perLetter: 0.03 };

/**
 * Returns the words in the product texts that a search word may misspell or abbreviate.
 * Ignores words for which `isCandidate` returns false.
 */
export function findFuzzyMatches(
  searchWord: string,
  vocabulary: Vocabulary,
  isCandidate: (id: WordId) => boolean = () => true,
): readonly Candidate[] {
  if (searchWord.length < TYPO_LENGTH) return [];
  const candidates = [...findMisspelled(searchWord, vocabulary), ...findAbbreviated(searchWord, vocabulary)].filter(
    ({ id }) => isCandidate(id),
  );
  return addNumberForms(selectClosest(candidates), vocabulary);
}

/** Adds the singulars and plurals of the matching words, so that a misspelled plural also finds the singular. */
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

/**
 * Returns the lowest distance between a search word and the words that match it (`candidates`).
 * Returns infinity if there are no candidates.
 */
export function getLowestDistance(candidates: readonly Candidate[]): number {
  return candidates.reduce((lowest, { distance }) => Math.min(lowest, distance), Number.POSITIVE_INFINITY);
}

/** Finds a search word, its singular and its plural among the words in the product texts. */
export function findWordForms(searchWord: string, { getId }: Vocabulary): readonly Candidate[] {
  const id = getId(searchWord);
  const forms = getNumberForms(searchWord).flatMap((form) => getId(form) ?? []);
  return [
    ...(id === undefined ? [] : [{ id, rank: MATCH_RANKS.exact, distance: 0 }]),
    ...forms.map((form) => ({ id: form, rank: MATCH_RANKS.number, distance: NUMBER_DISTANCE })),
  ];
}

/**
 * Returns the words in the product texts that match a search word without a misspelling.
 * These are the word itself, its singulars and plurals, words that start with it, and words that contain it.
 */
export function findLiteralMatches(searchWord: string, vocabulary: Vocabulary): readonly Candidate[] {
  const { words } = vocabulary;
  const candidates = new Map(findWordForms(searchWord, vocabulary).map((candidate) => [candidate.id, candidate]));
  const add = (id: WordId, rank: number) => {
    if (candidates.has(id)) return;
    const lengthDifference = Math.abs((words[id] ?? '').length - searchWord.length);
    candidates.set(id, { id, rank, distance: Math.min(lengthDifference / 8, MAX_DISTANCE) });
  };
  for (const id of vocabulary.findByPrefix(searchWord)) add(id, MATCH_RANKS.prefix);
  if (searchWord.length >= INFIX_LENGTH || isUnspaced(searchWord))
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

/** Returns the words in the product texts that sound like a search word and have a similar spelling. */
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
  // An abbreviation such as "bball" is common, so it has the rank of a misspelling, which is better than the rank of
  // other abbreviations.
  if (searchWord.length >= INITIAL.minLength && word.endsWith(searchWord.slice(1))) {
    return [{ id, rank: MATCH_RANKS.misspelled, distance: INITIAL.distance }];
  }
  const { minimum, perLetter } = HEAD_AND_TAIL_DISTANCE;
  return [{ id, rank: MATCH_RANKS.abbreviated, distance: minimum + perLetter * (word.length - searchWord.length) }];
}

/**
 * Returns each word once, with its lowest distance.
 * Drops words that are more than `MAX_DIFFERENCE` farther from the search word than the closest word.
 */
function selectClosest(candidates: readonly Candidate[]): readonly Candidate[] {
  const closest = new Map<WordId, Candidate>();
  for (const candidate of candidates) {
    const known = closest.get(candidate.id);
    if (!known || candidate.distance < known.distance) closest.set(candidate.id, candidate);
  }
  const limit = getLowestDistance(candidates) + MAX_DIFFERENCE;
  return [...closest.values()].filter(({ distance }) => distance <= limit);
}

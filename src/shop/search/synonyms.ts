import { UserError } from '../../util/issue.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import { foldText, splitWords } from './fold-text.ts';
import { getNumberForms } from './similar-words.ts';

/**
 * Returns the synonyms of a text, or of its singular or plural.
 * `text`: one or more words in lower case and without accents, separated by single spaces.
 * Each synonym is a list of words: "mobile" has the synonyms `[['cell', 'phone']]`.
 */
export type Synonyms = (text: string) => readonly (readonly string[])[];

/** Returns no synonyms for any text. The search uses it if there is no file of synonyms. */
export const NO_SYNONYMS: Synonyms = () => [];

/** The maximum number of words in a synonym, such as two in "cell phone". */
export const MAX_SYNONYM_WORDS = 6;

/**
 * Parses a JSON file of synonyms, such as `[["sofa", "couch"]]`.
 * Each inner list has words or phrases with the same meaning.
 * Throws a `UserError` with the file name and the JSON Pointer of the error if the file is invalid.
 * `text`: the content of the file.
 * `file`: its name.
 */
export function parseSynonyms(text: string, file: string): Synonyms {
  const refuse = (problem: string): never => {
    throw new UserError(
      `Invalid synonyms in ${file}: ${problem}. An example: [["sofa", "couch"], ["cell phone", "mobile"]]`,
    );
  };
  const groups = tryOrUndefined((): unknown => JSON.parse(text));
  if (!Array.isArray(groups)) return refuse('it is not a JSON list of lists');
  const others = new Map<string, (readonly string[])[]>();
  for (const [at, group] of groups.entries()) {
    if (!Array.isArray(group) || group.length < 2) return refuse(`/${at} must be a list of at least two words`);
    const phrases = group.map(
      (phrase, index) => parsePhrase(phrase) ?? refuse(`/${at}/${index} must be one to ${MAX_SYNONYM_WORDS} words`),
    );
    for (const phrase of phrases) {
      const key = phrase.join(' ');
      const same = phrases.filter((other) => other.join(' ') !== key);
      others.set(key, [...(others.get(key) ?? []), ...same]);
    }
  }
  return (words) => [words, ...getNumberForms(words)].flatMap((form) => others.get(form) ?? []);
}

function parsePhrase(phrase: unknown): readonly string[] | undefined {
  const words = typeof phrase === 'string' ? splitWords(foldText(phrase)) : [];
  return words.length > 0 && words.length <= MAX_SYNONYM_WORDS ? words : undefined;
}

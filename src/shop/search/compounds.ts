import { truncate } from './fold-text.ts';
import { findMeasures } from './measures.ts';

/** Matches words that are joined by hyphens or dots, such as "t-shirt". Also matches decimal numbers such as "1.5l". */
const COMPOUND = /[\p{L}\p{N}]+(?:[-.][\p{L}\p{N}]+)+/gu;

/** Matches a decimal number such as "1.5l", which is not a compound. */
const DECIMAL = /^\d+\.\d+\p{L}*$/u;

/**
 * Returns the compounds in a text, each as a single word ("tshirt" for "t-shirt"), and the measures in the text ("6ft" for "6-foot"). The text must be in lower
 * case and without accents.
 */
export function findCompounds(foldedText: string): readonly string[] {
  if (!/[-.\d]/.test(foldedText)) return [];
  const compounds = (foldedText.match(COMPOUND) ?? []).filter((text) => !DECIMAL.test(text));
  const joined = compounds.map((text) => truncate(text.replaceAll(/[-.]/g, '')));
  return [...joined, ...findMeasures(foldedText).map(({ word }) => word)];
}

import { createRandom } from '../../../../src/util/random.ts';
import type { TitledItem } from './data.ts';
import { wordsIn } from './facts.ts';

/** A text that a shopper has typed so far, and the product that the shopper is looking for. */
export interface TypedPrefix {
  readonly term: string;
  readonly meant: TitledItem;
  readonly isHeldOut: boolean;
}

const COUNT = 150;
const SEED = 77;
/** The minimum and the maximum length of a prefix, in characters. */
const LENGTHS = { least: 3, most: 20 };
/** The maximum number of titles that can contain the complete text. */
const MAX_TITLES = 3;

/** The maximum number of titles that can contain a prefix. With more titles, ten results can't show whether the ranking is good. */
const MAX_MATCHING = 50;

/**
 * Creates the prefixes of 150 random texts. Each text consists of two or three adjacent words of a title, and is in at most three titles. The prefixes have
 * 3 to 20 characters, and each prefix is at the beginning of a word in at most 50 titles.
 */
export function makePrefixes(items: readonly TitledItem[]): readonly TypedPrefix[] {
  const random = createRandom(SEED);
  const texts = items.map(({ name }) => wordsIn(name).join(' '));
  const made: TypedPrefix[] = [];
  for (let count = 0; count < COUNT; ) {
    const at = random.integer(0, items.length - 1);
    const words = (texts[at] ?? '').split(' ');
    const from = random.integer(0, Math.max(0, words.length - 2));
    const text = words.slice(from, from + random.integer(2, 3)).join(' ');
    const isDistinct = text.length >= 6 && texts.filter((other) => other.includes(text)).length <= MAX_TITLES;
    if (!isDistinct || (words[from]?.length ?? 0) < LENGTHS.least) continue;
    const isHeldOut = count++ % 2 === 1;
    for (let length = LENGTHS.least; length <= Math.min(text.length, LENGTHS.most); length++) {
      const term = text.slice(0, length);
      if (term.endsWith(' ') || texts.filter((other) => ` ${other}`.includes(` ${term}`)).length > MAX_MATCHING)
        continue;
      made.push({ term, meant: items[at] as TitledItem, isHeldOut });
    }
  }
  return made;
}

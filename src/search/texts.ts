import type { Product } from '../contract/operation.ts';
import { folded } from './fold.ts';
import { type TextList, textList } from './text-list.ts';

/** Names and keywords as texts, in which more than a word can be looked for. */
export interface Texts {
  /** The products, by their places, whose name or joined keywords hold a text as it is written. */
  holding(text: string): readonly number[];
  /** Those whose keywords hold it where the end of one and the start of the next run together, so many letters of each at least. */
  runningTogether(text: string, least: number): readonly number[];
}

/** The names of all products and their keywords, these joined by a comma (interface, search rule 5); made ready when first asked for. */
export function textsOf(products: readonly Product[]): Texts {
  const keywords = () => products.map((product) => withoutBlanks(folded(product.keywords.join(','))));
  let written: TextList | undefined;
  let apart: readonly string[] | undefined;
  let together: TextList | undefined;
  return {
    holding(text) {
      written ??= textList(keywords().map((joined, place) => `${folded(products[place]?.name ?? '')}\n${joined}`));
      const wanted = withoutBlanks(text);
      const both = wanted === text ? [] : written.holding(text);
      return [...new Set([...written.holding(wanted), ...both])];
    },
    runningTogether(text, least) {
      apart ??= keywords().map((joined) => joined.replaceAll(/[^\p{L}\p{N},]/gu, ''));
      together ??= textList(apart.map((joined) => joined.replaceAll(',', '')));
      const borders = Array.from({ length: Math.max(0, text.length - 2 * least + 1) }, (_, at) => at + least);
      const parted = borders.map((at) => `${text.slice(0, at)},${text.slice(at)}`);
      return together.holding(text).filter((place) => parted.some((part) => apart?.[place]?.includes(part)));
    },
  };
}

/** A text without the blanks around its commas. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/ *, */g, ',');
}

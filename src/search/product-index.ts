import { Index } from 'flexsearch';
import type { Product } from '../contract/operation.ts';
import { folded, words } from './fold.ts';

/** The products that a term means, in the order of the catalogue. */
export type Search = (term: string) => readonly Product[];

/** The longest part of a term that is looked at, in characters. */
const TERM_LIMIT = 512;

const searches = new WeakMap<readonly Product[], Search>();

/** The search over a list of products; its index is made once for each list, when it is first asked for. */
export function searchOf(products: readonly Product[]): Search {
  let search = searches.get(products);
  if (!search) {
    search = createSearch(products);
    searches.set(products, search);
  }
  return search;
}

/**
 * A search over name and keywords, these joined by a comma (interface, search rules 2, 3 and 5). A product is found where each word of the
 * term begins a word of it, or where the term stands in its name or in its keywords as it is written. A blank term finds all.
 */
function createSearch(products: readonly Product[]): Search {
  const texts = products.map(({ name, keywords }) => [folded(name), folded(keywords.join(','))] as const);
  const index = new Index({ tokenize: 'forward', encode: (text: string) => words(folded(text)) });
  texts.forEach((parts, place) => {
    index.add(place, parts.join('\n'));
  });

  return (term) => {
    const wanted = folded(term.trim().slice(0, TERM_LIMIT));
    if (wanted === '') return products;
    const found = new Set(index.search(wanted, { limit: products.length }));
    return products.filter((_, place) => found.has(place) || texts[place]?.some((text) => text.includes(wanted)));
  };
}

import type { Product } from '../../../src/shop/types.ts';
import type { Defect, WrongHandler } from './defect.ts';
import type { ProxyRequest, Tamper } from './proxy.ts';
import { changeBodies, changeRequests, isRequestFor, withQuery } from './tamper.ts';

type SearchHandler = NonNullable<Defect['handlers']>;

/** Returns a search with a defect in how it reads the term, or in the order of the products. */
function searching(
  find: (search: (term: string) => readonly Product[], term: string) => readonly Product[],
): SearchHandler {
  const listProducts: WrongHandler<'listProducts'> = ({ query: { search = '' } }, shop) => {
    const { products } = shop.read();
    return { body: find((term) => shop.search(products, term), search) };
  };
  return { listProducts };
}

/** Returns a search for other words than those of the term. */
function ofWords(words: (words: readonly string[]) => readonly string[]): SearchHandler {
  return searching((search, term) => search(words(term.trim().split(/\s+/)).join(' ')));
}

/** Changes the encoded query of a search before it is decoded. */
function ofQuery(change: (query: string) => string): () => Tamper {
  return changeRequests('listProducts', (asked: ProxyRequest) => ({
    ...asked,
    target: withQuery(asked.target, change),
  }));
}

/** The maximum number of products of a truncated search. */
const PAGE = 20;

/** Defects of the search for a term as a whole: its words, its encoding, its length, and the order of the results. */
export const searchTermDefects: readonly Defect[] = [
  {
    name: 'looks for the first word of a search alone',
    operationId: 'listProducts',
    handlers: ofWords((words) => words.slice(0, 1)),
  },
  {
    name: 'looks for the last word of a search alone',
    operationId: 'listProducts',
    handlers: ofWords((words) => words.slice(-1)),
  },
  {
    name: 'looks for the first two words of a search alone',
    operationId: 'listProducts',
    handlers: ofWords((words) => words.slice(0, 2)),
  },
  {
    name: 'finds products that have any word of a search',
    operationId: 'listProducts',
    handlers: searching((search, term) => [
      ...new Set([
        ...search(term),
        ...term
          .trim()
          .split(/\s+/)
          .flatMap((word) => [...search(word)]),
      ]),
    ]),
  },
  {
    name: 'takes a + in a search as it is written',
    operationId: 'listProducts',
    tamper: ofQuery((query) => query.replaceAll('+', '%2B')),
  },
  {
    name: 'takes an escaped + in a search for a space',
    operationId: 'listProducts',
    tamper: ofQuery((query) => query.replaceAll(/%2b/gi, '%20')),
  },
  {
    name: 'ignores a search with a % that starts no escape',
    operationId: 'listProducts',
    tamper: ofQuery((query) => (/%(?![0-9a-f]{2})/i.test(query) ? '' : query)),
  },
  {
    name: 'cuts a search off at a % that starts no escape',
    operationId: 'listProducts',
    tamper: ofQuery((query) => query.replace(/%(?![0-9a-f]{2}).*/i, '')),
  },
  {
    name: 'leaves escapes in lower case as they are written',
    operationId: 'listProducts',
    tamper: ofQuery((query) => query.replaceAll(/%(?=[0-9A-Fa-f]?[a-f])/g, '%25')),
  },
  {
    name: 'looks at more than 512 characters of a search',
    operationId: 'listProducts',
    handlers: searching((search, term) => (term.length > 512 && /\S/.test(term.slice(512)) ? [] : search(term))),
  },
  {
    name: 'looks at 255 characters of a search',
    operationId: 'listProducts',
    handlers: searching((search, term) => search(term.slice(0, 255))),
  },
  {
    name: 'lists what a search finds in the order of the catalogue',
    operationId: 'listProducts',
    handlers: {
      listProducts: ({ query: { search = '' } }, shop) => {
        const { products } = shop.read();
        const found = shop.search(products, search);
        return { body: products.filter((product) => found.includes(product)) };
      },
    },
  },
  {
    name: 'lists the worst match of a search first',
    operationId: 'listProducts',
    handlers: searching((search, term) => (term.trim() === '' ? search(term) : search(term).toReversed())),
  },
  {
    name: 'lists what a blank search finds by name',
    operationId: 'listProducts',
    handlers: {
      listProducts: ({ query: { search } }, shop) => {
        const { products } = shop.read();
        const isBlank = search !== undefined && search.trim() === '';
        const byName = products.toSorted((one, other) => one.name.localeCompare(other.name));
        return { body: isBlank ? byName : shop.search(products, search ?? '') };
      },
    },
  },
  {
    name: 'finds twenty products at most',
    operationId: 'listProducts',
    tamper: changeBodies('listProducts', (products, asked) =>
      isRequestFor(asked, 'listProducts') && asked.target.includes('search=') ? products.slice(0, PAGE) : products,
    ),
  },
];

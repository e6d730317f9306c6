import type { Product } from '../../../src/shop/types.ts';
import type { Defect, WrongHandler } from './defect.ts';
import type { ProxyRequest, Tamper } from './proxy.ts';
import { changeBodies, changeRequests, isRequestFor, withQuery } from './tamper.ts';

type SearchHandler = NonNullable<Defect['handlers']>;

/** Returns handlers of a search with a defect. `find` calls the correct search, for example with a changed term, and returns the products. */
function searching(
  find: (search: (term: string) => readonly Product[], term: string) => readonly Product[],
): SearchHandler {
  const listProducts: WrongHandler<'listProducts'> = ({ query: { search = '' } }, shop) => {
    const { products } = shop.read();
    return { body: find((term) => shop.search(products, term), search) };
  };
  return { listProducts };
}

/** Returns handlers of a search that uses other words than the words of the term. `words` returns these other words. */
function ofWords(words: (words: readonly string[]) => readonly string[]): SearchHandler {
  return searching((search, term) => search(words(term.trim().split(/\s+/)).join(' ')));
}

/** Creates a defect that changes the query of a search request before the server decodes the query. */
function changeQuery(change: (query: string) => string): () => Tamper {
  return changeRequests('listProducts', (request: ProxyRequest) => ({
    ...request,
    target: withQuery(request.target, change),
  }));
}

/** The maximum number of products that a search with a defect returns. */
const PAGE = 20;

/** Defects of how a search treats its term: the words, the encoding and the length of the term, and the order of the results. */
export const searchTermDefects: readonly Defect[] = [
  {
    name: 'searches only for the first word of a term',
    operationId: 'listProducts',
    handlers: ofWords((words) => words.slice(0, 1)),
  },
  {
    name: 'searches only for the last word of a term',
    operationId: 'listProducts',
    handlers: ofWords((words) => words.slice(-1)),
  },
  {
    name: 'searches only for the first two words of a term',
    operationId: 'listProducts',
    handlers: ofWords((words) => words.slice(0, 2)),
  },
  {
    name: 'finds products that contain any word of a term',
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
    name: 'does not decode a + in a search as a space',
    operationId: 'listProducts',
    tamper: changeQuery((query) => query.replaceAll('+', '%2B')),
  },
  {
    name: 'decodes an escaped + in a search as a space',
    operationId: 'listProducts',
    tamper: changeQuery((query) => query.replaceAll(/%2b/gi, '%20')),
  },
  {
    name: 'ignores a search with a % that does not start an escape',
    operationId: 'listProducts',
    tamper: changeQuery((query) => (/%(?![0-9a-f]{2})/i.test(query) ? '' : query)),
  },
  {
    name: 'truncates a search at a % that does not start an escape',
    operationId: 'listProducts',
    tamper: changeQuery((query) => query.replace(/%(?![0-9a-f]{2}).*/i, '')),
  },
  {
    name: 'does not decode lower-case escapes in a search',
    operationId: 'listProducts',
    tamper: changeQuery((query) => query.replaceAll(/%(?=[0-9A-Fa-f]?[a-f])/g, '%25')),
  },
  {
    name: 'uses more than 512 characters of a term',
    operationId: 'listProducts',
    handlers: searching((search, term) => (term.length > 512 && /\S/.test(term.slice(512)) ? [] : search(term))),
  },
  {
    name: 'uses only 255 characters of a term',
    operationId: 'listProducts',
    handlers: searching((search, term) => search(term.slice(0, 255))),
  },
  {
    name: 'lists search results in the order of the catalogue',
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
    name: 'lists the least relevant search result first',
    operationId: 'listProducts',
    handlers: searching((search, term) => (term.trim() === '' ? search(term) : search(term).toReversed())),
  },
  {
    name: 'sorts the results of a blank search by name',
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
    name: 'finds at most twenty products',
    operationId: 'listProducts',
    tamper: changeBodies('listProducts', (products, request) =>
      isRequestFor(request, 'listProducts') && request.target.includes('search=') ? products.slice(0, PAGE) : products,
    ),
  },
];

import type { Product } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';
import { changeBodies, changeRequests, type Json, withQuery } from './tamper.ts';

/** Returns handlers of a search that loses some of the products that the shop finds. */
function losing(isLost: (product: Product, term: string) => boolean): NonNullable<Defect['handlers']> {
  return {
    listProducts: ({ query: { search = '' } }, shop) => ({
      body: shop.search(shop.read().products, search).filter((product) => !isLost(product, search.trim())),
    }),
  };
}

/** Returns whether a text contains a term without regard to letter case. */
function has(text: string, term: string): boolean {
  return text.toLowerCase().includes(term.toLowerCase());
}

/** Returns the searched text of a product. */
function textOf({ name, keywords }: Product): string {
  return `${name}\n${keywords.join(',')}`;
}

/** Defects of the search. */
export const searchDefects: readonly Defect[] = [
  // README.md defines this and the contract does not: a check against the contract alone cannot find it.
  {
    name: 'finds nothing for misspelled words',
    operationId: 'listProducts',
    handlers: losing((product, term) => !term.split(/\s+/).every((word) => has(textOf(product), word))),
  },
  {
    name: 'compares the letter case in a search',
    operationId: 'listProducts',
    handlers: losing((product, term) => has(textOf(product), term) && !textOf(product).includes(term)),
  },
  {
    name: 'searches only names, not keywords',
    operationId: 'listProducts',
    handlers: losing(({ name, keywords }, term) => has(keywords.join(','), term) && !has(name, term)),
  },
  {
    name: 'searches each keyword separately, and not across two keywords',
    operationId: 'listProducts',
    handlers: losing(
      ({ name, keywords }, term) =>
        has(keywords.join(','), term) && ![name, ...keywords].some((text) => has(text, term)),
    ),
  },
  {
    name: 'finds all products for a term that matches none',
    operationId: 'listProducts',
    handlers: {
      listProducts: ({ query }, shop) => {
        const { products } = shop.read();
        const found = shop.search(products, query.search ?? '');
        return { body: found.length > 0 ? found : products };
      },
    },
  },
  {
    name: 'ignores the search term',
    operationId: 'listProducts',
    handlers: { listProducts: (_input, shop) => ({ body: shop.read().products }) },
  },
  {
    name: 'finds nothing for a blank term',
    operationId: 'listProducts',
    handlers: {
      listProducts: ({ query: { search } }, shop) => {
        const { products } = shop.read();
        if (search === undefined) return { body: products };
        return { body: search.trim() === '' ? [] : shop.search(products, search) };
      },
    },
  },
  {
    name: 'adds a score to search results',
    operationId: 'listProducts',
    tamper: changeBodies('listProducts', (products, { target }) =>
      target.includes('search=') ? products.map((product: Json) => ({ ...product, score: 0.5 })) : products,
    ),
  },
  {
    name: 'accepts a repeated search parameter',
    operationId: 'listProducts',
    tamper: changeRequests('listProducts', (request) => ({
      ...request,
      target: withQuery(request.target, (query) => query.split('&').at(-1) ?? ''),
    })),
  },
];

import type { Product } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';
import { changeBodies, changeRequests, type Json, withQuery } from './tamper.ts';

/** Returns handlers of a search that does not return some of the matching products. `isLost` returns whether a product is missing. */
function losing(isLost: (product: Product, term: string) => boolean): NonNullable<Defect['handlers']> {
  return {
    listProducts: ({ query: { search = '' } }, shop) => ({
      body: shop.search(shop.read().products, search).filter((product) => !isLost(product, search.trim())),
    }),
  };
}

/** Returns whether a text contains a term, in any letter case. */
function has(text: string, term: string): boolean {
  return text.toLowerCase().includes(term.toLowerCase());
}

/** Returns the text of a product that a search uses: its name and its keywords. */
function getText({ name, keywords }: Product): string {
  return `${name}\n${keywords.join(',')}`;
}

/** Defects of which products a search finds. */
export const searchDefects: readonly Defect[] = [
  // README.md defines this behaviour, but the contract does not. So a check that only knows the contract can't find this defect.
  {
    name: 'finds nothing for misspelled words',
    operationId: 'listProducts',
    handlers: losing((product, term) => !term.split(/\s+/).every((word) => has(getText(product), word))),
  },
  {
    name: 'compares the letter case in a search',
    operationId: 'listProducts',
    handlers: losing((product, term) => has(getText(product), term) && !getText(product).includes(term)),
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

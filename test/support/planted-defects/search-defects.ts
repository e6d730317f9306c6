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
    name: 'finds nothing for misspelt words',
    operationId: 'listProducts',
    handlers: losing((product, term) => !term.split(/\s+/).every((word) => has(textOf(product), word))),
  },
  {
    name: 'searches with regard to letter case',
    operationId: 'listProducts',
    handlers: losing((product, term) => has(textOf(product), term) && !textOf(product).includes(term)),
  },
  {
    name: 'searches names alone, not keywords',
    operationId: 'listProducts',
    handlers: losing(({ name, keywords }, term) => has(keywords.join(','), term) && !has(name, term)),
  },
  {
    name: 'searches keywords one by one, not across their borders',
    operationId: 'listProducts',
    handlers: losing(
      ({ name, keywords }, term) =>
        has(keywords.join(','), term) && ![name, ...keywords].some((text) => has(text, term)),
    ),
  },
  {
    name: 'finds the whole list for a term that nothing matches',
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
    name: 'ignores the search',
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
    name: 'adds a score to the products that a search finds',
    operationId: 'listProducts',
    tamper: changeBodies('listProducts', (products, { target }) =>
      target.includes('search=') ? products.map((product: Json) => ({ ...product, score: 0.5 })) : products,
    ),
  },
  {
    name: 'takes a search that is given twice',
    operationId: 'listProducts',
    tamper: changeRequests('listProducts', (asked) => ({
      ...asked,
      target: withQuery(asked.target, (query) => query.split('&').at(-1) ?? ''),
    })),
  },
];

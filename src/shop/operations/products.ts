import type { Handler } from './handler.ts';

/** Returns all products, or only the products that match the search term. */
export const listProducts: Handler<'listProducts'> = ({ query }, shop) => {
  const { products } = shop.read();
  return { body: query.search === undefined ? products : shop.search(products, query.search) };
};

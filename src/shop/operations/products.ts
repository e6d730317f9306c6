import type { Handler } from './handler.ts';

/** Returns the products, or those that match the search term. */
export const listProducts: Handler<'listProducts'> = ({ query }, shop) => {
  const { products } = shop.read();
  return { body: query.search === undefined ? products : shop.search(products, query.search) };
};

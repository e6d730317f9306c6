import { isLongList } from '../../util/slices.ts';
import { getEstimatedDeliveryTimeMs } from '../domain/catalogue.ts';
import { MAX_TERM_LENGTH } from '../search/product-search.ts';
import type { Product } from '../types.ts';
import type { Handler } from './handler.ts';
import { respondWithPage } from './page.ts';

/**
 * Returns all products. With `search`, returns only products that match the search term, the most relevant first. With `limit` or `after`, returns one page of
 * the list.
 */
export const listProducts: Handler<'listProducts'> = ({ query }, shop) => {
  const { products } = shop.read();
  // One UTF-16 code unit more than a search uses. If this cut splits a surrogate pair, the link to the next page still has all code units that a search uses.
  const search = query.search?.slice(0, MAX_TERM_LENGTH + 1);
  const used = { ...query, search };
  const respond = (found: readonly Product[]) => respondWithPage(found, '/api/products', used);
  if (search === undefined) return respond(products);
  if (!isLongList(products)) return respond(shop.search(products, search));
  return shop.searchInSlices(products, search).then(respond);
};

/** Returns the delivery options. With `expand=estimatedDeliveryTime`, each option also contains the delivery time of an order that is placed now. */
export const listDeliveryOptions: Handler<'listDeliveryOptions'> = ({ query }, shop) => {
  const { deliveryOptions } = shop.read();
  if (query.expand === undefined) return { body: deliveryOptions };
  const nowMs = shop.nowMs();
  const body = deliveryOptions.map((option) => {
    const estimatedDeliveryTimeMs = getEstimatedDeliveryTimeMs(nowMs, option);
    return { ...option, estimatedDeliveryTimeMs };
  });
  return { body };
};

import { isLongList } from '../../util/slices.ts';
import { getEstimatedDeliveryTimeMs } from '../domain/catalogue.ts';
import { searchInSlices } from '../search/product-search.ts';
import type { Handler } from './handler.ts';

/** Returns all products, or only the products that match the search term. */
export const listProducts: Handler<'listProducts'> = ({ query }, shop) => {
  const { products } = shop.read();
  const { search } = query;
  if (search === undefined) return { body: products };
  if (!isLongList(products)) return { body: shop.search(products, search) };
  return searchInSlices(products, search).then((body) => ({ body }));
};

/** Returns the delivery options. With `expand=estimatedDeliveryTime` each option contains the delivery time of an order that is placed now. */
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

import type { Defect } from './defect.ts';
import { DAY_MS } from './plain-shop.ts';
import { changeBodies, changeRequests, type Json, withQuery } from './tamper.ts';

/** Creates a defect that changes each entry of a list in the responses of an operation. */
function each(operationId: 'listProducts' | 'listDeliveryOptions' | 'listCartItems', change: (entry: Json) => Json) {
  return changeBodies(operationId, (entries) => entries.map(change));
}

/** Creates a defect that changes the estimated delivery times of the delivery options. `change` returns the wrong time, in ms since 1970. */
function changeEstimates(change: (estimateMs: number, days: number) => number) {
  return each('listDeliveryOptions', (option) =>
    'estimatedDeliveryTimeMs' in option
      ? { ...option, estimatedDeliveryTimeMs: change(option.estimatedDeliveryTimeMs, option.deliveryDays) }
      : option,
  );
}

/** Defects of products, of delivery options, and of the products in cart items. */
export const catalogueDefects: readonly Defect[] = [
  {
    name: 'returns the keywords of a product as a string',
    operationId: 'listProducts',
    tamper: each('listProducts', (product) => ({ ...product, keywords: product.keywords.join(',') })),
  },
  {
    name: 'returns the prices of products as strings',
    operationId: 'listProducts',
    tamper: each('listProducts', (product) => ({ ...product, priceCents: String(product.priceCents) })),
  },
  {
    name: 'returns the prices of products with fractions of a cent',
    operationId: 'listProducts',
    tamper: each('listProducts', (product) => ({ ...product, priceCents: product.priceCents / 100 })),
  },
  {
    name: 'returns ten times the stars of products',
    operationId: 'listProducts',
    tamper: each('listProducts', ({ rating, ...product }) => ({
      ...product,
      rating: { ...rating, stars: rating.stars * 10 },
    })),
  },
  {
    name: 'adds the property stock to products',
    operationId: 'listProducts',
    tamper: each('listProducts', (product) => ({ ...product, stock: 100 })),
  },
  {
    name: 'omits the ratings of products',
    operationId: 'listProducts',
    tamper: each('listProducts', ({ rating: _, ...product }) => product),
  },
  {
    name: 'returns null as the image of a product',
    operationId: 'listProducts',
    tamper: changeBodies('listProducts', (products) =>
      products.map((product: Json, at: number) => (at === 0 ? { ...product, image: null } : product)),
    ),
  },
  {
    name: 'returns a product id that is not a UUID',
    operationId: 'listProducts',
    tamper: changeBodies('listProducts', (products) =>
      products.map((product: Json, at: number) => ({ ...product, id: String(at + 1) })),
    ),
  },
  {
    name: 'wraps the list of products in an object',
    operationId: 'listProducts',
    tamper: changeBodies('listProducts', (products) => ({ data: products, total: products.length })),
  },
  {
    name: 'lists only the first ten products',
    operationId: 'listProducts',
    tamper: changeBodies('listProducts', (products) => products.slice(0, 10)),
  },
  {
    name: 'returns the ids of delivery options as numbers',
    operationId: 'listDeliveryOptions',
    tamper: each('listDeliveryOptions', (option) => ({ ...option, id: Number(option.id) })),
  },
  {
    name: 'returns delivery estimates as durations instead of times',
    operationId: 'listDeliveryOptions',
    tamper: changeEstimates((_estimateMs, days) => days * DAY_MS),
  },
  {
    name: 'returns delivery estimates in seconds',
    operationId: 'listDeliveryOptions',
    tamper: changeEstimates((estimateMs) => Math.floor(estimateMs / 1000)),
  },
  {
    name: 'returns delivery estimates that are a day too late',
    operationId: 'listDeliveryOptions',
    tamper: changeEstimates((estimateMs) => estimateMs + DAY_MS),
  },
  {
    name: 'returns delivery estimates with a fraction of a millisecond',
    operationId: 'listDeliveryOptions',
    tamper: changeEstimates((estimateMs) => estimateMs + 0.25),
  },
  {
    name: 'ignores expand for delivery options',
    operationId: 'listDeliveryOptions',
    tamper: each('listDeliveryOptions', ({ estimatedDeliveryTimeMs: _, ...option }) => option),
  },
  {
    name: 'returns delivery estimates even without expand',
    operationId: 'listDeliveryOptions',
    tamper: changeRequests('listDeliveryOptions', (request) => ({
      ...request,
      target: withQuery(request.target, (query) => query || 'expand=estimatedDeliveryTime'),
    })),
  },
  {
    name: 'expands the delivery options for an unknown value of expand',
    operationId: 'listDeliveryOptions',
    tamper: changeRequests('listDeliveryOptions', (request) => ({
      ...request,
      target: withQuery(request.target, (query) =>
        /^expand=[^&]+$/.test(query) ? 'expand=estimatedDeliveryTime' : query,
      ),
    })),
  },
  {
    name: 'rejects an unknown value of expand in a request for the cart',
    operationId: 'listCartItems',
    tamper: changeRequests('listCartItems', (request) => ({
      ...request,
      target: withQuery(request.target, (query) =>
        /^expand=(?!product$)[^&]*$/.test(query) ? 'expand=product&expand=product' : query,
      ),
    })),
  },
  {
    name: 'accepts a repeated expand in a request for the cart',
    operationId: 'listCartItems',
    tamper: changeRequests('listCartItems', (request) => ({
      ...request,
      target: withQuery(request.target, (query) => query.split('&').at(-1) ?? ''),
    })),
  },
  {
    name: 'returns the products of the cart even without expand',
    operationId: 'listCartItems',
    tamper: changeRequests('listCartItems', (request) => ({
      ...request,
      target: withQuery(request.target, (query) => query || 'expand=product'),
    })),
  },
  {
    name: 'returns the products of the cart without keywords',
    operationId: 'listCartItems',
    tamper: each('listCartItems', (item) => {
      if (!('product' in item)) return item;
      const { keywords: _, ...product } = item.product;
      return { ...item, product };
    }),
  },
  {
    name: 'returns the same product for every item of the cart',
    operationId: 'listCartItems',
    tamper: changeBodies('listCartItems', (items) =>
      items.map((item: Json) => ('product' in item ? { ...item, product: items[0].product } : item)),
    ),
  },
  {
    name: 'adds an id and a time to cart items',
    operationId: 'listCartItems',
    tamper: changeBodies('listCartItems', (items) =>
      items.map((item: Json, at: number) => ({ id: at + 1, ...item, createdAt: '2025-06-01T12:00:00.000Z' })),
    ),
  },
  {
    name: 'returns the delivery option of an item as a number',
    operationId: 'listCartItems',
    tamper: each('listCartItems', (item) => ({ ...item, deliveryOptionId: Number(item.deliveryOptionId) })),
  },
];

import type { ProblemKind } from '../application.ts';
import type { DomainErrorCode } from './domain/domain-error.ts';

/** The HTTP status, title and explanation of each error response of the shop. The keys are error codes. */
export const problems: Readonly<Record<DomainErrorCode, ProblemKind>> = {
  'unknown-product': {
    status: 404,
    title: 'Product not found',
    explanation: 'No product has the id in the request. GET /api/products lists the products.',
  },
  'unknown-delivery-option': {
    status: 404,
    title: 'Delivery option not found',
    explanation: 'No delivery option has the id in the request. GET /api/delivery-options lists the delivery options.',
  },
  'unknown-cart-item': {
    status: 404,
    title: 'Cart item not found',
    explanation: 'The cart does not contain the product in the path. POST /api/cart-items adds a product to the cart.',
  },
  'unknown-order': {
    status: 404,
    title: 'Order not found',
    explanation: 'No order has the id in the path. GET /api/orders lists the orders.',
  },
  'unknown-cursor': {
    status: 404,
    title: 'Cursor not found',
    explanation:
      'The list has no entry with the id in `after`, for example because the entry was removed. Request the list again without `after`.',
  },
  'empty-cart': {
    status: 409,
    title: 'The cart is empty',
    explanation:
      'The cart is empty, so there is nothing to order. Placing an order empties the cart. POST /api/cart-items adds a product to the cart.',
  },
  'quantity-limit': {
    status: 409,
    title: 'Quantity limit exceeded',
    explanation:
      'A cart contains at most 1,000,000 units of one product. The request exceeds this limit. The limit keeps amounts of money exact.',
  },
};

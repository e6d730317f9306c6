import type { ProblemKind } from '../application.ts';
import type { DomainErrorCode } from './domain/domain-error.ts';

/** The status, title and explanation of each problem of the shop. */
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
  'empty-cart': {
    status: 409,
    title: 'The cart is empty',
    explanation: 'An order contains the items of the cart, and the cart is empty. Creating an order empties the cart.',
  },
  'quantity-limit': {
    status: 409,
    title: 'Quantity limit exceeded',
    explanation:
      'A cart contains at most 1,000,000 units of one product. The request exceeds this limit. The limit keeps amounts of money exact.',
  },
};

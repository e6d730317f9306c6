/**
 * The types of requests and responses for clients of the API.
 * `npm run types` generates them from `openapi.yaml`.
 * Their arrays are mutable, because a client gets its data from parsed JSON.
 */
import type { components } from './schema.d.ts';

export type { components, operations, paths } from './schema.d.ts';

type Schemas = components['schemas'];

/** A product that the shop sells. */
export type Product = Schemas['Product'];
/** A delivery option: its price and its delivery time in days. */
export type DeliveryOption = Schemas['DeliveryOption'];
/** A product in the cart, with its quantity and its delivery option. */
export type CartItem = Schemas['CartItem'];
/** The request body of `addCartItem`. */
export type NewCartItem = Schemas['NewCartItem'];
/** The request body of `updateCartItem`. */
export type CartItemChange = Schemas['CartItemChange'];
/** An order: its products, its time and its total cost. */
export type Order = Schemas['Order'];
/** A product in an order, with its quantity and its delivery time. */
export type OrderProduct = Schemas['OrderProduct'];
/** The costs of the cart: products, shipping, tax and total. */
export type PaymentSummary = Schemas['PaymentSummary'];
/** An error response (RFC 9457). */
export type Problem = Schemas['Problem'];
/** A violation: a part of a request that breaks the contract. */
export type Violation = Schemas['Violation'];

/** The data of a sandbox, which is an isolated copy of the shop. The data file `db.json` has the same structure. */
export interface State {
  products: Product[];
  deliveryOptions: DeliveryOption[];
  /** The items, in the order in which they were added. */
  cartItems: CartItem[];
  /** The orders, the newest first. */
  orders: Order[];
}

/** The types that `openapi.yaml` gives, as clients use them: `paths` for typed clients, and the schemas by name. Lists can be changed, as parsed JSON can. */
import type { components } from './schema.d.ts';

export type { components, operations, paths } from './schema.d.ts';

type Schemas = components['schemas'];

/** A product of the catalogue. */
export type Product = Schemas['Product'];
/** A way to have something delivered. */
export type DeliveryOption = Schemas['DeliveryOption'];
/** A product in the cart. */
export type CartItem = Schemas['CartItem'];
/** The request body that adds a product to the cart. */
export type NewCartItem = Schemas['NewCartItem'];
/** The request body that changes an item of the cart. */
export type CartItemChange = Schemas['CartItemChange'];
/** An order. */
export type Order = Schemas['Order'];
/** A product of an order. */
export type OrderProduct = Schemas['OrderProduct'];
/** What the cart costs. */
export type PaymentSummary = Schemas['PaymentSummary'];
/** An error response (RFC 9457). */
export type Problem = Schemas['Problem'];
/** One thing that is wrong with a request. */
export type Violation = Schemas['Violation'];

/** Everything that a sandbox stores: the shape of db.json. */
export interface State {
  products: Product[];
  deliveryOptions: DeliveryOption[];
  /** In the order in which the items were first added. */
  cartItems: CartItem[];
  /** The order created last first. */
  orders: Order[];
}

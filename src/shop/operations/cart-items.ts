import { findCartItem, withAdded, withItem, withoutItem } from '../domain/cart.ts';
import { findDeliveryOption, findProduct } from '../domain/catalogue.ts';
import { preselectedOption } from '../domain/delivery.ts';
import type { Handler } from './handler.ts';

/** The items of the cart, on request each with its product. */
export const listCartItems: Handler<'listCartItems'> = ({ query }, shop) => {
  const state = shop.read();
  if (query.expand === undefined) return { body: state.cartItems };
  return { body: state.cartItems.map((item) => ({ ...item, product: findProduct(state, item.productId) })) };
};

/** The item that a product has in the cart after adding to it. */
export const addCartItem: Handler<'addCartItem'> = async ({ body: { productId, quantity } }, shop) => {
  const item = await shop.update((state) => {
    findProduct(state, productId);
    const added = { productId, quantity, deliveryOptionId: preselectedOption(state).id };
    const cartItems = withAdded(state.cartItems, added);
    return { next: { ...state, cartItems }, result: findCartItem(cartItems, productId) };
  });
  return { body: item };
};

/** The item after the change; what the change doesn't give stays. */
export const updateCartItem: Handler<'updateCartItem'> = async ({ path, body = {} }, shop) => {
  const item = await shop.update((state) => {
    const present = findCartItem(state.cartItems, path.productId);
    const { quantity = present.quantity } = body;
    // Ours: a number is read as its decimal string, since front ends send one.
    const deliveryOptionId = String(body.deliveryOptionId ?? present.deliveryOptionId);
    if (quantity === present.quantity && deliveryOptionId === present.deliveryOptionId) return { result: present };
    const changed = { ...present, quantity, deliveryOptionId: findDeliveryOption(state, deliveryOptionId).id };
    return { next: { ...state, cartItems: withItem(state.cartItems, changed) }, result: changed };
  });
  return { body: item };
};

/** Nothing: the item is gone. */
export const removeCartItem: Handler<'removeCartItem'> = async ({ path: { productId } }, shop) => {
  await shop.update((state) => {
    findCartItem(state.cartItems, productId);
    return { next: { ...state, cartItems: withoutItem(state.cartItems, productId) }, result: undefined };
  });
  return {};
};

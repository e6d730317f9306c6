import { addItem, findCartItem, removeItem, replaceItem } from '../domain/cart.ts';
import { getLastId, getNumberedItems, storeLastId } from '../domain/cart-item-ids.ts';
import { findDeliveryOption, findProduct, getDefaultDeliveryOption } from '../domain/catalogue.ts';
import { computePaymentSummary } from '../domain/pricing.ts';
import type { Handler } from './handler.ts';

/** Returns the items of the cart. With `expand=product`, each item also contains the whole product. */
export const listCartItems: Handler<'listCartItems'> = ({ query }, shop) => {
  const state = shop.read();
  const items = getNumberedItems(state);
  if (query.expand === undefined) return { body: items };
  return { body: items.map((item) => ({ ...item, product: findProduct(state, item.productId) })) };
};

/** Adds a product to the cart. Returns the cart item of the product. */
export const addCartItem: Handler<'addCartItem'> = async ({ body: { productId, quantity } }, shop) => {
  const item = await shop.update((state) => {
    findProduct(state, productId);
    const items = getNumberedItems(state);
    const id = getLastId(items, state) + 1;
    const cartItems = addItem(items, { id, productId, quantity, deliveryOptionId: getDefaultDeliveryOption(state).id });
    return { next: { ...state, cartItems }, result: findCartItem(cartItems, productId) };
  });
  return { body: item };
};

/** Changes the quantity or the delivery option of a cart item, or both. Returns the changed item. */
export const updateCartItem: Handler<'updateCartItem'> = async ({ path, body = {} }, shop) => {
  const item = await shop.update((state) => {
    const items = getNumberedItems(state);
    const current = findCartItem(items, path.productId);
    const { quantity = current.quantity } = body;
    // Decision: an id that is a number is converted to a decimal string, because some front ends send a number.
    const deliveryOptionId = String(body.deliveryOptionId ?? current.deliveryOptionId);
    if (quantity === current.quantity && deliveryOptionId === current.deliveryOptionId) return { result: current };
    const changed = { ...current, quantity, deliveryOptionId: findDeliveryOption(state, deliveryOptionId).id };
    return { next: { ...state, cartItems: replaceItem(items, changed) }, result: changed };
  });
  return { body: item };
};

/** Removes a product from the cart. */
export const removeCartItem: Handler<'removeCartItem'> = async ({ path: { productId } }, shop) => {
  await shop.update((state) => {
    const items = getNumberedItems(state);
    findCartItem(items, productId);
    const cartItems = removeItem(items, productId);
    return { next: { ...state, ...storeLastId(items, cartItems, state), cartItems }, result: undefined };
  });
  return {};
};

/** Returns the costs of the cart: products, shipping, tax and total. */
export const getPaymentSummary: Handler<'getPaymentSummary'> = (_input, shop) => {
  const state = shop.read();
  return { body: computePaymentSummary(state.cartItems, state) };
};

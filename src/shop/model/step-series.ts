import { SAFE_METHODS } from '../../util/request-target.ts';
import { QUANTITY_LIMIT } from '../domain/cart.ts';
import type { OperationId } from '../types.ts';
import { checkList } from './lists.ts';
import type { ShopTester } from './shop-tester.ts';
import * as steps from './steps.ts';

/**
 * Creates a test step that adds up to `count` products to the cart, checks the cart, and orders it.
 * It finds servers that return only a part of a long list.
 */
export function addManyProducts(count: number): steps.Step {
  return async (tester) => {
    for (const { id } of tester.model.products.slice(0, count)) await steps.addItemUnchecked(tester, id, 1);
    await steps.checkCart(tester, 'addCartItem', 'added products are in the cart');
    await checkList(tester, { list: 'listCartItems', isExpanded: true, rule: 'expand adds each product' });
    if (tester.model.cart.length === 0) return;
    await steps.createOrder(tester);
    await steps.readOrder(0, true)(tester);
  };
}

/**
 * Creates a test step that orders a product `count` times, and checks the list of orders.
 * `product`: the index of the product.
 */
export function createManyOrders(product: number, count: number): steps.Step {
  return async (tester) => {
    for (let time = 0; time < count; time++) {
      await steps.addItemUnchecked(tester, steps.getProductId(tester, product), 1);
      await steps.createOrderUnchecked(tester);
    }
    await checkList(tester, { list: 'listOrders', rule: 'orders are listed from newest to oldest' });
  };
}

/**
 * Creates a test step that sets the quantity of a cart item to the maximum, and then adds one more unit.
 * `product`: the index of the product.
 */
export function exceedMaxQuantity(product: number): steps.Step {
  return async (tester) => {
    await steps.addItem(product, 1)(tester);
    await steps.updateItem({ product, quantity: QUANTITY_LIMIT })(tester);
    await steps.addItem(product, 1)(tester);
  };
}

/**
 * Sends requests with the letters of ids in another case, such as `4A7B` for `4a7b`.
 * Expects status 404, because ids are case-sensitive.
 * Tests `addCartItem`, and the operations that have a path parameter and document status 404.
 */
export const checkLetterCase: steps.Step = async (tester) => {
  const { cart, orders } = tester.model;
  const productId = changeLetterCase(cart[0]?.productId);
  const ids: Readonly<Record<string, string | undefined>> = { productId, orderId: changeLetterCase(orders[0]?.id) };
  if (productId !== undefined) await expectNotFound(tester, 'addCartItem', { productId, quantity: 1 });
  for (const route of Object.values(tester.routes)) {
    const { operationId, pathNames, responses, bodyMedia } = route;
    const id = pathNames.length === 1 ? ids[pathNames[0] ?? ''] : undefined;
    const body = REQUEST_BODIES[operationId];
    const canSend = body !== undefined || Object.keys(bodyMedia).length === 0;
    if (id === undefined || !canSend || !responses.some(({ name }) => name === '404')) continue;
    await expectNotFound(tester, operationId as OperationId, body, id);
  }
};

/**
 * The request bodies for `checkLetterCase`, by operationId.
 * An operation with a documented body is skipped if it has no entry here.
 */
const REQUEST_BODIES: Readonly<Record<string, unknown>> = { updateCartItem: { quantity: 9 } };

/**
 * Sends a request whose id is in the wrong letter case.
 * Checks that the status is 404 and that the cart does not change.
 */
async function expectNotFound(tester: ShopTester, operationId: OperationId, body: unknown, id = ''): Promise<void> {
  const { method, path } = tester.routes[operationId];
  const response = await tester.sendJson(operationId, path.replace(/\{.*?\}/, id), body);
  tester.expectStatus(operationId, response, 404, 'the letter case of the id differs');
  if (!SAFE_METHODS.includes(method)) await steps.checkCart(tester, operationId, steps.UNCHANGED);
}

/** Changes an id to upper or lower case. Returns undefined if the id has no letters. */
function changeLetterCase(id = ''): string | undefined {
  return [id.toUpperCase(), id.toLowerCase()].find((other) => other !== id);
}

import { type ValidationSteps, validateEntries } from '../store/validate-state.ts';
import { createIssue, type Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { MAX_STORED_ID } from './domain/cart-item-ids.ts';
import { MAX_CART_COST_CENTS } from './domain/pricing.ts';
import type { State } from './state.ts';

/**
 * Finds validation errors that no JSON Schema can express:
 * - an id that refers to no entry
 * - a stored field that the query parameter `expand` adds to responses, such as `product`
 * - an id that two cart items have, or that leaves too few ids for new items
 * - a cart whose products cost more than `MAX_CART_COST_CENTS`
 */
export function* findReferenceIssues({ products, deliveryOptions, cartItems, orders }: State): ValidationSteps {
  /** The price of each product in cents. The keys are product ids. */
  const prices = new Map<string, number>();
  yield* validateEntries('products', products, ({ id, priceCents }) => {
    prices.set(id, priceCents);
    return [];
  });
  const optionIds = new Set(deliveryOptions.map(({ id }) => id));
  const findProductIssues = (entry: { productId: string; product?: unknown }) => [
    ...findMissingReference('productId', prices, entry.productId, 'product'),
    ...findExpandedField('product', entry),
  ];
  yield* validateEntries('deliveryOptions', deliveryOptions, (option) =>
    findExpandedField('estimatedDeliveryTimeMs', option),
  );
  yield* findCostIssues(prices, cartItems);
  const itemIds = new Set<number>();
  yield* validateEntries('cartItems', cartItems, (item) => [
    ...findIdIssues(itemIds, item.id),
    ...findProductIssues(item),
    ...findMissingReference('deliveryOptionId', optionIds, item.deliveryOptionId, 'delivery option'),
  ]);
  yield* validateEntries('orders', orders, (order) =>
    [...validateEntries('products', order.products, findProductIssues)].flatMap((issue) => issue ?? []),
  );
}

/** Returns the issues of the id of a cart item. `used`: the ids of the items before it, to which the id is added. */
function findIdIssues(used: Set<number>, id: number | undefined): readonly Issue[] {
  if (id === undefined) return [];
  const pointer = formatPointer('id');
  if (used.has(id))
    return [
      createIssue(pointer, { rule: 'unique', problem: `is ${id}, as in an item before it`, remedy: 'use another id' }),
    ];
  used.add(id);
  if (id <= MAX_STORED_ID) return [];
  return [createIssue(pointer, { rule: 'maximum', problem: `is above ${MAX_STORED_ID}`, remedy: 'use a smaller id' })];
}

function findCostIssues(prices: ReadonlyMap<string, number>, cart: State['cartItems']): readonly Issue[] {
  const costCents = cart.reduce((sum, { productId, quantity }) => sum + (prices.get(productId) ?? 0) * quantity, 0);
  if (costCents <= MAX_CART_COST_CENTS) return [];
  const problem = `cost more than ${MAX_CART_COST_CENTS} cents in total`;
  return [createIssue('/cartItems', { rule: 'maximum', problem, remedy: 'remove items' })];
}

function findMissingReference(
  field: string,
  ids: { has(id: string): boolean },
  id: string,
  kind: string,
): readonly Issue[] {
  if (ids.has(id)) return [];
  const problem = `is ${JSON.stringify(id)}, but no ${kind} has this id`;
  return [createIssue(formatPointer(field), { rule: 'reference', problem, remedy: `use the id of a ${kind}` })];
}

function findExpandedField(field: string, entry: object): readonly Issue[] {
  if (!Object.hasOwn(entry, field)) return [];
  const problem = 'must not be stored, because the query parameter expand adds it to responses';
  return [createIssue(formatPointer(field), { rule: 'additionalProperties', problem, remedy: 'remove it' })];
}

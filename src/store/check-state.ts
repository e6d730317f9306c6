import type { SchemaName } from '../contract/operation.ts';
import { pointerTo } from '../json-pointer.ts';
import type { State } from './state.ts';

/** Something in a data file that isn't as it should be. */
export interface Flaw {
  /** Where in the file (JSON Pointer, RFC 6901). */
  readonly pointer: string;
  /** What is wrong and what would be right, as the end of a sentence that begins with the place. */
  readonly trouble: string;
}

/**
 * What is wrong with a value, by a schema of the contract in which no other fields than its own are allowed. Puts into the value what it lacks and
 * the schema has a `default` for.
 */
export type SchemaCheck = (schema: SchemaName, value: unknown) => readonly Flaw[];

const COLLECTIONS = {
  products: 'Product',
  deliveryOptions: 'DeliveryOption',
  cartItems: 'CartItem',
  orders: 'Order',
} as const satisfies Record<keyof State, SchemaName>;

/**
 * What keeps `data` from being a state, once the contract's defaults are put into it; empty where it is one. Ours: strict, since a shop could not serve by the contract what isn't of it. Looks at the shape first, by the schemas of the contract, and where that holds
 * at what no schema can say: ids that stand twice, references to what isn't there, fields that only `expand` adds.
 */
export function flawsOf(data: unknown, check: SchemaCheck): readonly Flaw[] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return [{ pointer: '', trouble: `is not an object with ${Object.keys(COLLECTIONS).join(', ')}` }];
  }
  const shape = shapeFlaws(data as Record<string, unknown>, check);
  return shape.length > 0 ? shape : referenceFlaws(data as State);
}

function shapeFlaws(data: Record<string, unknown>, check: SchemaCheck): readonly Flaw[] {
  const strangers = Object.keys(data)
    .filter((name) => !Object.hasOwn(COLLECTIONS, name))
    .map((name) => ({
      pointer: pointerTo(name),
      trouble: `is not one of ${Object.keys(COLLECTIONS).join(', ')}: leave it out`,
    }));
  const lists = Object.entries(COLLECTIONS).flatMap(([name, schema]) => {
    const list = data[name];
    if (list === undefined) return [{ pointer: pointerTo(name), trouble: 'is missing: give a list' }];
    if (!Array.isArray(list)) return [{ pointer: pointerTo(name), trouble: 'is not a list' }];
    return list.flatMap((entry, index) => under(pointerTo(name, index), check(schema, entry)));
  });
  return [...strangers, ...lists];
}

function referenceFlaws({ products, deliveryOptions, cartItems, orders }: State): readonly Flaw[] {
  const productIds = new Set(products.map(({ id }) => id));
  const optionIds = new Set(deliveryOptions.map(({ id }) => id));
  const sold = (entry: { productId: string; product?: unknown }) => [
    ...missing('productId', productIds, entry.productId, 'product'),
    ...expanded('product', entry),
  ];
  return [
    ...twins('products', 'id', products),
    ...twins('deliveryOptions', 'id', deliveryOptions),
    ...twins('cartItems', 'productId', cartItems),
    ...twins('orders', 'id', orders),
    ...(deliveryOptions.length > 0
      ? []
      : [{ pointer: '/deliveryOptions', trouble: 'is empty: there must be at least one' }]),
    ...each('deliveryOptions', deliveryOptions, (option) => expanded('estimatedDeliveryTimeMs', option)),
    ...tooDear(products, cartItems),
    ...each('cartItems', cartItems, (item) => [
      ...sold(item),
      ...missing('deliveryOptionId', optionIds, item.deliveryOptionId, 'delivery option'),
    ]),
    ...each('orders', orders, ({ products }) => each('products', products, sold)),
  ];
}

/** The flaws of each entry of a list, their pointers seen from what holds the list. */
function each<Entry>(
  list: string,
  entries: readonly Entry[],
  flaws: (entry: Entry) => readonly Flaw[],
): readonly Flaw[] {
  return entries.flatMap((entry, index) => under(pointerTo(list, index), flaws(entry)));
}

function twins<Key extends string>(
  list: string,
  key: Key,
  entries: readonly Readonly<Record<Key, string>>[],
): readonly Flaw[] {
  const first = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    const at = first.get(entry[key]);
    if (at === undefined) first.set(entry[key], index);
    return at === undefined
      ? []
      : [{ pointer: pointerTo(list, index, key), trouble: `stands at ${pointerTo(list, at, key)} already` }];
  });
}

/** Ours: the most that the products of a cart may cost, in cents, so that shipping and tax can be added to the cent. */
const COST_LIMIT_CENTS = 8_180_000_000_000_000;

function tooDear(products: State['products'], cart: State['cartItems']): readonly Flaw[] {
  const prices = new Map(products.map(({ id, priceCents }) => [id, priceCents]));
  const costCents = cart.reduce((sum, { productId, quantity }) => sum + (prices.get(productId) ?? 0) * quantity, 0);
  if (costCents <= COST_LIMIT_CENTS) return [];
  return [{ pointer: '/cartItems', trouble: `cost more than ${COST_LIMIT_CENTS} cents together: take some out` }];
}

function missing(field: string, ids: ReadonlySet<string>, id: string, what: string): readonly Flaw[] {
  return ids.has(id)
    ? []
    : [{ pointer: pointerTo(field), trouble: `is ${JSON.stringify(id)}, but no ${what} has this id` }];
}

function expanded(field: string, entry: object): readonly Flaw[] {
  return Object.hasOwn(entry, field)
    ? [{ pointer: pointerTo(field), trouble: 'is what expand adds to an answer: leave it out' }]
    : [];
}

function under(pointer: string, flaws: readonly Flaw[]): readonly Flaw[] {
  return flaws.map((flaw) => ({ ...flaw, pointer: pointer + flaw.pointer }));
}

import { setImmediate } from 'node:timers/promises';
import type { SchemaName } from '../shop/types.ts';
import { pointerTo } from '../util/json-pointer.ts';
import type { State } from './state.ts';

/** Something in a data file that isn't as it should be. */
export interface StateIssue {
  /** Where in the file (JSON Pointer, RFC 6901). */
  readonly pointer: string;
  /** What is wrong and what would be right, as the end of a sentence that begins with the place. */
  readonly trouble: string;
}

/**
 * What is wrong with a value, by a schema of the contract in which no other fields than its own are allowed. Puts into the value what it lacks and
 * the schema has a `default` for.
 */
export type ValidateEntry = (schema: SchemaName, value: unknown) => readonly StateIssue[];

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
export function validateState(data: unknown, check: ValidateEntry): readonly StateIssue[] {
  const flaws: StateIssue[] = [];
  for (const flaw of stepsOf(data, check)) if (flaw) flaws.push(flaw);
  return flaws;
}

/** How many entries are checked before other requests are handled. */
const SLICE_ENTRIES = 200;

/** How many flaws are looked for. */
const MOST_FLAWS = 1_000;

/** What keeps `data` from being a state, the first 1,000 flaws. Leaves `data` as it is. Other requests are handled meanwhile. */
export async function flawsInSlices(data: unknown, check: ValidateEntry): Promise<readonly StateIssue[]> {
  const flaws: StateIssue[] = [];
  const checkCopy: ValidateEntry = (schema, value) => check(schema, structuredClone(value));
  let steps = 0;
  for (const flaw of stepsOf(data, checkCopy)) {
    if (flaw) flaws.push(flaw);
    if (flaws.length === MOST_FLAWS) break;
    if (++steps % SLICE_ENTRIES === 0) await setImmediate();
  }
  return flaws;
}

/** A check step by step: yields each flaw, and undefined after each entry that was looked at. */
type Steps = Generator<StateIssue | undefined, void>;

function* stepsOf(data: unknown, check: ValidateEntry): Steps {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    yield { pointer: '', trouble: `is not an object with ${Object.keys(COLLECTIONS).join(', ')}` };
    return;
  }
  let isShaped = true;
  for (const flaw of shapeFlaws(data as Record<string, unknown>, check)) {
    if (flaw) isShaped = false;
    yield flaw;
  }
  if (isShaped) yield* referenceFlaws(data as State);
}

function* shapeFlaws(data: Record<string, unknown>, check: ValidateEntry): Steps {
  for (const name of Object.keys(data)) {
    if (Object.hasOwn(COLLECTIONS, name)) continue;
    const trouble = `is not one of ${Object.keys(COLLECTIONS).join(', ')}: leave it out`;
    yield { pointer: pointerTo(name), trouble };
  }
  for (const [name, schema] of Object.entries(COLLECTIONS)) {
    const list = data[name];
    if (list === undefined) yield { pointer: pointerTo(name), trouble: 'is missing: give a list' };
    else if (!Array.isArray(list)) yield { pointer: pointerTo(name), trouble: 'is not a list' };
    else yield* each(name, list, (entry) => check(schema, entry));
  }
}

function* referenceFlaws({ products, deliveryOptions, cartItems, orders }: State): Steps {
  const productIds = new Set(products.map(({ id }) => id));
  const optionIds = new Set(deliveryOptions.map(({ id }) => id));
  const sold = (entry: { productId: string; product?: unknown }) => [
    ...missing('productId', productIds, entry.productId, 'product'),
    ...expanded('product', entry),
  ];
  yield* twins('products', 'id', products);
  yield* twins('deliveryOptions', 'id', deliveryOptions);
  yield* twins('cartItems', 'productId', cartItems);
  yield* twins('orders', 'id', orders);
  if (deliveryOptions.length === 0)
    yield { pointer: '/deliveryOptions', trouble: 'is empty: there must be at least one' };
  yield* each('deliveryOptions', deliveryOptions, (option) => expanded('estimatedDeliveryTimeMs', option));
  yield* tooDear(products, cartItems);
  yield* each('cartItems', cartItems, (item) => [
    ...sold(item),
    ...missing('deliveryOptionId', optionIds, item.deliveryOptionId, 'delivery option'),
  ]);
  yield* each('orders', orders, ({ products: ordered }) =>
    [...each('products', ordered, sold)].flatMap((flaw) => flaw ?? []),
  );
}

/** The flaws of each entry of a list, their pointers seen from what holds the list. */
function* each<Entry>(list: string, entries: readonly Entry[], flaws: (entry: Entry) => readonly StateIssue[]): Steps {
  for (const [index, entry] of entries.entries()) {
    yield* under(pointerTo(list, index), flaws(entry));
    yield undefined;
  }
}

function* twins<Key extends string>(list: string, key: Key, entries: readonly Readonly<Record<Key, string>>[]): Steps {
  const first = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const at = first.get(entry[key]);
    if (at === undefined) first.set(entry[key], index);
    else yield { pointer: pointerTo(list, index, key), trouble: `stands at ${pointerTo(list, at, key)} already` };
    yield undefined;
  }
}

/** Ours: the most that the products of a cart may cost, in cents, so that shipping and tax can be added to the cent. */
const COST_LIMIT_CENTS = 8_180_000_000_000_000;

function tooDear(products: State['products'], cart: State['cartItems']): readonly StateIssue[] {
  const prices = new Map(products.map(({ id, priceCents }) => [id, priceCents]));
  const costCents = cart.reduce((sum, { productId, quantity }) => sum + (prices.get(productId) ?? 0) * quantity, 0);
  if (costCents <= COST_LIMIT_CENTS) return [];
  return [{ pointer: '/cartItems', trouble: `cost more than ${COST_LIMIT_CENTS} cents together: take some out` }];
}

function missing(field: string, ids: ReadonlySet<string>, id: string, what: string): readonly StateIssue[] {
  return ids.has(id)
    ? []
    : [{ pointer: pointerTo(field), trouble: `is ${JSON.stringify(id)}, but no ${what} has this id` }];
}

function expanded(field: string, entry: object): readonly StateIssue[] {
  return Object.hasOwn(entry, field)
    ? [{ pointer: pointerTo(field), trouble: 'is what expand adds to an answer: leave it out' }]
    : [];
}

function under(pointer: string, flaws: readonly StateIssue[]): readonly StateIssue[] {
  return flaws.map((flaw) => ({ ...flaw, pointer: pointer + flaw.pointer }));
}

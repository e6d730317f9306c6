import {
  type Application,
  type ApplicationHandler,
  type EntryForm,
  type ExampleRequest,
  type Handle,
  mocked,
  type NewEntryContext,
  type Operation,
  type Table,
} from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import { combineDataValidators } from '../openapi/violations.ts';
import { getPackageFile } from '../package-file.ts';
import { createIdGenerator } from '../sandbox/clock-and-ids.ts';
import type { Entry } from '../store/state.ts';
import { type StateRules, type ValidationSteps, validateEntries } from '../store/validate-state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { createIssue, type DataValidator, type Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { ProblemKind } from '../util/problem.ts';
import { createRandom } from '../util/random.ts';
import { runInSlices } from '../util/slices.ts';
import { hasSameStateSchemas, shopContract } from './contract.ts';
import {
  computePaymentSummary,
  createOrderFromCart,
  findDeliveryOption,
  findProduct,
  indexProducts,
  MAX_CART_COST_CENTS,
  MAX_STORED_ID,
  QUANTITY_LIMIT,
  SEQUENCES,
} from './domain/cart.ts';
import type { DomainErrorCode } from './domain/domain-error.ts';
import type { Shop } from './operations/handler.ts';
import { handlers } from './operations/handlers.ts';
import { explainSearch, getSearch, prepareSearch, searchInSlices } from './search/product-search.ts';
import { NO_SYNONYMS, parseSynonyms } from './search/synonyms.ts';
import { collections, type State } from './state.ts';
import type { CartItem, DeliveryOption, Order, Product } from './types.ts';

/** The tables in which the console shows the data of the shop: products, delivery options, cart items and orders. */
const tables: Readonly<Record<keyof State, Table<State>>> = {
  products: createTable<Product>(
    {
      Picture: 'image',
      Name: 'text',
      Price: 'money',
      Rating: 'number',
      Ratings: 'number',
      Keywords: 'text',
    },
    ({ image, name, priceCents, rating, keywords }) => [
      toUrl(image),
      name,
      priceCents,
      rating.stars,
      rating.count,
      keywords.join(', '),
    ],
  ),
  deliveryOptions: createTable<DeliveryOption>(
    { Days: 'number', Price: 'money', Id: 'id' },
    ({ id, deliveryDays, priceCents }) => [deliveryDays, priceCents, id],
  ),
  cartItems: {
    ...createTable<CartItem>(
      { Picture: 'image', Name: 'text', Price: 'money', Quantity: 'number', Delivery: 'text', Shipping: 'money' },
      ({ productId, quantity, deliveryOptionId }, state) => {
        const { image, name, priceCents } = findProduct(state, productId);
        const option = findDeliveryOption(state, deliveryOptionId);
        return [toUrl(image), name, priceCents, quantity, describeDelivery(option), option.priceCents];
      },
    ),
    summarize: summarizeCart,
  },
  orders: createTable<Order>(
    { Time: 'time', Products: 'number', Total: 'money', Id: 'id' },
    ({ id, orderTimeMs, totalCostCents, products }) => [
      toIsoTime(orderTimeMs),
      products.reduce((sum, { quantity }) => sum + quantity, 0),
      totalCostCents,
      id,
    ],
  ),
};

/**
 * Creates a table.
 * `formats`: the format of each column by its title, such as `{ Price: 'money' }`.
 * `getCells`: returns the values in the row of an entry.
 */
function createTable<Row>(
  formats: Readonly<Record<string, Table['columns'][number]['format']>>,
  getCells: (entry: Row, state: State) => readonly unknown[],
): Table<State> {
  return {
    columns: Object.entries(formats).map(([title, format]) => ({ title, format })),
    // This cast is safe: the server validates the entries of a state.
    getCells: (entry: Entry, state) => getCells(entry as Row, state),
  };
}

/**
 * Converts the image path of a product to a URL of this server: `images/mug.svg` becomes `/images/mug.svg`.
 * Returns an absolute URL or path unchanged.
 */
function toUrl(image: string): string {
  return /^([a-z][a-z\d+.-]*:|\/)/i.test(image) ? image : `/${image}`;
}

function describeDelivery({ deliveryDays }: DeliveryOption): string {
  return deliveryDays === 1 ? '1 day' : `${deliveryDays} days`;
}

function summarizeCart(state: State): ReturnType<NonNullable<Table['summarize']>> {
  const summary = computePaymentSummary(state.cartItems, state);
  return [
    { title: 'Items', value: summary.totalItems, format: 'number' },
    { title: 'Products', value: summary.productCostCents, format: 'money' },
    { title: 'Shipping', value: summary.shippingCostCents, format: 'money' },
    { title: 'Tax', value: summary.taxCents, format: 'money' },
    { title: 'Total', value: summary.totalCostCents, format: 'money' },
  ];
}

/**
 * Finds validation errors that no JSON Schema can express:
 * - an id that refers to no entry
 * - a stored field that the query parameter `expand` adds to responses, such as `product`
 * - an id that two cart items have, or that leaves too few ids for new items
 * - a cart whose products cost more than `MAX_CART_COST_CENTS`
 */
function* findReferenceIssues({ products, deliveryOptions, cartItems, orders }: State): ValidationSteps {
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

/** The number of orders in the snapshot `many-orders`. */
const ORDERS = 200;

/** The time between two consecutive orders in the snapshot `many-orders`, in ms. */
const ORDER_INTERVAL_MS = 5_400_000;

/** The maximum number of products in an order of the snapshot `many-orders`. */
const MAX_ORDER_PRODUCTS = 5;

/** The time of the newest order in the snapshot `many-orders`, in ms since 1970. */
const NEWEST_ORDER_TIME_MS = Date.UTC(2025, 5, 1, 12);

/** The built-in snapshots of the shop. Each function takes the default data and returns the data of one snapshot. */
const snapshots: Readonly<Record<string, (defaults: State) => State>> = {
  'empty-cart': (defaults) => ({ ...defaults, cartItems: [] }),
  'full-cart': (defaults) => ({ ...defaults, cartItems: createFullCart(defaults) }),
  'many-orders': (defaults) => ({ ...defaults, orders: createOrders(defaults) }),
  'one-product': (defaults) => ({ ...defaults, products: defaults.products.slice(0, 1), cartItems: [], orders: [] }),
  'no-products': (defaults) => ({ ...defaults, products: [], cartItems: [], orders: [] }),
};

function createFullCart({ products, deliveryOptions: [option] }: State): State['cartItems'] {
  return option
    ? products.map(({ id: productId }, index) => ({
        id: index + 1,
        productId,
        quantity: 1,
        deliveryOptionId: option.id,
      }))
    : [];
}

/**
 * Creates orders with random products and quantities, the newest first.
 * The random seed is fixed, so the same default data always gives the same orders.
 */
function createOrders(defaults: State): State['orders'] {
  const { products, deliveryOptions } = defaults;
  if (products.length === 0 || deliveryOptions.length === 0) return [];
  const random = createRandom(1);
  const idGenerator = createIdGenerator(() => '');
  idGenerator.setSeed(1);
  return Array.from({ length: ORDERS }, (_, index) => {
    const count = random.integer(1, Math.min(MAX_ORDER_PRODUCTS, products.length));
    const first = random.integer(0, products.length - count);
    const cart = products.slice(first, first + count).map(({ id }) => ({
      productId: id,
      quantity: random.integer(1, 10),
      deliveryOptionId: random.pick(deliveryOptions).id,
    }));
    return createOrderFromCart(cart, defaults, {
      id: idGenerator.next(),
      orderTimeMs: NEWEST_ORDER_TIME_MS - index * ORDER_INTERVAL_MS,
    });
  });
}

/** The HTTP status, title and explanation of each error response of the shop. The keys are error codes. */
const problems: Readonly<Record<DomainErrorCode, ProblemKind>> = {
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
    explanation: `A cart contains at most ${formatCount(QUANTITY_LIMIT)} units of one product, and products for at most ${formatCount(MAX_CART_COST_CENTS)} cents. The request exceeds one of these limits. They keep amounts of money exact.`,
  },
};

/**
 * Formats a number with a comma after each group of three digits.
 * `toLocaleString` would load the data of the language, which takes 15 ms at the start.
 */
function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** What the console asks for in a new entry: everything but ids and times, which the server sets. */
const FORMS: Readonly<Partial<Record<keyof State, EntryForm>>> = {
  products: { properties: ['name', 'image', 'priceCents', 'rating', 'keywords'], references: [] },
  cartItems: {
    properties: ['productId', 'quantity', 'deliveryOptionId'],
    references: [
      { property: 'productId', collection: 'products' },
      { property: 'deliveryOptionId', collection: 'deliveryOptions' },
    ],
  },
  deliveryOptions: { properties: ['deliveryDays', 'priceCents'], references: [] },
  orders: { properties: ['totalCostCents', 'products'], references: [] },
};

/** Adds the id and the time to a new entry that lacks them. */
function completeNewEntry(collection: string, entry: Entry, { nowMs, newId }: NewEntryContext): Entry {
  if (collection === 'cartItems') return entry;
  return { id: newId(), ...(collection === 'orders' ? { orderTimeMs: nowMs } : {}), ...entry };
}

/** The parts of the shop application that are the same with and without synonyms for the search. */
const base = {
  contractFile: getPackageFile('openapi.yaml'),
  defaultData: getPackageFile('db.json.default'),
  imagesFolder: getPackageFile('images'),
  problems,
  snapshots,
  implementContract(contract: Contract) {
    const validateEntry = createEntryValidator(contract);
    return {
      getImplementation,
      stateRules: { ...stateRules, validateEntry },
      getEntryForm: (collection: string) => FORMS[collection as keyof State],
      completeNewEntry,
      validatesChanges: validateEntry !== shopContract.validateData,
    };
  },
  async prepare({ products }: State) {
    await runInSlices(indexProducts(products));
    await prepareSearch(products);
  },
  getExamples,
  tables,
};

/**
 * Creates the shop application.
 * `synonymsFile`: the path of a JSON file with words that mean the same in a search, such as `[["sofa", "couch"]]`.
 */
export function createShop(synonymsFile?: string): Application<State> {
  let synonyms = NO_SYNONYMS;
  const search: Shop['search'] = (products, term) => getSearch(products, synonyms)(term);
  const searchLong: Shop['searchInSlices'] = (products, term) => searchInSlices(products, term, synonyms);
  const load = (text: string) => {
    synonyms = parseSynonyms(text, String(synonymsFile));
  };
  return {
    ...base,
    // `{ ...context, search }` would be much slower in V8 than this list of properties.
    extendContext: ({ read, update, reset, nowMs, newId, changes }): Shop => ({
      ...{ read, update, reset, nowMs, newId, changes },
      search,
      searchInSlices: searchLong,
    }),
    explainSearch: { products: ({ products }, searched) => explainSearch(products, searched, synonyms) },
    ...(synonymsFile !== undefined && { settings: { path: synonymsFile, load } }),
  };
}

/** The shop application without synonyms for the search. It is the default application of the server. */
export const shop: Application<State> = createShop();

/** The rules that the data of the shop must follow, according to `openapi.yaml` of this package. */
export const stateRules: StateRules<State> = {
  collections,
  internalLists: [SEQUENCES],
  validateEntry: shopContract.validateData,
  findReferenceIssues,
};

const ownRoutes = new Map(shopContract.routes.map((route) => [route.operationId, route]));

/**
 * Returns the shop's handler for an operation of the contract that the server uses.
 * Returns undefined if `openapi.yaml` of this package has no operation with the same operationId, method and path.
 * Also returns undefined if the operation is mocked.
 */
function getImplementation({ operationId, method, path }: Operation): ApplicationHandler<State> | undefined {
  const route = ownRoutes.get(operationId);
  if (route?.method !== method || route.path !== path) return undefined;
  const handler = handlers[operationId as keyof typeof handlers];
  if (handler === mocked) return undefined;
  // This cast is safe: the server validates the input against the contract, and `extendContext` creates a `Shop`.
  return { handle: handler as Handle<State>, writtenFor: { document: shopContract.document, route } };
}

/**
 * Creates a function that validates one entry of the data, such as a product.
 * An entry must satisfy `openapi.yaml` of this package.
 * If the server uses another contract with operations of the shop, an entry must also satisfy its schemas.
 */
function createEntryValidator(contract: Contract): DataValidator {
  const own = shopContract.validateData;
  const isServed = contract.routes.some(getImplementation);
  if (!isServed || hasSameStateSchemas(contract.normalized)) return own;
  const schemas = Object.keys(contract.normalized.components?.schemas ?? {});
  return combineDataValidators(own, (schema, value) =>
    schemas.includes(schema) ? contract.validateData(schema, value) : [],
  );
}

/** Returns three requests that a user can try: search the products, add a product to the cart, and place an order. */
function getExamples({ products: [product] }: State): readonly ExampleRequest[] {
  const term = (product?.keywords[0] ?? '').replaceAll(/\p{Surrogate}/gu, '');
  const body = { productId: product?.id, quantity: 2 };
  return [
    { title: 'Search the products', method: 'GET', path: `/api/products?search=${encodeURIComponent(term)}` },
    { title: 'Add a product to the cart', method: 'POST', path: '/api/cart-items', body },
    { title: 'Place an order', method: 'POST', path: '/api/orders' },
  ];
}

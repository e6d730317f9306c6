import { type Application, type ApplicationHandler, type Handle, mocked, type Operation } from '../application.ts';
import type { ExampleRequest } from '../application-views.ts';
import type { Contract } from '../openapi/contract.ts';
import { combineDataValidators } from '../openapi/violations.ts';
import { getPackageFile } from '../package-file.ts';
import type { StateRules } from '../store/validate-state.ts';
import type { DataValidator } from '../util/issue.ts';
import { runInSlices } from '../util/slices.ts';
import { hasSameStateSchemas, shopContract } from './contract.ts';
import { SEQUENCES } from './domain/cart-item-ids.ts';
import { indexProducts } from './domain/catalogue.ts';
import type { Shop } from './operations/handler.ts';
import { handlers } from './operations/index.ts';
import { problems } from './problems.ts';
import { explainSearch, getSearch, prepareSearch, searchInSlices } from './search/product-search.ts';
import { NO_SYNONYMS, parseSynonyms } from './search/synonyms.ts';
import { snapshots } from './snapshots.ts';
import { collections, type State } from './state.ts';
import { findReferenceIssues } from './state-validation.ts';
import { tables } from './tables.ts';

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

/** Creates the shop application. `synonymsFile`: the path of a JSON file with words that mean the same in a search, such as `[["sofa", "couch"]]`. */
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
    extendContext: ({ read, update, reset, nowMs, newId }): Shop => ({
      ...{ read, update, reset, nowMs, newId },
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
 * Returns the shop's handler for an operation of the contract that the server uses. Returns undefined if `openapi.yaml` of this package has no operation with
 * the same operationId, method and path. Also returns undefined if the operation is mocked.
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
 * Creates a function that validates one entry of the data, such as a product. An entry must satisfy `openapi.yaml` of this package. If the server uses another
 * contract with operations of the shop, an entry must also satisfy its schemas.
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

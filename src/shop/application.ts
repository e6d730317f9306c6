import { type Application, type ApplicationHandler, type Handle, mocked, type Operation } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import { combineDataValidators } from '../openapi/violations.ts';
import { getPackageFile } from '../package-file.ts';
import type { StateRules } from '../store/validate-state.ts';
import type { DataValidator } from '../util/issue.ts';
import { runInSlices } from '../util/slices.ts';
import { hasSameStateSchemas, shopContract } from './contract.ts';
import { indexProducts } from './domain/catalogue.ts';
import type { Shop } from './operations/handler.ts';
import { handlers } from './operations/index.ts';
import { problems } from './problems.ts';
import { getSearch, prepareSearch } from './search/product-search.ts';
import { snapshots } from './snapshots.ts';
import { collections, type State } from './state.ts';
import { findReferenceIssues } from './state-validation.ts';

/** The shop: the application that the package serves by default. */
export const shop: Application<State> = {
  contractFile: getPackageFile('openapi.yaml'),
  defaultData: getPackageFile('db.json.default'),
  imagesFolder: getPackageFile('images'),
  problems,
  snapshots,
  implementContract(contract) {
    const validateEntry = createEntryValidator(contract);
    return {
      getImplementation,
      stateRules: { ...stateRules, validateEntry },
      validatesChanges: validateEntry !== shopContract.validateData,
    };
  },
  // Lists the properties, because V8 needs much longer to add a property to a copy.
  extendContext: ({ read, update, reset, nowMs, newId }): Shop => ({ read, update, reset, nowMs, newId, search }),
  async prepare({ products }) {
    await runInSlices(indexProducts(products));
    await prepareSearch(products);
  },
  describe,
};

const search: Shop['search'] = (products, term) => getSearch(products)(term);

/** The rules for the state of the shop under the shop's own contract. */
export const stateRules: StateRules<State> = {
  collections,
  validateEntry: shopContract.validateData,
  findReferenceIssues,
};

const ownRoutes = new Map(shopContract.routes.map((route) => [route.operationId, route]));

/** Returns the handler of an operation; undefined unless the shop's contract has an operation with the same id, method and path. */
function getImplementation({ operationId, method, path }: Operation): ApplicationHandler<State> | undefined {
  const route = ownRoutes.get(operationId);
  if (route?.method !== method || route.path !== path) return undefined;
  const handler = handlers[operationId as keyof typeof handlers];
  if (handler === mocked) return undefined;
  // The engine validates the input by the contract, and `extendContext` makes the context a `Shop`.
  return { handle: handler as Handle<State>, writtenFor: { document: shopContract.document, route } };
}

/**
 * Creates the validator of the entries of a state. Entries must satisfy the shop's own contract. If the served contract has an operation of the shop,
 * and its state schemas differ from the shop's, entries must also satisfy the served contract.
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

/** Returns three example commands and links to the collections, for the front page. */
function describe({ products: [product] }: State, url: string) {
  const term = (product?.keywords[0] ?? '').replaceAll(/\p{Surrogate}/gu, '');
  const item = JSON.stringify({ productId: product?.id, quantity: 2 });
  return {
    commands: [
      `curl '${url}/api/products?search=${encodeURIComponent(term)}'`,
      `curl -X POST ${url}/api/cart-items -H 'Content-Type: application/json' -d '${item}'`,
      `curl ${url}/api/payment-summary`,
    ],
    links: {
      'The products': '/api/products',
      'The cart': '/api/cart-items?expand=product',
      'The orders': '/api/orders?expand=products',
    },
  };
}

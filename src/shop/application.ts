import { type Application, type ApplicationHandler, type Handle, mocked, type Operation } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import { combineDataValidators, type DataValidator } from '../openapi/violations.ts';
import { getPackageFile } from '../package-file.ts';
import type { StateRules } from '../store/validate-state.ts';
import { collections } from './collections.ts';
import { hasSameStateSchemas, shopContract } from './contract.ts';
import type { Shop } from './operations/handler.ts';
import { handlers } from './operations/index.ts';
import { problems } from './problems.ts';
import { getSearch, prepareSearch } from './search/product-index.ts';
import { snapshots } from './snapshots.ts';
import type { State } from './state.ts';
import { findReferenceIssues } from './state-validation.ts';

/** The shop. */
export const shop: Application<State> = {
  contractFile: getPackageFile('openapi.yaml'),
  defaultDataFile: getPackageFile('db.json.default'),
  imagesFolder: getPackageFile('images'),
  collections,
  problems,
  snapshots,
  bind(contract) {
    const validateEntry = createEntryValidator(contract);
    return {
      getImplementation,
      stateRules: { ...stateRules, validateEntry },
      validatesChanges: validateEntry !== shopContract.checkData,
    };
  },
  extendContext: (context): Shop => ({ ...context, search: (products, term) => getSearch(products)(term) }),
  prepare: ({ products }) => prepareSearch(products),
  describe,
};

/** The rules of the contract that the shop is written for. */
export const stateRules: StateRules<State> = {
  collections,
  validateEntry: shopContract.checkData,
  findReferenceIssues,
};

const ownRoutes = new Map(shopContract.routes.map((route) => [route.operationId, route]));

/** Returns the handler of an operation that has the id, method and path of one of the shop. */
function getImplementation({ operationId, method, path }: Operation): ApplicationHandler<State> | undefined {
  const route = ownRoutes.get(operationId);
  if (route?.method !== method || route.path !== path) return undefined;
  const handler = handlers[operationId as keyof typeof handlers];
  if (handler === mocked) return undefined;
  // The input satisfies the contract, and the context is extended to a shop.
  return { handle: handler as Handle<State>, writtenFor: { document: shopContract.plain, route } };
}

/** Creates the validator of entries: by the shop's own contract, and also by the served one if that has operations of the shop and other schemas. */
function createEntryValidator(contract: Contract): DataValidator {
  const own = shopContract.checkData;
  const isServed = contract.routes.some(getImplementation);
  if (!isServed || hasSameStateSchemas(contract.normalized)) return own;
  const schemas = Object.keys(contract.normalized.components?.schemas ?? {});
  return combineDataValidators(own, (schema, value) =>
    schemas.includes(schema) ? contract.validateData(schema, value) : [],
  );
}

/** Shows three command lines to try, and links to what the shop has. */
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

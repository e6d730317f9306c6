import { closeSchemas } from '../openapi/close-schemas.ts';
import { findCompiledContract, hashContract } from '../openapi/compiled-contract.ts';
import { type Document, getNode, type Node, resolveNode } from '../openapi/document.ts';
import { requireKnownValues } from '../openapi/known-values.ts';
import { normalizeSchemas } from '../openapi/normalize-schemas.ts';
import { getRoutes, type Route } from '../openapi/routes.ts';
import { createSchemaValidator } from '../openapi/schema-validator.ts';
import { createDataValidator } from '../openapi/violations.ts';
import { ownDocument } from './own-document.ts';
import { collections } from './state.ts';

/** The ajv options for validating stored data. `useDefaults`: a missing property gets the `default` of its schema. */
export const stateOptions = { useDefaults: true } as const;

/**
 * Prepares an OpenAPI document of the shop.
 * Returns the normalized document, its routes, and a function that validates stored data such as products.
 */
export function createShopContract(source: Document) {
  const compiled = findCompiledContract(hashContract(JSON.stringify(source)));
  const document = compiled?.documents.normalized ?? normalizeSchemas(source).document;
  const view = () => closeSchemas(document);
  const validate = createSchemaValidator(view, {
    ajv: stateOptions,
    findCompiled: (pointer) => compiled?.getValidator('state', pointer),
  });
  return {
    document,
    /** Returns the document that `validateData` uses. Its object schemas forbid undocumented properties. */
    view,
    routes: getRoutes(document),
    /**
     * Validates a value against a schema in `components.schemas`, and returns the validation errors.
     * Changes the value: a missing property gets the `default` of its schema.
     */
    validateData: createDataValidator(validate),
  };
}

/**
 * The contract of the shop's handlers: `openapi.yaml` of this package.
 * With `--contract`, the server can use another version of it.
 */
export const shopContract = createShopContract(ownDocument);

/**
 * Returns whether a document has the same schemas as the shop's contract for products, delivery options, cart items and
 * orders.
 * Descriptions and examples may differ.
 */
export function hasSameStateSchemas(served: Document): boolean {
  const isSame = createComparison(served);
  const pointers = Object.values(collections).map(({ schema }) => `/components/schemas/${schema}`);
  return pointers.every((pointer) => isSame(pointer, pointer));
}

/**
 * Returns whether an operation has the same parameters and request body in two contracts: the shop's own contract, and
 * the contract that the server uses.
 * The second contract may lack the parameters `limit` and `after`, because earlier versions do not have them.
 */
export function hasSameRequest(served: Document, ownRoute: Route, servedRoute: Route): boolean {
  const isSame = createComparison(served);
  const names = servedRoute.parameters.map(({ name }) => name);
  const own = ownRoute.parameters.filter(({ name }) => names.includes(name) || !PAGE_PARAMETERS.includes(name));
  const hasSameParameters = own.every(({ pointer }, index) =>
    isSame(pointer, servedRoute.parameters[index]?.pointer ?? ''),
  );
  const hasSameBody = isSame(`${ownRoute.pointer}/requestBody`, `${servedRoute.pointer}/requestBody`);
  return own.length === names.length && hasSameParameters && hasSameBody;
}

/** The query parameters that select a page of a list. */
const PAGE_PARAMETERS: readonly string[] = ['limit', 'after'];

/**
 * The keys of a schema that a comparison ignores.
 * Most of them do not change which values are valid.
 * `$ref` is resolved before the comparison.
 */
const IGNORED_KEYS = /^(description|summary|title|examples?|x-refused-examples|x-present-with|\$ref)$/;

/**
 * Creates a function that compares a part of the shop's contract with a part of another document.
 * Both parts are JSON Pointers, such as `/components/schemas/Product`.
 * The function follows references, and ignores descriptions and examples.
 */
function createComparison(served: Document): (ownPointer: string, servedPointer: string) => boolean {
  const { document } = shopContract;
  const compared = new Map<object, Set<object>>();
  const isSame = (own: unknown, other: unknown, hasNames: boolean): boolean => {
    // With the option `strict`, the served contract has `enum` instead of `x-known-values`.
    const [ownNode, otherNode] = [resolveNode(document, own), resolveNode(served, other)].map(requireKnownValues);
    if (!isObject(ownNode) || !isObject(otherNode)) return ownNode === otherNode;
    const others = compared.get(ownNode) ?? new Set();
    if (others.has(otherNode)) return true;
    compared.set(ownNode, others.add(otherNode));
    const getKeys = (node: object) => Object.keys(node).filter((key) => hasNames || !IGNORED_KEYS.test(key));
    const keys = getKeys(ownNode);
    const hasSameKeys = keys.sort().join() === getKeys(otherNode).sort().join();
    if (!hasSameKeys || Array.isArray(ownNode) !== Array.isArray(otherNode)) return false;
    return keys.every((key) => isSame(ownNode[key], otherNode[key], key === 'properties'));
  };
  return (ownPointer, servedPointer) =>
    isSame(getNode(document, ownPointer), getNode(served, servedPointer), ownPointer.endsWith('/properties'));
}

function isObject(node: unknown): node is Node {
  return typeof node === 'object' && node !== null;
}

import { closeSchemas } from '../openapi/close-schemas.ts';
import { findCompiledContract, hashContract } from '../openapi/compiled-contract.ts';
import { type Document, getNode, type Node, resolveNode } from '../openapi/document.ts';
import { normalizeSchemas } from '../openapi/normalize-schemas.ts';
import { getRoutes, type Route } from '../openapi/routes.ts';
import { createSchemaValidator } from '../openapi/schema-validator.ts';
import { createDataValidator } from '../openapi/violations.ts';
import contractJson from './contract.json' with { type: 'json' };
import { collections } from './state.ts';

/** The OpenAPI document in `contract.json`. */
export const ownDocument = contractJson as unknown as Document;

/** The ajv options for the state: a missing property gets the `default` of its schema. */
export const stateOptions = { useDefaults: true } as const;

/** Creates the shop's contract from an OpenAPI document: the normalized document, its routes, and a validator of data. */
export function createShopContract(source: Document) {
  const compiled = findCompiledContract(hashContract(JSON.stringify(source)));
  const document = compiled?.documents.normalized ?? normalizeSchemas(source).document;
  const view = () => closeSchemas(document);
  const validate = createSchemaValidator(view, stateOptions, (pointer) => compiled?.getValidator('state', pointer));
  return {
    document,
    /** Returns the document against which data is validated. */
    view,
    routes: getRoutes(document),
    /** Validates a value against a schema, and returns the issues. Adds missing properties that have a `default` to the value. */
    validateData: createDataValidator(validate),
  };
}

/**
 * The contract that the shop's handlers are written for. The served contract may be a newer version. `npm run types` generates `contract.json` from
 * `openapi.yaml` without descriptions and examples.
 */
export const shopContract = createShopContract(ownDocument);

/** Whether the schemas of the state in a document are equal to those of the shop's contract. */
export function hasSameStateSchemas(served: Document): boolean {
  const isSame = createComparison(served);
  const pointers = Object.values(collections).map(({ schema }) => `/components/schemas/${schema}`);
  return pointers.every((pointer) => isSame(pointer, pointer));
}

/** Whether the parameters and the request body of a served operation are equal to those of an operation of the shop's contract. */
export function hasSameRequest(served: Document, ownRoute: Route, servedRoute: Route): boolean {
  const isSame = createComparison(served);
  const getPointers = (one: Route) => [`${one.pointer}/requestBody`, ...one.parameters.map(({ pointer }) => pointer)];
  const [own, other] = [getPointers(ownRoute), getPointers(servedRoute)];
  return own.length === other.length && own.every((pointer, index) => isSame(pointer, other[index] ?? ''));
}

/** Keys that a comparison ignores, because they do not change which values are valid. References are resolved before the comparison. */
const IGNORED_KEYS = /^(description|summary|title|examples?|x-refused-examples|x-present-with|\$ref)$/;

/**
 * Returns a function that compares a node of the shop's contract with a node of a served document. The function takes the JSON Pointers of both nodes. It
 * follows references and ignores descriptions and examples.
 */
function createComparison(served: Document): (ownPointer: string, servedPointer: string) => boolean {
  const { document } = shopContract;
  const compared = new Map<object, Set<object>>();
  const isSame = (own: unknown, other: unknown, hasNames: boolean): boolean => {
    const [ownNode, otherNode] = [resolveNode(document, own), resolveNode(served, other)];
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

import { closeSchemas } from '../openapi/close-schemas.ts';
import { type Document, getNode, resolvePointer } from '../openapi/document.ts';
import { normalizeSchemas } from '../openapi/normalize-schemas.ts';
import { getRoutes, type Route } from '../openapi/routes.ts';
import { createSchemaValidator } from '../openapi/schema-validator.ts';
import { createDataValidator } from '../openapi/violations.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { collections } from './collections.ts';
import document from './contract.json' with { type: 'json' };

/** Returns the contract in a document, as far as handlers are written for it. */
export function createShopContract(document: Document) {
  const { document: plain } = normalizeSchemas(document);
  const validator = createSchemaValidator(() => closeSchemas(plain), { useDefaults: true });
  return {
    plain,
    routes: getRoutes(plain),
    /** Returns what is wrong with data for the handlers. Puts into it what it lacks and the schema has a `default` for. */
    checkData: createDataValidator(validator),
  };
}

/** The contract that the shop's handlers are written for: its operations and schemas, which `npm run types` makes of openapi.yaml without the words for people that the type asks for. */
export const shopContract = createShopContract(document as unknown as Document);

/** Whether a document has the schemas of the state as the shop's handlers are written for them. */
export function hasSameStateSchemas(served: Document): boolean {
  const isSame = createComparison(served);
  const pointers = Object.values(collections).map(({ schema }) => `/components/schemas/${schema}`);
  return pointers.every((pointer) => isSame(pointer, pointer));
}

/** Whether a document asks of requests to an operation what the shop's handlers are written for: the same parameters and body. */
export function hasSameRequest(served: Document, own: Route, route: Route): boolean {
  const isSame = createComparison(served);
  const getInputs = (one: Route) => [`${one.pointer}/requestBody`, ...one.parameters.map(({ pointer }) => pointer)];
  const [before, now] = [getInputs(own), getInputs(route)];
  return before.length === now.length && before.every((pointer, place) => isSame(pointer, now[place] ?? ''));
}

/** Words for people, and values: no part of what data looks like. */
const ASIDE = /^(description|summary|title|examples?|x-refused-examples|x-present-with|\$ref)$/;

/** Tells whether what stands at a pointer of the shop's contract is, but for words and examples, what stands at a pointer of a served one. */
function createComparison(served: Document): (own: string, other: string) => boolean {
  const seen = new Set<string>();
  return function isSame(own, other): boolean {
    const [here, there] = [resolvePointer(shopContract.plain, own), resolvePointer(served, other)];
    if (seen.has(`${here} ${there}`)) return true;
    seen.add(`${here} ${there}`);
    const [before, now] = [getNode(shopContract.plain, here), getNode(served, there)];
    if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null) return before === now;
    const isNames = here.endsWith('/properties');
    const getKeys = (node: object) => Object.keys(node).filter((key) => isNames || !ASIDE.test(key));
    const keys = getKeys(before).sort();
    if (Array.isArray(before) !== Array.isArray(now) || keys.join() !== getKeys(now).sort().join()) return false;
    return keys.every((key) => isSame(here + formatPointer(key), there + formatPointer(key)));
  };
}

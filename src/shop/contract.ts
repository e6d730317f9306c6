import { closeSchemas } from '../openapi/close-schemas.ts';
import { type Document, getNode, resolvePointer } from '../openapi/document.ts';
import { normalizeSchemas } from '../openapi/normalize-schemas.ts';
import { getRoutes, type Route } from '../openapi/routes.ts';
import { createSchemaValidator } from '../openapi/schema-validator.ts';
import { createDataValidator, type DataValidator } from '../openapi/violations.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { collections } from './collections.ts';
import document from './contract.json' with { type: 'json' };

/** A contract as far as handlers are written for it. */
export interface ShopContract {
  readonly plain: Document;
  readonly routes: readonly Route[];
  /** What is wrong with data for the handlers. Puts into it what it lacks and the schema has a `default` for. */
  readonly checkData: DataValidator;
}

/** The contract in a document, for handlers that are written for it. */
export function createShopContract(document: Document): ShopContract {
  const { document: plain } = normalizeSchemas(document);
  const judge = createSchemaValidator(() => closeSchemas(plain), { useDefaults: true });
  return { plain, routes: getRoutes(plain), checkData: createDataValidator(judge) };
}

/** The contract that the shop's handlers are written for: its operations and schemas, which `npm run types` makes of openapi.yaml without the words for people that the type asks for. */
export const shopContract: ShopContract = createShopContract(document as unknown as Document);

/** Words for people, and values: no part of what data looks like. */
const ASIDE = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'x-refused-examples',
  'x-present-with',
  '$ref',
]);

/** Whether a document has the schemas of the state as the shop's handlers are written for them. */
export function hasSameStateSchemas({ plain }: Pick<ShopContract, 'plain'>, served: Document): boolean {
  const isSame = comparer(plain, served);
  return Object.values(collections).every(({ schema: name }) =>
    isSame(`/components/schemas/${name}`, `/components/schemas/${name}`),
  );
}

/** Whether a document asks of requests to an operation what the shop's handlers are written for: the same parameters and body. */
export function hasSameRequest(served: Document, own: Route, route: Route): boolean {
  const isSame = comparer(shopContract.plain, served);
  const asked = (one: Route) => [`${one.pointer}/requestBody`, ...one.parameters.map(({ pointer }) => pointer)];
  const [before, now] = [asked(own), asked(route)];
  return before.length === now.length && before.every((pointer, place) => isSame(pointer, now[place] ?? ''));
}

/** Tells whether what stands at a pointer of one document is, but for words and examples, what stands at a pointer of another. */
function comparer(plain: Document, served: Document): (one: string, other: string) => boolean {
  const seen = new Set<string>();
  const isSame = (one: string, other: string): boolean => {
    const [here, there] = [resolvePointer(plain, one), resolvePointer(served, other)];
    if (seen.has(`${here} ${there}`)) return true;
    seen.add(`${here} ${there}`);
    const [before, now] = [getNode(plain, here), getNode(served, there)];
    if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null) return before === now;
    const isNames = here.endsWith('/properties');
    const keysOf = (node: object) =>
      Object.keys(node)
        .filter((key) => isNames || !ASIDE.has(key))
        .sort();
    const keys = keysOf(before);
    if (Array.isArray(before) !== Array.isArray(now) || keys.join() !== keysOf(now).join()) return false;
    return keys.every((key) => isSame(here + formatPointer(key), there + formatPointer(key)));
  };
  return isSame;
}

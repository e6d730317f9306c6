import { pointerTo } from '../json-pointer.ts';
import { closed } from './closed.ts';
import { type DataCheck, dataCheck } from './data-check.ts';
import { inOneDialect } from './dialect.ts';
import { at, type Document, settledPointer } from './document.ts';
import type { SchemaName } from './operation.ts';
import { type Route, routesOf } from './routes.ts';
import { schemaJudge } from './schemas.ts';
import document from './shop.json' with { type: 'json' };

/** A contract as far as handlers are written for it. */
export interface ShopContract {
  readonly plain: Document;
  readonly routes: readonly Route[];
  /** What is wrong with data for the handlers. Puts into it what it lacks and the schema has a `default` for. */
  readonly checkData: DataCheck;
}

/** The contract in a document, for handlers that are written for it. */
export function shopOf(document: Document): ShopContract {
  const { document: plain } = inOneDialect(document);
  const judge = schemaJudge(() => closed(plain), { useDefaults: true });
  return { plain, routes: routesOf(plain), checkData: dataCheck(judge) };
}

/** The contract that the shop's handlers are written for: its operations and schemas, which `npm run types` makes of openapi.yaml without the words for people that the type asks for. */
export const shopContract: ShopContract = shopOf(document as unknown as Document);

/** Schemas of what the shop keeps. */
const KEPT = ['Product', 'DeliveryOption', 'CartItem', 'Order'] as const satisfies readonly SchemaName[];

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

/** Whether a document has what the shop keeps just as the shop's handlers are written for it. */
export function keepsAsWritten({ plain }: Pick<ShopContract, 'plain'>, served: Document): boolean {
  const isSame = comparer(plain, served);
  return KEPT.every((name) => isSame(`/components/schemas/${name}`, `/components/schemas/${name}`));
}

/** Whether a document asks of requests to an operation what the shop's handlers are written for: the same parameters and body. */
export function asksAsWritten(served: Document, own: Route, route: Route): boolean {
  const isSame = comparer(shopContract.plain, served);
  const asked = (one: Route) => [`${one.pointer}/requestBody`, ...one.parameters.map(({ pointer }) => pointer)];
  const [before, now] = [asked(own), asked(route)];
  return before.length === now.length && before.every((pointer, place) => isSame(pointer, now[place] ?? ''));
}

/** Tells whether what stands at a pointer of one document is, but for words and examples, what stands at a pointer of another. */
function comparer(plain: Document, served: Document): (one: string, other: string) => boolean {
  const seen = new Set<string>();
  const isSame = (one: string, other: string): boolean => {
    const [here, there] = [settledPointer(plain, one), settledPointer(served, other)];
    if (seen.has(`${here} ${there}`)) return true;
    seen.add(`${here} ${there}`);
    const [before, now] = [at(plain, here), at(served, there)];
    if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null) return before === now;
    const isNames = here.endsWith('/properties');
    const keysOf = (node: object) =>
      Object.keys(node)
        .filter((key) => isNames || !ASIDE.has(key))
        .sort();
    const keys = keysOf(before);
    if (Array.isArray(before) !== Array.isArray(now) || keys.join() !== keysOf(now).join()) return false;
    return keys.every((key) => isSame(here + pointerTo(key), there + pointerTo(key)));
  };
  return isSame;
}

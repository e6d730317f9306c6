import { closed } from './closed.ts';
import { type DataCheck, dataCheck } from './data-check.ts';
import { inOneDialect } from './dialect.ts';
import type { Document } from './document.ts';
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

/** The contract that the shop's handlers are written for: its operations and schemas, which `npm run types` makes of openapi.yaml. */
export const shopContract: ShopContract = shopOf(document as unknown as Document);

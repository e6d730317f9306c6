import type { Engine } from '../search/engines.ts';
import samples from './scripts.json' with { type: 'json' };

/** Products and queries in one script or language. A query consists of a search term and the indexes of the products that it should find. */
export interface ScriptSample {
  readonly script: string;
  readonly names: readonly string[];
  readonly queries: readonly (readonly [term: string, ...products: number[]])[];
}

/**
 * Samples of nine scripts and languages, as shoppers write them: with other letter case, without accents, and with other spellings, parts of words,
 * compounds and typos.
 */
export const scriptSamples = samples as unknown as readonly ScriptSample[];

/** Returns the number of successful queries for each script. A query is successful if the first results are exactly the products that it should find. */
export function scoreScripts(create: Engine): ReadonlyMap<string, number> {
  return new Map(
    scriptSamples.map(({ script, names, queries }) => {
      const find = create(names.map((name, at) => ({ id: String(at), name, keywords: [] })));
      const isFound = ([term, ...meant]: ScriptSample['queries'][number]) => {
        const first = find(term).slice(0, meant.length);
        return first.length === meant.length && first.every(({ id }) => meant.includes(Number(id)));
      };
      return [script, queries.filter(isFound).length];
    }),
  );
}

import uFuzzy from '@leeoniya/ufuzzy';
import { create, insertMultiple, search as searchOrama } from '@orama/orama';
import { Index } from 'flexsearch';
import Fuse from 'fuse.js';
import MiniSearch from 'minisearch';
import { getSearch } from '../../../../src/shop/search/product-search.ts';
import type { Product } from '../../../../src/shop/types.ts';
import type { Item } from './catalogue.ts';

/** Returns the items that match a search term, the most relevant item first. */
export type Find = (term: string) => readonly Item[];

/** Builds the index of a search engine for a list of items. Returns the search function. */
export type Engine = (items: readonly Item[]) => Find;

/** The rating of an item that has no rating. All ratings are the same, so they do not affect the ranking. */
const NO_RATING = { stars: 0, count: 0 };

/**
 * The search engines by name. Each engine has the options that its documentation recommends for a fuzzy search in name and keywords. An engine with "tuned"
 * in its name has the options with the best results for the tuning queries.
 */
export const engines: Readonly<Record<string, Engine>> = {
  ours: (items) => {
    const getItem = new Map(items.map((item) => [{ rating: NO_RATING, ...item } as unknown as Product, item]));
    const find = getSearch([...getItem.keys()]);
    return (term) => find(term).map((product) => getItem.get(product) as Item);
  },
  'Fuse.js': (items) => fuse(items, {}),
  'Fuse.js, tuned': (items) =>
    fuse(items, { threshold: 0.3, ignoreLocation: true, useTokenSearch: true, minMatchCharLength: 2 }),
  MiniSearch: (items) => {
    const index = new MiniSearch<Item>({
      fields: ['name', 'keywords'],
      extractField: (item, field) => (field === 'keywords' ? item.keywords.join(',') : item[field as 'id' | 'name']),
    });
    index.addAll(items);
    const getItem = new Map(items.map((item) => [item.id, item]));
    return (term) =>
      index
        .search(term, { fuzzy: 0.25, prefix: true, combineWith: 'AND', boost: { name: 2 } })
        .map(({ id }) => getItem.get(id) as Item);
  },
  Orama: (items) => {
    const database = create({ schema: { id: 'string', name: 'string', keywords: 'string' } });
    insertMultiple(
      database,
      items.map((item) => ({ ...item, keywords: item.keywords.join(',') })),
      5_000,
    );
    const getItem = new Map(items.map((item) => [item.id, item]));
    return (term) => {
      const found = searchOrama(database, { term, tolerance: 1, threshold: 0, limit: items.length });
      if (found instanceof Promise) throw new Error('Orama returned a promise');
      return found.hits.map(({ id }) => getItem.get(id) as Item);
    };
  },
  uFuzzy: (items) => {
    const fuzzy = new uFuzzy({ intraMode: 1, intraIns: 1, intraSub: 1, intraTrn: 1, intraDel: 1 });
    const texts = items.map(({ name, keywords }) => `${name} ${keywords.join(',')}`.toLowerCase());
    return (term) => {
      const [places, info, order] = fuzzy.search(texts, term.toLowerCase(), 1, 1_000);
      if (!places) return [];
      const sorted = info && order ? order.map((at) => info.idx[at] as number) : places;
      return sorted.map((place) => items[place] as Item);
    };
  },
  'FlexSearch alone': (items) => {
    const index = new Index({ tokenize: 'forward' });
    items.forEach(({ name, keywords }, at) => {
      index.add(at, `${name} ${keywords.join(',')}`);
    });
    return (term) => index.search(term, { limit: items.length }).map((at) => items[at as number] as Item);
  },
};

function fuse(items: readonly Item[], options: object): Find {
  const index = new Fuse([...items], {
    keys: [
      { name: 'name', weight: 2 },
      { name: 'joined', getFn: ({ keywords }: Item) => keywords.join(',') },
    ],
    ...options,
  });
  return (term) => index.search(term).map(({ item }) => item);
}

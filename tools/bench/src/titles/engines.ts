import sqlite3InitModule from '@sqlite.org/sqlite-wasm';
import MiniSearch from 'minisearch';
import type { Item } from '../search/catalogue.ts';
import { type Engine, engines, type Find } from '../search/engines.ts';

const sqlite = await sqlite3InitModule();

/** The search engines that the measurement with real titles compares. The first engine is ours. */
export const titleEngines: Readonly<Record<string, Engine>> = {
  ours: getEngine('ours'),
  'Fuse.js, token search': getEngine('Fuse.js, tuned'),
  uFuzzy: getEngine('uFuzzy'),
  'MiniSearch, AND then OR': createMiniSearch,
  Orama: getEngine('Orama'),
  'FTS5 trigram': createFts5,
};

function getEngine(name: string): Engine {
  const engine = engines[name];
  if (!engine) throw new Error(`There is no engine ${name}`);
  return engine;
}

/** Creates a MiniSearch engine. It finds the products with all words of the term. If there are none, it finds the products with some of the words. */
function createMiniSearch(items: readonly Item[]): Find {
  const index = new MiniSearch<Item>({
    fields: ['name', 'keywords'],
    extractField: (item, field) => (field === 'keywords' ? item.keywords.join(',') : item[field as 'id' | 'name']),
  });
  index.addAll(items);
  const getItem = new Map(items.map((item) => [item.id, item]));
  const options = { fuzzy: 0.25, prefix: true, boost: { name: 2 } };
  return (term) => {
    const all = index.search(term, { ...options, combineWith: 'AND' });
    const found = all.length > 0 ? all : index.search(term, { ...options, combineWith: 'OR' });
    return found.map(({ id }) => getItem.get(id) as Item);
  };
}

/**
 * Creates an engine with SQLite's FTS5. It finds the products that contain all words of the term as parts of words. If there are none, it finds the products
 * with some trigrams of the words.
 */
function createFts5(items: readonly Item[]): Find {
  const database = new sqlite.oo1.DB(':memory:');
  database.exec("CREATE VIRTUAL TABLE items USING fts5(name, keywords, tokenize = 'trigram remove_diacritics 1')");
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO items (rowid, name, keywords) VALUES (?, ?, ?)');
  for (const [at, { name, keywords }] of items.entries()) {
    insert.bind([at + 1, name, keywords.join(',')]).stepReset();
  }
  database.exec('COMMIT');
  const select = (match: string) =>
    match === ''
      ? []
      : (database.selectValues('SELECT rowid FROM items WHERE items MATCH ? ORDER BY bm25(items, 2.0, 1.0)', [
          match,
        ]) as number[]);
  return (term) => {
    const words = term.split(/\s+/).filter((word) => [...word].length >= 3);
    const all = select(words.map(quote).join(' AND '));
    const found = all.length > 0 ? all : select(words.flatMap(getTrigrams).map(quote).join(' OR '));
    return found.map((row) => items[row - 1] as Item);
  };
}

function getTrigrams(word: string): readonly string[] {
  const letters = [...word];
  return letters.slice(2).map((letter, at) => `${letters[at]}${letters[at + 1]}${letter}`);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

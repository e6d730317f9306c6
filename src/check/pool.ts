import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';

/** Values that a server has given, for requests to ask about. */
export interface Pool {
  /** Takes in what an operation has answered. */
  learn(route: Route, body: unknown): void;
  /** The values known for a name as requests have it, `bookId`, those that were seen first before others. */
  getValues(name: string): readonly unknown[];
  /** Has these be all that is known for a name, whatever is learnt later. */
  fix(name: string, values: readonly unknown[]): void;
}

/** How many values are kept of a name. */
const MAX_VALUES = 20;

/** How many entries of a list are looked at, and how deep. */
const MAX_ENTRIES = 50;
const MAX_DEPTH = 6;

/** An empty pool. */
export function createPool(): Pool {
  const values = new Map<string, Set<unknown>>();
  const fixed = new Map<string, readonly unknown[]>();
  const addValue = (name: string, value: unknown) => {
    const getValues = values.get(name) ?? new Set();
    if (getValues.size < MAX_VALUES) getValues.add(value);
    values.set(name, getValues);
  };
  const collect = (value: unknown, resource: string, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value)) for (const entry of value.slice(0, MAX_ENTRIES)) collect(entry, resource, depth + 1);
    if (!isNode(value)) return;
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'string' || typeof one === 'number') addValue(name === 'id' ? `${resource}Id` : name, one);
      else collect(one, toSingular(name), depth + 1);
    }
  };
  return {
    learn: ({ path }, body) => collect(body, toSingular(getCollectionName(path)), 0),
    getValues: (name) => fixed.get(name) ?? [...(values.get(name) ?? [])],
    fix: (name, getValues) => void fixed.set(name, getValues),
  };
}

/** The name under which a parameter's values are known: an `id` is that of the thing that stands before it in the path. */
export function getPoolName(name: string, path: string): string {
  if (name !== 'id') return name;
  const before = path.slice(0, Math.max(0, path.indexOf('{id}')));
  return `${toSingular(getCollectionName(before))}Id`;
}

/** The last part of a path that is no parameter. */
function getCollectionName(path: string): string {
  return path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
}

/** What a collection has many of: of `opening-hours` it is `openingHour`. */
function toSingular(collection: string): string {
  const camel = collection.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return camel.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

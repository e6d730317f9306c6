import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';

/** Values that a server has given, for requests to ask about. */
export interface Pool {
  /** Takes in what an operation has answered. */
  learn(route: Route, body: unknown): void;
  /** The values known for a name as requests have it, `productId`, those that were seen first before others. */
  known(name: string): readonly unknown[];
  /** Has these be all that is known for a name, whatever is learnt later. */
  fix(name: string, values: readonly unknown[]): void;
}

/** How many values are kept of a name. */
const KEPT = 20;

/** How many entries of a list are looked at, and how deep. */
const ENTRIES = 50;
const DEEPEST = 6;

/** An empty pool. */
export function createPool(): Pool {
  const values = new Map<string, Set<unknown>>();
  const fixed = new Map<string, readonly unknown[]>();
  const keep = (name: string, value: unknown) => {
    const known = values.get(name) ?? new Set();
    if (known.size < KEPT) known.add(value);
    values.set(name, known);
  };
  const look = (value: unknown, thing: string, depth: number): void => {
    if (depth > DEEPEST) return;
    if (Array.isArray(value)) for (const entry of value.slice(0, ENTRIES)) look(entry, thing, depth + 1);
    if (!isNode(value)) return;
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'string' || typeof one === 'number') keep(name === 'id' ? `${thing}Id` : name, one);
      else look(one, thingOf(name), depth + 1);
    }
  };
  return {
    learn: ({ path }, body) => look(body, thingOf(collectionOf(path)), 0),
    known: (name) => fixed.get(name) ?? [...(values.get(name) ?? [])],
    fix: (name, known) => void fixed.set(name, known),
  };
}

/** The name under which a parameter's values are known: an `id` is that of the thing that stands before it in the path. */
export function knownAs(name: string, path: string): string {
  if (name !== 'id') return name;
  const before = path.slice(0, Math.max(0, path.indexOf('{id}')));
  return `${thingOf(collectionOf(before))}Id`;
}

/** The last part of a path that is no parameter. */
function collectionOf(path: string): string {
  return path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
}

/** What a collection has many of: of `delivery-options` it is `deliveryOption`. */
function thingOf(collection: string): string {
  const camel = collection.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return camel.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

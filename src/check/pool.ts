import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';

/** The maximum number of values of a name. */
const MAX_VALUES = 20;

/** The maximum number of entries of a list, and the maximum depth, that are searched. */
const MAX_ENTRIES = 50;
const MAX_DEPTH = 6;

/** Values of path parameters by name, such as `bookId`. */
export type PathValues = Readonly<Record<string, unknown>>;

/** Values from responses, for use in requests. */
export class Pool {
  readonly #values = new Map<string, Set<unknown>>();
  readonly #fixed = new Map<string, readonly unknown[]>();
  /** The path values of the resource that contains another one, by the name of the inner id and its text. */
  readonly #parents = new Map<string, Map<string, PathValues>>();

  /** Adds the values in the response of an operation. */
  collectValues({ path }: Route, body: unknown): void {
    this.#collect(body, toSingular(getCollectionName(path)), 0);
  }

  /** Returns the values of a parameter name such as `bookId`, the first received ones first. */
  getValues(name: string): readonly unknown[] {
    return this.#fixed.get(name) ?? [...(this.#values.get(name) ?? [])];
  }

  /** Replaces the values of a name, also for the future. */
  setValues(name: string, values: readonly unknown[]): void {
    this.#fixed.set(name, values);
  }

  /** Adds the id of a resource that was created below a path with these values. */
  addResource(name: string, id: unknown, parents: PathValues): void {
    this.#values.set(name, new Set([id, ...this.getValues(name)]));
    const known = this.#parents.get(name) ?? new Map<string, PathValues>();
    this.#parents.set(name, known.set(String(id), parents));
  }

  /** Returns the path values of the resource that contains the one with an id; undefined if they are not known. */
  getParents(name: string, id: unknown): PathValues | undefined {
    return this.#parents.get(name)?.get(String(id));
  }

  /** Removes the id of a resource that was deleted, and the ids of the resources in it. */
  removeId(name: string, id: unknown): void {
    const values = this.#values.get(name);
    for (const value of values ?? []) if (String(value) === String(id)) values?.delete(value);
    this.#parents.get(name)?.delete(String(id));
    for (const [inner, parents] of this.#parents)
      for (const [innerId, path] of parents) if (String(path[name]) === String(id)) this.removeId(inner, innerId);
  }

  #collect(value: unknown, resource: string, depth: number): void {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value))
      for (const entry of value.slice(0, MAX_ENTRIES)) this.#collect(entry, resource, depth + 1);
    if (!isNode(value)) return;
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'string' || typeof one === 'number') this.#add(name === 'id' ? `${resource}Id` : name, one);
      else this.#collect(one, toSingular(name), depth + 1);
    }
  }

  #add(name: string, value: unknown): void {
    const values = this.#values.get(name) ?? new Set();
    if (values.size < MAX_VALUES) values.add(value);
    this.#values.set(name, values);
  }
}

/** Returns the name under which the pool has the values of a parameter: for `id` it includes the resource before it in the path. */
export function getPoolName(name: string, path: string): string {
  if (name !== 'id') return name;
  const before = path.slice(0, Math.max(0, path.indexOf('{id}')));
  return `${toSingular(getCollectionName(before))}Id`;
}

/** Returns the last part of a path that is not a parameter. */
function getCollectionName(path: string): string {
  return path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
}

/** Returns the singular of a collection name: `deliveryOption` for `delivery-options`. */
function toSingular(collection: string): string {
  const camel = collection.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return camel.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { toSingular } from '../util/singular.ts';
import { isGeneralName } from './ids.ts';

/** The maximum number of stored values for each name. */
const MAX_VALUES = 20;

/** The maximum number of array entries from which values are collected, and the maximum depth of collected values. */
const MAX_ENTRIES = 50;
const MAX_DEPTH = 6;

/** Values of path parameters by name, such as `bookId`. */
export type PathValues = Readonly<Record<string, unknown>>;

/** Stores values from responses, such as ids, for use in later requests. */
export class Pool {
  /** The values in responses, by normalized name. */
  readonly #values = new Map<string, Set<unknown>>();
  /** The ids that the API returned for a path parameter, by normalized name. */
  readonly #ids = new Map<string, Set<unknown>>();
  readonly #fixed = new Map<string, readonly unknown[]>();
  /**
   * For each nested resource, the path parameters of the resource that contains it. The keys are the name in the pool and the id of the nested
   * resource.
   */
  readonly #parents = new Map<string, Map<string, PathValues>>();

  /** Adds the values in a response body of an operation. */
  collectValues({ path }: Route, body: unknown): void {
    const resource = toEntryName(getCollectionName(path));
    const lists = isNode(body) ? Object.values(body).filter((value) => Array.isArray(value)) : [];
    // The only list in an object, such as `{ items: […], total: 9 }`, has the entries of a collection.
    if (lists.length === 1) this.#collect(lists[0], resource, 1);
    this.#collect(body, resource, 0);
  }

  /** Returns the values of a name such as `bookId`: the ids of its resources, else the values with this name in any response. */
  getValues(name: string): readonly unknown[] {
    const key = normalizeName(name);
    const ids = this.#fixed.get(key) ?? [...(this.#ids.get(key) ?? [])];
    return ids.length > 0 || this.#fixed.has(key) ? ids : [...(this.#values.get(key) ?? [])];
  }

  /** Sets the values of a name. Values from later responses don't change them. */
  setValues(name: string, values: readonly unknown[]): void {
    this.#fixed.set(normalizeName(name), values);
  }

  /** Returns whether the pool has the id of a resource. */
  hasResource(name: string): boolean {
    return (this.#ids.get(normalizeName(name))?.size ?? 0) > 0;
  }

  /** Adds the id of a resource. `parents` are the path parameters of the request that created or listed it. */
  addResource(name: string, id: unknown, parents: PathValues): void {
    const key = normalizeName(name);
    this.#ids.set(key, new Set(this.#ids.get(key)).add(id));
    const known = this.#parents.get(key) ?? new Map<string, PathValues>();
    const values = Object.entries(parents).map(([parent, value]) => [normalizeName(parent), value]);
    this.#parents.set(key, known.set(String(id), Object.fromEntries(values)));
  }

  /** Returns a path parameter of the outer resource that contains the nested resource with this id; undefined if it is unknown. */
  getParent(name: string, id: unknown, parent: string): unknown {
    return this.#parents.get(normalizeName(name))?.get(String(id))?.[normalizeName(parent)];
  }

  /** Removes the id of a deleted resource, and the ids of the resources that it contained. */
  removeId(name: string, id: unknown): void {
    const key = normalizeName(name);
    for (const values of [this.#values.get(key), this.#ids.get(key)])
      for (const value of values ?? []) if (String(value) === String(id)) values?.delete(value);
    this.#parents.get(key)?.delete(String(id));
    for (const [inner, parents] of this.#parents)
      for (const [innerId, path] of parents) if (String(path[key]) === String(id)) this.removeId(inner, innerId);
  }

  #collect(value: unknown, resource: string, depth: number): void {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value))
      for (const entry of value.slice(0, MAX_ENTRIES)) this.#collect(entry, resource, depth + 1);
    if (!isNode(value)) return;
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'string' || typeof one === 'number') {
        if (isGeneralName(name)) this.#add(resource + name, one);
        if (name !== 'id') this.#add(name, one);
      } else this.#collect(one, toEntryName(name), depth + 1);
    }
  }

  #add(name: string, value: unknown): void {
    const key = normalizeName(name);
    const values = this.#values.get(key) ?? new Set();
    if (values.size < MAX_VALUES) values.add(value);
    this.#values.set(key, values);
  }
}

/** Returns the name of a path parameter in the pool. For the parameter `id` of `/books/{id}`, this is `bookId`. A name that is not general is unchanged. */
export function getPoolName(name: string, path: string): string {
  if (!isGeneralName(name)) return name;
  const collectionPath = path.slice(0, Math.max(0, path.indexOf(`{${name}}`)));
  return toEntryName(getCollectionName(collectionPath)) + name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns whether a path identifies an item of a collection. For example, `/things/{id}` identifies an item of `/things`. */
export function isItemPath(path: string, collectionPath: string): boolean {
  return path.replace(/\{[^/{}]+\}$/, '{}') === `${collectionPath.replace(/\/$/, '')}/{}`;
}

/** Returns the last part of a path that is not a parameter. */
function getCollectionName(path: string): string {
  return path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
}

/** Returns the singular of a collection name in camel case: `deliveryOption` for `delivery-options`. */
function toEntryName(collection: string): string {
  const camel = collection.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return toSingular(camel);
}

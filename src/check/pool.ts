import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { isGeneralName } from './ids.ts';
import { getCollectionName, type PathParameter, toEntryName } from './path-parameters.ts';

/** The maximum number of stored values for each property name. */
const MAX_VALUES = 20;

/** The maximum number of array entries from which values are collected. */
const MAX_ENTRIES = 50;

/** The maximum nesting of objects and arrays from which values are collected. */
const MAX_DEPTH = 6;

/** A resource that the API created or returned. */
export interface KnownResource {
  readonly id: unknown;
  /**
   * The ids of the resources that contain this resource, by normalized parameter name: `{ ownerid: 7 }` for `ownerId`.
   */
  readonly parents: Readonly<Record<string, unknown>>;
}

/** A resource, and the path template that identifies it, such as `/books/{}`. */
type ResourceAtPath = KnownResource & Pick<PathParameter, 'path'>;

/** Stores values from responses, such as ids, for use in later requests. */
export class Pool {
  /** The values in responses, by normalized property name. */
  readonly #values = new Map<string, Set<unknown>>();
  /** The known resources, by normalized parameter name: the key `bookid` has the books at `/books/{bookId}`. */
  readonly #resources = new Map<string, readonly ResourceAtPath[]>();
  /**
   * All resources that were ever added, including deleted resources.
   * The keys are normalized parameter names, such as `bookid`.
   */
  readonly #found = new Map<string, readonly ResourceAtPath[]>();
  readonly #fixed = new Map<string, readonly unknown[]>();
  #version = 0;

  /** A number that changes whenever a resource or value is added or removed. */
  get version(): number {
    return this.#version;
  }

  /** Adds the values in a response body to the pool. The first argument is the operation that returned the body. */
  collectValues({ path }: Route, body: unknown): void {
    const resource = toEntryName(getCollectionName(path));
    const lists = isNode(body) ? Object.values(body).filter((value) => Array.isArray(value)) : [];
    // The only list in an object, such as `{ items: […], total: 9 }`, has the entries of a collection.
    if (lists.length === 1) this.#collect(lists[0], resource, 1);
    this.#collect(body, resource, 0);
  }

  /**
   * Returns the known values of a parameter such as `bookId`: the values that were set with `setValues`, else the ids
   * of the known books, else the values of all properties with this name in responses.
   */
  getValues(name: string): readonly unknown[] {
    const key = normalizeName(name);
    const ids = this.#fixed.get(key) ?? (this.#resources.get(key) ?? []).map(({ id }) => id);
    return ids.length > 0 || this.#fixed.has(key) ? ids : [...(this.#values.get(key) ?? [])];
  }

  /** Sets the values of a parameter. Later responses do not change these values. */
  setValues(name: string, values: readonly unknown[]): void {
    this.#fixed.set(normalizeName(name), values);
  }

  /**
   * Returns the known resources for a path parameter: those that were found at the same path, else those that were
   * found at other paths with the same parameter.
   * For example, `/authors/{authorId}/books/{bookId}` and `/books/{bookId}` may identify the same books.
   */
  getResources({ poolName, path }: PathParameter): readonly KnownResource[] {
    const all = this.#resources.get(normalizeName(poolName)) ?? [];
    const own = all.filter((one) => one.path === path);
    return own.length > 0 ? own : all;
  }

  /** Returns whether the pool has a resource that was found at the path of this parameter. */
  hasResource({ poolName, path }: PathParameter): boolean {
    return (this.#resources.get(normalizeName(poolName)) ?? []).some((one) => one.path === path);
  }

  /** Adds a resource that a path parameter identifies. Replaces an earlier resource with the same path and id. */
  addResource({ poolName, path }: PathParameter, resource: KnownResource): void {
    this.#version++;
    const key = normalizeName(poolName);
    const others = (this.#resources.get(key) ?? []).filter((one) => one.path !== path || one.id !== resource.id);
    this.#resources.set(key, [...others, { ...resource, path }]);
    this.#found.set(key, [...(this.#found.get(key) ?? []), { ...resource, path }]);
  }

  /** Returns all resources that were ever added for a parameter such as `bookId`, including deleted resources. */
  getAddedResources(name: string): readonly ResourceAtPath[] {
    return this.#found.get(normalizeName(name)) ?? [];
  }

  /** Removes the id of a deleted resource, and the ids of the resources that it contained. */
  removeId(name: string, id: unknown): void {
    this.#version++;
    const key = normalizeName(name);
    const values = this.#values.get(key);
    for (const value of values ?? []) if (String(value) === String(id)) values?.delete(value);
    const known = this.#resources.get(key) ?? [];
    this.#resources.set(
      key,
      known.filter((one) => String(one.id) !== String(id)),
    );
    for (const [inner, resources] of this.#resources)
      for (const { id: innerId, parents } of resources)
        if (inner !== key && Object.hasOwn(parents, key) && String(parents[key]) === String(id))
          this.removeId(inner, innerId);
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
    if (values.size >= MAX_VALUES || values.has(value)) return;
    this.#version++;
    values.add(value);
    this.#values.set(key, values);
  }
}

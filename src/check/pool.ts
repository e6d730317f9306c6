import type { Contract } from '../openapi/contract.ts';
import { isNode } from '../openapi/document.ts';
import type { Example } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { getSchemaParts } from '../openapi/schema-parts.ts';
import { normalizeName, toSingular } from '../util/names.ts';
import { toPattern } from '../util/request-target.ts';
import { isGeneralName } from './ids.ts';
import { applyEdit, findRequestParts, type RequestPart } from './request-edits.ts';
import { getBodyType, isSendable, type RequestValues, validateValues, withOwnValues } from './requests.ts';

/** The maximum number of stored values for each property name. */
const MAX_VALUES = 20;

/** The maximum number of array entries from which values are collected. */
const MAX_ENTRIES = 50;

/** The maximum nesting of objects and arrays from which values are collected. */
const MAX_DEPTH = 6;

/** Matches names of properties that refer to another resource by a key that is no id: `doctorCode`, `room_number`. */
const KEY_NAME = /(?:code|key|slug|number|symbol|sku|ref|reference)$/i;

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
   * `near`: the path of a request. If an API has the books of several collections, such as `/shops/books` and
   * `/libraries/books`, the ids are those of the collections whose paths start as this one does.
   */
  getValues(name: string, near?: string): readonly unknown[] {
    const key = normalizeName(name);
    const ids = this.#fixed.get(key) ?? selectNear(this.#resources.get(key) ?? [], near).map(({ id }) => id);
    return ids.length > 0 || this.#fixed.has(key) ? ids : [...(this.#values.get(key) ?? [])];
  }

  /**
   * Returns the keys of known resources of other collections to which a property such as `doctorCode` refers: those of
   * `/doctors/{code}`. Returns none for other names, because a property such as `username` can be that of a new
   * resource.
   * `near`: the path of the request.
   */
  getKeys(name: string, near: string): readonly unknown[] {
    if (!KEY_NAME.test(name) || isGeneralName(name)) return [];
    const own = toPattern(near).replace(/\/\{\}$/, '');
    const key = normalizeName(name);
    const known = (this.#resources.get(key) ?? []).filter(({ path }) => path !== `${own}/{}`);
    const ids = selectNear(known, near).map(({ id }) => id);
    // Responses have the keys of resources that other requests created.
    return ids.length === 0 ? [] : [...new Set([...ids, ...(this.#values.get(key) ?? [])])];
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

/** Returns the resources whose paths have the most segments at their start in common with another path. */
function selectNear(all: readonly ResourceAtPath[], near: string | undefined): readonly ResourceAtPath[] {
  if (near === undefined || all.every(({ path }) => path === all[0]?.path)) return all;
  const segments = toPattern(near).split('/');
  const counts = all.map(({ path }) => {
    const different = path.split('/').findIndex((segment, index) => segment !== segments[index]);
    return different === -1 ? path.split('/').length : different;
  });
  const most = Math.max(...counts);
  return all.filter((_, index) => counts[index] === most);
}

/** A parameter in a path template, such as `{id}` in `/books/{id}`. The parameter identifies a resource. */
export interface PathParameter {
  /** The name of the parameter. */
  readonly parameter: string;
  /**
   * The name under which the pool stores known ids.
   * It contains the type of the resource: `bookId` for `{id}` in `/books/{id}`.
   */
  readonly poolName: string;
  /** The path template up to the parameter, without parameter names: `/books/{}`. */
  readonly path: string;
}

/** The file extension of a path such as `/things.json`. */
const FORMAT = /\.(?:json|xml)$/;

/** Returns the parameters of a path template in their order. */
export function getPathParameters(path: string): readonly PathParameter[] {
  return [...path.matchAll(/\{(.*?)\}/g)].map(([text, parameter = ''], index, matches) => {
    const end = (matches[index]?.index ?? 0) + text.length;
    return { parameter, poolName: getPoolName(parameter, path), path: toPattern(path.slice(0, end)) };
  });
}

/**
 * Returns the last parameter of a path such as `/things/{id}` or `/things/{id}.json`.
 * Returns undefined if the path does not end with a parameter.
 */
export function getItemParameter(path: string): PathParameter | undefined {
  return path.replace(FORMAT, '').endsWith('}') ? getPathParameters(path).at(-1) : undefined;
}

/**
 * Adds the type of the resource to the name of a path parameter: the parameter `id` of `/books/{id}` becomes `bookId`.
 * Returns a name that already contains a type, such as `bookId`, unchanged.
 */
export function getPoolName(name: string, path: string): string {
  if (!isGeneralName(name)) return name;
  const collectionPath = path.slice(0, Math.max(0, path.indexOf(`{${name}}`)));
  return toEntryName(getCollectionName(collectionPath)) + name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * Returns whether a path identifies an item of a collection.
 * For example, `/things/{id}` identifies an item of `/things`.
 */
export function isItemPath(path: string, collectionPath: string): boolean {
  const collection = collectionPath.replace(FORMAT, '').replace(/\/$/, '');
  return path.replace(FORMAT, '').replace(/\{[^/{}]+\}$/, '{}') === `${collection}/{}`;
}

/**
 * Returns whether a collection is below other resources, and its items are not: `/projects/{projectId}/tasks` is a
 * collection of the items `/tasks/{taskId}`.
 */
export function isCollectionElsewhere(collectionPath: string, itemPath: string): boolean {
  const [, start, name] = /^(.*\/)([^/{}]+)\/\{[^/{}]+\}$/.exec(itemPath.replace(FORMAT, '')) ?? [];
  if (start === undefined) return false;
  const collection = collectionPath.replace(FORMAT, '');
  return collection.startsWith(start) && collection.endsWith(`}/${name}`) && !isItemPath(itemPath, collectionPath);
}

/** Returns the last path segment that is not a parameter: `pets` for `/owners/{id}/pets/{petId}`. */
export function getCollectionName(path: string): string {
  const name = path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
  return name.replace(FORMAT, '');
}

/** Returns the singular of a collection name in camel case: `deliveryOption` for `delivery-options`. */
function toEntryName(collection: string): string {
  const camel = collection.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return toSingular(camel);
}

/** The maximum number of documented values of one part that are sent. */
const MAX_DOCUMENTED = 20;

/**
 * Returns the examples and the default that the contract documents for a part of a request: those of the parameter, and
 * those of its schema.
 */
export function getDocumentedValues({ normalized }: Contract, part: RequestPart): readonly unknown[] {
  const own = part.kind === 'parameter' ? part.parameter.examples.map(({ value }) => value) : [];
  const parts = part.schema === undefined ? [] : getSchemaParts(normalized, part.schema);
  const listed = parts.flatMap(({ node }) => [
    ...(Array.isArray(node.examples) ? node.examples : []),
    ...['example', 'default'].filter((key) => key in node).map((key) => node[key]),
  ]);
  return [...own, ...listed].slice(0, MAX_DOCUMENTED);
}

/**
 * Returns a copy of a valid request in which the examples and defaults of the contract replace generated values, where
 * the request stays valid.
 * Ids in the path stay unchanged.
 * Returns undefined if the contract has no such values.
 */
export function withDocumentedValues(contract: Contract, route: Route, base: RequestValues): RequestValues | undefined {
  let values = base;
  const replaced: RequestPart[] = [];
  for (const part of findRequestParts(contract, route, base)) {
    if (isInPath(part) || replaced.some((outer) => isWithin(part, outer))) continue;
    const examples = part.kind === 'body' && part.path.length === 0 ? getBodyExamples(route, base) : [];
    const documented = [...examples, ...getDocumentedValues(contract, part)]
      .map((value) => applyEdit(values, part, { kind: 'set', value }))
      .find((edited) => edited && isSendable(edited) && validateValues(contract, route, edited).kind === 'call');
    if (!documented) continue;
    values = documented;
    replaced.push(part);
  }
  return replaced.length > 0 ? withOwnValues(route, values) : undefined;
}

/** Returns the examples of a request body that the server should accept. */
function getBodyExamples(route: Route, { format }: RequestValues): readonly unknown[] {
  const examples = route.bodyMedia[format?.type ?? getBodyType(route) ?? '']?.examples ?? [];
  return examples.filter(isAcceptable(route)).map(({ value }) => value);
}

/**
 * Creates a function that returns whether the server should accept a request example.
 * It should refuse an example if an error response (4xx or 5xx) has an example with the same name.
 */
export function isAcceptable({ responses }: Route): (example: Example) => boolean {
  const errors = responses.filter(({ name }) => /^[45]/.test(name)).flatMap(({ media }) => Object.values(media));
  const names = errors.flatMap(({ examples }) => examples.map(({ name }) => name));
  return ({ name }) => name === undefined || !names.includes(name);
}

function isInPath(part: RequestPart): boolean {
  return part.kind === 'parameter' && part.parameter.in === 'path';
}

/** Returns whether a value in a body is inside another value. */
function isWithin(part: RequestPart, outer: RequestPart): boolean {
  if (part.kind !== 'body' || outer.kind !== 'body') return false;
  return outer.path.every((key, index) => part.path[index] === key);
}

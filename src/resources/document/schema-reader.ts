import { type Document, getNode, isNode, resolvePointer, type SchemaPart, toNode } from '../../openapi/document.ts';
import { allowsJson, isFormBody, isJsonType, isXmlType } from '../../openapi/media-types.ts';
import { findValueMedia, getShape } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import {
  ALL_PARTS,
  findOnlyPart,
  getPartItems,
  getPartProperties,
  getPartTypes,
  getSchemaParts,
} from '../../openapi/schema-parts.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { listPatchTypes } from './patch-types.ts';

/**
 * Common names of the property with the list in a response body, such as `{ "items": [] }`.
 * The names have no uppercase letters and no separators.
 */
const LIST_NAMES = [
  ...['data', 'items', 'results', 'result', 'content', 'value', 'values', 'entries', 'records'],
  ...['rows', 'list', 'elements', 'hits', 'objects', 'resources', 'collection', 'embedded'],
];

/**
 * Common names of the property with the entry in a request or response body, such as `{ "data": {} }`.
 * The names have no uppercase letters and no separators.
 */
const ENTRY_NAMES = ['data', 'result', 'item', 'payload', 'response', 'body', 'entity', 'resource', 'object', 'record'];

/**
 * Common names of properties that describe the response and stand next to the entry: `message` in `{ message, data }`.
 * The names have no uppercase letters and no separators.
 */
const ENVELOPE_NAMES = [
  'success',
  'status',
  'statuscode',
  'message',
  'msg',
  'messages',
  'code',
  'error',
  'errors',
  'ok',
  'object',
  'type',
  'timestamp',
  'requestid',
  'included',
  'warnings',
];

/** Returns whether a property describes the response, such as `success` or `message`. */
export function isEnvelopeName(name: string): boolean {
  return ENVELOPE_NAMES.includes(normalizeName(name));
}

/** Returns whether a property with this name usually has the entry in a response, such as `data`. */
export function isEntryName(name: string): boolean {
  return ENTRY_NAMES.includes(normalizeName(name));
}

/** Returns whether a property with this name usually has the list in a response, such as `items`. */
export function isListName(name: string): boolean {
  return LIST_NAMES.includes(normalizeName(name));
}

/**
 * A list or an entry in a body.
 * `path`: the property names that lead to it.
 * `schema`: the JSON Pointer of the schema of the entry, or of each entry in the list.
 */
interface Located {
  readonly path: readonly string[];
  readonly schema: string;
}

/** The maximum number of property names that lead to a list: 2 for `data.items`. */
const MAX_LIST_DEPTH = 2;

/** The minimum number of common properties of two schemas without a name that describe the same entries. */
const MIN_ALIKE = 3;

/** The maximum depth of nested objects whose examples are collected. */
const MAX_EXAMPLE_DEPTH = 3;

/** Reads the schemas of a document, and caches the properties of each schema. */
export class SchemaReader {
  readonly document: Document;
  readonly #parts = new Map<string, readonly SchemaPart[]>();
  readonly #types = new Map<string, readonly unknown[]>();
  readonly #properties = new Map<string, ReadonlyMap<string, string>>();
  readonly #commonProperties = new Map<string, ReadonlyMap<string, string>>();
  readonly #open = new Map<string, boolean>();
  readonly #items = new Map<string, string | undefined>();
  readonly #resolved = new Map<string, string>();

  constructor(document: Document) {
    this.document = document;
  }

  /**
   * Returns the properties in a schema and in its `allOf`, `oneOf` and `anyOf`.
   * Maps each property name to the JSON Pointer of the property's schema.
   */
  getProperties(schema: string): ReadonlyMap<string, string> {
    return getCached(this.#properties, schema, () => getPartProperties(this.#getParts(schema)));
  }

  /** Returns the JSON Pointers of all schemas of a property: the alternatives of a `oneOf` can have different ones. */
  listPropertySchemas(schema: string, name: string): readonly string[] {
    return this.#getParts(schema).flatMap(({ pointer, node }) =>
      Object.hasOwn(toNode(node.properties), name) ? [`${pointer}/properties${formatPointer(name)}`] : [],
    );
  }

  /**
   * Returns the properties in a schema and in its `allOf`, but not in `oneOf` and `anyOf`.
   * Maps their names to the JSON Pointers of their schemas.
   */
  getCommonProperties(schema: string): ReadonlyMap<string, string> {
    return getCached(this.#commonProperties, schema, () => getPartProperties(getSchemaParts(this.document, schema)));
  }

  #getParts(schema: string): readonly SchemaPart[] {
    return getCached(this.#parts, schema, () => getSchemaParts(this.document, schema, ALL_PARTS));
  }

  /** Returns the names of the properties that a schema and its `allOf` require. */
  getRequired(schema: string): readonly string[] {
    return getSchemaParts(this.document, schema).flatMap(({ node }) =>
      Array.isArray(node.required) ? node.required.map(String) : [],
    );
  }

  /**
   * Returns the types that a schema allows, except `null`.
   * Returns an empty array if the schema does not restrict the type.
   */
  getTypes(schema: string): readonly unknown[] {
    return getCached(this.#types, schema, () =>
      [...new Set(getPartTypes(this.#getParts(schema)))].filter((type) => type !== 'null'),
    );
  }

  /** Returns whether the types of a schema, or of one of its alternatives, contain null. */
  allowsNull(schema: string): boolean {
    return getPartTypes(this.#getParts(schema)).includes('null');
  }

  /** Returns whether a schema describes an object: it allows the type `object`, or has properties and no type. */
  isObject(schema: string): boolean {
    const types = this.getTypes(schema);
    return types.includes('object') || (types.length === 0 && this.getProperties(schema).size > 0);
  }

  /** Returns whether a schema describes properties that it does not name, for example by `additionalProperties`. */
  allowsOtherProperties(schema: string): boolean {
    return getCached(this.#open, schema, () =>
      this.#getParts(schema).some(({ node }) =>
        [node.additionalProperties, node.unevaluatedProperties, node.patternProperties].some(
          (others) => others === true || isNode(others),
        ),
      ),
    );
  }

  /** Returns whether a schema allows only strings and numbers. */
  isScalar(schema: string): boolean {
    const types = this.getTypes(schema);
    return types.length > 0 && types.every((type) => ['string', 'integer', 'number'].includes(String(type)));
  }

  /** Returns whether a schema allows numbers. */
  allowsNumber(schema: string): boolean {
    return this.getTypes(schema).some((type) => type === 'integer' || type === 'number');
  }

  /** Returns the JSON Pointer of the `items` of an array schema; undefined if there is no `items`. */
  getItems(schema: string): string | undefined {
    return getCached(this.#items, schema, () => getPartItems(this.#getParts(schema)));
  }

  /** Returns the JSON Pointers of all `items` of an array schema and its alternatives. */
  listItems(schema: string): readonly string[] {
    return this.#getParts(schema).flatMap(({ pointer, node }) => (isNode(node.items) ? [`${pointer}/items`] : []));
  }

  /**
   * Returns the JSON Pointer of the schema of a nested property; undefined if there is none.
   * `path`: the property names, such as `['data', 'items']`.
   */
  getInner(schema: string, path: readonly string[]): string | undefined {
    return path.reduce<string | undefined>(
      (pointer, name) => (pointer === undefined ? undefined : this.getProperties(pointer).get(name)),
      schema,
    );
  }

  /**
   * Returns the example of a schema.
   * Without one, returns an object with the examples of its properties.
   * Returns undefined if fewer than two properties have an example.
   */
  getExample(schema: string, depth = 0): unknown {
    const [first] = [this.getKeyword(schema, 'examples')].flat();
    const example = this.getKeyword(schema, 'example');
    // An example can be null.
    const own = example === undefined ? first : example;
    if (own !== undefined || depth >= MAX_EXAMPLE_DEPTH) return own;
    const values = [...this.getProperties(schema)].flatMap(([name, pointer]) => {
      const value = this.getExample(pointer, depth + 1);
      return value === undefined ? [] : [[name, value] as const];
    });
    return values.length > 1 ? Object.fromEntries(values) : undefined;
  }

  /** Returns the value of a keyword, such as `format`, in a schema or in its `allOf`; undefined if there is none. */
  getKeyword(schema: string, keyword: string): unknown {
    const part = getSchemaParts(this.document, schema).find(({ node }) => keyword in node);
    return part?.node[keyword];
  }

  /** Returns the maximum number of entries in a list response (`maxItems`); undefined if there is no maximum. */
  getMaxItems(route: Route, responsePath: readonly string[]): number | undefined {
    const schema = this.getResponseSchema(route, route.successStatus);
    const list = schema === undefined ? undefined : this.getInner(schema, responsePath);
    const most = list === undefined ? undefined : this.getKeyword(list, 'maxItems');
    return typeof most === 'number' ? most : undefined;
  }

  /** Returns whether two JSON Pointers refer to the same schema after each `$ref` is resolved. */
  isSame(one: string, other: string): boolean {
    return this.resolve(one) === this.resolve(other);
  }

  /**
   * Returns whether two schemas describe the same entries: they are the same, or none of them has a name in the
   * document, and one has all properties of the other, with the same types.
   */
  isAlike(one: string, other: string): boolean {
    if (this.isSame(one, other)) return true;
    if ([one, other].some((pointer) => this.resolve(pointer).startsWith('/components/'))) return false;
    const [first, second] = [this.getProperties(one), this.getProperties(other)];
    const [fewer, more] = first.size > second.size ? [second, first] : [first, second];
    return fewer.size >= MIN_ALIKE && [...fewer].every(([name, pointer]) => this.#hasSameType(pointer, more.get(name)));
  }

  /** Returns whether two properties have the same types, format and pattern: an id must be valid for both. */
  #hasSameType(one: string, other: string | undefined): boolean {
    if (other === undefined) return false;
    const [first, second] = [one, other].map((pointer) =>
      JSON.stringify([
        [...this.getTypes(pointer)].sort(),
        this.getKeyword(pointer, 'format'),
        this.getKeyword(pointer, 'pattern'),
      ]),
    );
    return first === second;
  }

  /**
   * Returns the JSON Pointer of a schema without references, and without an alternative that is null.
   * Two schemas are the same if it is the same.
   */
  resolve(schema: string): string {
    return getCached(this.#resolved, schema, () => {
      const pointer = resolvePointer(this.document, schema);
      const only = findOnlyPart(toNode(getNode(this.document, pointer)));
      return only === undefined ? pointer : this.resolve(pointer + only);
    });
  }

  /**
   * Returns whether the schema at `schema` is the schema at `other`, or contains it in `allOf`, `oneOf` or `anyOf`.
   * Both parameters are JSON Pointers.
   */
  contains(schema: string, other: string): boolean {
    const target = this.resolve(other);
    return this.#getParts(schema).some(({ pointer }) => pointer === target);
  }

  /**
   * Finds the list of objects in a body.
   * Prefers the property `name` and common names such as `items`.
   * Returns undefined if no list or several lists are left.
   */
  findList(schema: string, name: string, depth = 0): Located | undefined {
    const items = this.getItems(schema);
    if (items !== undefined) return this.isObject(items) ? { path: [], schema: items } : undefined;
    if (depth >= MAX_LIST_DEPTH) return undefined;
    const properties = [...this.getProperties(schema)];
    const lists = properties.flatMap(([property, pointer]) => {
      const found = this.findList(pointer, name, MAX_LIST_DEPTH);
      return found ? [{ path: [property], schema: found.schema }] : [];
    });
    const preferred = findPreferred(lists, [name, ...LIST_NAMES]);
    if (preferred ?? lists.length === 1) return preferred ?? lists[0];
    if (lists.length > 1) return undefined;
    const inner = properties.flatMap(([property, pointer]) => {
      const found = this.isObject(pointer) ? this.findList(pointer, name, depth + 1) : undefined;
      return found ? [{ path: [property, ...found.path], schema: found.schema }] : [];
    });
    return findPreferred(inner, LIST_NAMES) ?? (inner.length === 1 ? inner[0] : undefined);
  }

  /**
   * Finds the entry in a body: `pet` in `{ pet: { … } }`.
   * If no property contains the entry, the whole body is the entry.
   * `schema`: the JSON Pointer of the body's schema.
   * `singular`: the name of an entry, such as `pet`.
   * `entry`: the JSON Pointer of the entry's schema, if it is known.
   */
  findEntry(schema: string, singular: string, entry?: string): Located {
    const whole = { path: [], schema };
    if (entry !== undefined && this.contains(schema, entry)) return whole;
    const properties = [...this.getProperties(schema)].filter(([, pointer]) => this.isObject(pointer));
    const same = entry === undefined ? undefined : this.#findSame(schema, entry);
    if (same) return same;
    if (this.hasId(schema, singular)) return whole;
    const located = properties.map(([name, pointer]) => ({ path: [name], schema: pointer }));
    const own = normalizeName(singular);
    const named = located.find(({ path: [name = ''] }) => normalizeName(toSingular(name)) === own);
    const wrapped = this.#isEnvelope(schema) ? findPreferred(located, ENTRY_NAMES) : undefined;
    const inner = wrapped && (this.#findNamed(wrapped, { own, entry }) ?? wrapped);
    if (!named && inner) return this.#isBeside(schema, inner.schema, entry) ? whole : inner;
    return named ?? this.#findSimilar(schema, located, { own, entry }) ?? whole;
  }

  /** Returns whether a body has properties of an entry, and an object such as `data` in it has none. */
  #isBeside(body: string, object: string, entry: string | undefined): boolean {
    const known = entry === undefined ? new Map() : this.getProperties(entry);
    const has = (schema: string) =>
      [...this.getProperties(schema).keys()].some((name) => known.has(name) && !isEnvelopeName(name));
    return has(body) && !has(object) && this.getProperties(object).size > 0;
  }

  /** Finds the entry by its name in an envelope with no property of an entry: `pet` in `{ data: { pet: { … } } }`. */
  #findNamed(
    { path, schema }: Located,
    { own, entry = schema }: { readonly own: string; readonly entry: string | undefined },
  ): Located | undefined {
    const properties = [...this.getProperties(schema)];
    const known = this.getProperties(entry);
    const named = properties.find(
      ([name, pointer]) => normalizeName(toSingular(name)) === own && this.isObject(pointer),
    );
    if (!named || this.hasId(schema, own) || !(this.#isEnvelope(schema) || this.hasId(named[1], own))) return undefined;
    if (!this.isSame(entry, schema) && properties.some(([name]) => known.has(name))) return undefined;
    return { path: [...path, named[0]], schema: named[1] };
  }

  /**
   * Finds the object in a body that shares the most property names with an entry.
   * If none shares any, returns the only property of the body.
   * Then its name must be the end of the entry's name: `field` for `customfield`.
   * Returns undefined if the body itself has a property of the entry.
   * `own`: the normalized name of an entry.
   * `entry`: the JSON Pointer of the entry's schema.
   */
  #findSimilar(
    schema: string,
    located: readonly Located[],
    { own, entry }: { readonly own: string; readonly entry: string | undefined },
  ): Located | undefined {
    const names = entry === undefined ? new Map() : this.getProperties(entry);
    const count = (pointer: string) => [...this.getProperties(pointer).keys()].filter((name) => names.has(name)).length;
    if (entry !== undefined && count(schema) > 0) return undefined;
    const [best] = [...located].sort((a, b) => count(b.schema) - count(a.schema));
    if (best && count(best.schema) > 0) return best;
    const isPart = ({ path: [name = ''] }: Located) => own.endsWith(normalizeName(toSingular(name)));
    return this.getProperties(schema).size === 1 ? located.find(isPart) : undefined;
  }

  /**
   * Returns whether an object only wraps an entry, as `{ success, data }` does.
   * All properties, with at most one exception, must be objects or have a common name such as `success`.
   */
  #isEnvelope(schema: string): boolean {
    const simple = [...this.getProperties(schema)].filter(([, pointer]) => !this.isObject(pointer));
    return simple.filter(([name]) => !isEnvelopeName(name)).length <= 1;
  }

  /**
   * Finds a property whose schema is that of an entry or of a list of entries.
   * Also searches nested objects.
   * `entry`: the JSON Pointer of the entry's schema.
   */
  #findSame(schema: string, entry: string, depth = 1): Located | undefined {
    const properties = [...this.getProperties(schema)];
    for (const [name, pointer] of properties) {
      const items = this.getItems(pointer);
      if (this.contains(items ?? pointer, entry)) return { path: [name], schema: items ?? pointer };
    }
    for (const [name, pointer] of depth < MAX_LIST_DEPTH ? properties : []) {
      const found = this.isObject(pointer) ? this.#findSame(pointer, entry, depth + 1) : undefined;
      if (found) return { path: [name, ...found.path], schema: found.schema };
    }
    return undefined;
  }

  /** Returns whether two schemas have a common property. Also returns true if one of the schemas has no properties. */
  sharesProperties(schema: string, other: string): boolean {
    const [names, others] = [this.getProperties(schema), this.getProperties(other)];
    return names.size === 0 || others.size === 0 || [...names.keys()].some((name) => others.has(name));
  }

  /**
   * Returns whether a schema has a property such as `id`, `uuid` or `petId`.
   * `singular`: the name of an entry, such as `pet`.
   */
  hasId(schema: string, singular: string): boolean {
    const names = ['id', 'uuid', `${normalizeName(singular)}id`];
    return [...this.getProperties(schema)].some(
      ([name, pointer]) => names.includes(normalizeName(name)) && this.isScalar(pointer),
    );
  }

  /**
   * Returns the JSON Pointer of the schema of the response with a status in JSON, else in XML.
   * Returns undefined if neither is documented.
   */
  getResponseSchema({ responses }: Route, status: number): string | undefined {
    return getShape(findValueMedia(responses, status));
  }

  /**
   * Returns the JSON Pointer of the schema of a request body; undefined if there is none.
   * Prefers JSON to forms and wildcard media types, and these to XML.
   * Leaves out JSON Patches (RFC 6902), because they don't contain the entry.
   */
  getRequestSchema(route: Route): string | undefined {
    const { bodyMedia } = route;
    const patches = listPatchTypes(this, route);
    const types = Object.keys(bodyMedia).filter((type) => !patches.includes(type));
    const type =
      types.find(isJsonType) ?? types.find((name) => allowsJson(name) || isFormBody(name)) ?? types.find(isXmlType);
    return type === undefined ? undefined : getShape(bodyMedia[type]);
  }

  /** Returns the JSON Pointer of the schema at property names in the request body; undefined if there is none. */
  getRequestInner(route: Route, path: readonly string[]): string | undefined {
    const schema = this.getRequestSchema(route);
    return schema === undefined ? undefined : this.getInner(schema, path);
  }

  /** Returns the JSON Pointer of the schema of a path parameter; an empty string if there is none. */
  getParameterSchema({ parameters }: Route, name: string): string {
    const parameter = parameters.find((other) => other.in === 'path' && other.name === name);
    const schema = `${parameter?.pointer}/schema`;
    return parameter && getNode(this.document, schema) !== undefined ? schema : '';
  }
}

/** Returns the value of a schema from a cache, which gets the value if it lacks it. */
function getCached<Value>(cache: Map<string, Value>, schema: string, compute: () => Value): Value {
  const known = cache.get(schema);
  if (known !== undefined || cache.has(schema)) return known as Value;
  const value = compute();
  cache.set(schema, value);
  return value;
}

function findPreferred(located: readonly Located[], names: readonly string[]): Located | undefined {
  for (const name of names) {
    const found = located.find(({ path: [property = ''] }) => normalizeName(property) === normalizeName(name));
    if (found) return found;
  }
  return undefined;
}

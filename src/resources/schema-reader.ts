import { type Document, getNode, resolvePointer } from '../openapi/document.ts';
import { findJsonMedia, isJsonType } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getPartTypes, getSchemaParts } from '../openapi/schema-parts.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { FORM_TYPE } from '../util/request-target.ts';
import { toSingular } from '../util/singular.ts';

/** A list or an entry in a body. `path`: the property names that lead to it. `schema`: the JSON Pointer of the schema of the entry, or of an entry of the list. */
export interface Located {
  readonly path: readonly string[];
  readonly schema: string;
}

/** The names of properties that contain the list of a response. */
const LIST_NAMES = [
  'data',
  'items',
  'results',
  'result',
  'content',
  'value',
  'values',
  'entries',
  'records',
  'rows',
  'list',
  'elements',
  'hits',
  'objects',
  'resources',
  'collection',
  'embedded',
];

/** The names of properties that contain the entry of a request or of a response. */
const ENTRY_NAMES = ['data', 'result', 'item', 'payload', 'response', 'body', 'entity', 'resource', 'object', 'record'];

/** The names of properties beside the entry of a response. */
const ENVELOPE_NAMES = [
  'success',
  'status',
  'statuscode',
  'message',
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

/** The maximum number of properties that lead to a list. */
const MAX_LIST_DEPTH = 2;

/** The maximum depth of objects whose properties have examples. */
const MAX_EXAMPLE_DEPTH = 3;

/** Reads the schemas of a document. Keeps what it has read. */
export class SchemaReader {
  readonly document: Document;
  readonly #properties = new Map<string, ReadonlyMap<string, string>>();

  constructor(document: Document) {
    this.document = document;
  }

  /** Returns the JSON Pointers of the properties of a schema by name. Includes the properties of alternatives. */
  getProperties(schema: string): ReadonlyMap<string, string> {
    const pointer = resolvePointer(this.document, schema);
    const known = this.#properties.get(pointer);
    if (known) return known;
    const properties = getPartProperties(getSchemaParts(this.document, pointer, ALL_PARTS));
    this.#properties.set(pointer, properties);
    return properties;
  }

  /** Returns the JSON Pointers of the properties of a schema that every value can have, by name: without the properties of alternatives. */
  getCommonProperties(schema: string): ReadonlyMap<string, string> {
    return getPartProperties(getSchemaParts(this.document, schema));
  }

  /** Returns the types that a schema allows without null; an empty array if it allows all. */
  getTypes(schema: string): readonly unknown[] {
    const types = getPartTypes(getSchemaParts(this.document, schema, ALL_PARTS));
    return [...new Set(types)].filter((type) => type !== 'null');
  }

  /** Returns whether the values of a schema can be objects with known properties, or any objects. */
  isObject(schema: string): boolean {
    const types = this.getTypes(schema);
    return types.includes('object') || (types.length === 0 && this.getProperties(schema).size > 0);
  }

  /** Returns whether the values of a schema are strings or numbers. */
  isScalar(schema: string): boolean {
    const types = this.getTypes(schema);
    return types.length > 0 && types.every((type) => ['string', 'integer', 'number'].includes(String(type)));
  }

  /** Returns the JSON Pointer of the schema of the entries of an array; undefined if the schema is no array. */
  getItems(schema: string): string | undefined {
    return getPartItems(getSchemaParts(this.document, schema, ALL_PARTS));
  }

  /** Returns the JSON Pointer of the schema of the property at a path of names; undefined if there is none. */
  getInner(schema: string, path: readonly string[]): string | undefined {
    return path.reduce<string | undefined>(
      (pointer, name) => (pointer === undefined ? undefined : this.getProperties(pointer).get(name)),
      schema,
    );
  }

  /** Returns the example of a schema: its own, else the examples of its properties if there are two or more. */
  getExample(schema: string, depth = 0): unknown {
    const [first] = [this.getKeyword(schema, 'examples')].flat();
    const own = this.getKeyword(schema, 'example') ?? first;
    if (own !== undefined || depth >= MAX_EXAMPLE_DEPTH) return own;
    const values = [...this.getProperties(schema)].flatMap(([name, pointer]) => {
      const value = this.getExample(pointer, depth + 1);
      return value === undefined ? [] : [[name, value] as const];
    });
    return values.length > 1 ? Object.fromEntries(values) : undefined;
  }

  /** Returns the first keyword value in a schema or in its `allOf` parts. */
  getKeyword(schema: string, keyword: string): unknown {
    const part = getSchemaParts(this.document, schema).find(({ node }) => keyword in node);
    return part?.node[keyword];
  }

  /** Returns whether two schemas are the same: they refer to the same place of the document. */
  isSame(one: string, other: string): boolean {
    return resolvePointer(this.document, one) === resolvePointer(this.document, other);
  }

  /** Returns whether a schema is another schema, or contains it as a part. */
  contains(schema: string, other: string): boolean {
    const target = resolvePointer(this.document, other);
    return getSchemaParts(this.document, schema, ALL_PARTS).some(({ pointer }) => pointer === target);
  }

  /** Finds the list of objects in the schema of a body. `name`: the name of the resource, which the property with the list can have. */
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
   * Finds the entry in the schema of a body. `singular`: the name of an entry, which a property with the entry can have. `entry`: the schema of an entry, if it is
   * known. Returns the whole body if no property is known to contain the entry.
   */
  findEntry(schema: string, singular: string, entry?: string): Located {
    const whole = { path: [], schema };
    if (entry !== undefined && this.contains(schema, entry)) return whole;
    const properties = [...this.getProperties(schema)].filter(([, pointer]) => this.isObject(pointer));
    const same = entry === undefined ? undefined : this.#findSame(schema, entry);
    if (same) return same;
    if (this.hasId(schema, singular)) return whole;
    const located = properties.map(([name, pointer]) => ({ path: [name], schema: pointer }));
    const named = located.find(({ path: [name = ''] }) => normalizeName(toSingular(name)) === normalizeName(singular));
    return named ?? (this.#isEnvelope(schema) ? findPreferred(located, ENTRY_NAMES) : undefined) ?? whole;
  }

  /** Returns whether the simple properties of a schema describe a response, such as `success` and `message`, with one exception at most. */
  #isEnvelope(schema: string): boolean {
    const simple = [...this.getProperties(schema)].filter(([, pointer]) => !this.isObject(pointer));
    return simple.filter(([name]) => !ENVELOPE_NAMES.includes(normalizeName(name))).length <= 1;
  }

  /** Finds the property of a schema, or of an object in it, that is an entry or a list of entries. */
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

  /** Returns whether a schema has a property for an id. */
  hasId(schema: string, singular: string): boolean {
    const names = ['id', 'uuid', `${normalizeName(singular)}id`];
    return [...this.getProperties(schema)].some(
      ([name, pointer]) => names.includes(normalizeName(name)) && this.isScalar(pointer),
    );
  }

  /** Returns the JSON Pointer of the schema of the success response of an operation; undefined if it has no JSON body. */
  getResponseSchema({ responses }: Route, status: number): string | undefined {
    return findJsonMedia(responses, status)?.schema;
  }

  /** Returns the JSON Pointer of the schema of the request body of an operation: of JSON, else of any type or of a form. */
  getRequestSchema({ bodyMedia }: Route): string | undefined {
    const types = Object.keys(bodyMedia);
    const type = types.find(isJsonType) ?? types.find((name) => READ_TYPES.includes(name));
    return type === undefined ? undefined : bodyMedia[type]?.schema;
  }

  /** Returns the JSON Pointer of the schema of a path parameter. */
  getParameterSchema({ parameters }: Route, name: string): string {
    const parameter = parameters.find((other) => other.in === 'path' && other.name === name);
    const schema = `${parameter?.pointer}/schema`;
    return parameter && getNode(this.document, schema) !== undefined ? schema : '';
  }
}

/** The media types besides JSON whose bodies can be objects. */
const READ_TYPES = ['*/*', FORM_TYPE, 'multipart/form-data'];

function findPreferred(located: readonly Located[], names: readonly string[]): Located | undefined {
  for (const name of names) {
    const found = located.find(({ path: [property = ''] }) => normalizeName(property) === normalizeName(name));
    if (found) return found;
  }
  return undefined;
}

import { MAX_JSON_DEPTH } from '../util/json-limits.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import {
  type Document,
  getNode,
  getPropertyNames,
  getTarget,
  isNode,
  type Node,
  resolvePointer,
  toNode,
} from './document.ts';
import { type Example, getExamples } from './responses.ts';

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly isRequired: boolean;
  /** The serialization of an array or an object; undefined for other types. */
  readonly shape: Shape | undefined;
  /** Whether the schema also allows a single value instead of an array, with `oneOf` or `anyOf`. */
  readonly mayBeSingle: boolean;
  /** The property names of an object whose properties are sent as separate query parameters. */
  readonly fields: readonly string[];
  /** Whether an empty value counts as missing (`allowEmptyValue`). */
  readonly mayBeEmpty: boolean;
  readonly examples: readonly Example[];
  /** The JSON Pointer of the Parameter Object. */
  readonly pointer: string;
}

/**
 * The serialization of an array or an object (OpenAPI 3.0, Parameter Object, `style`). `repeated`: one parameter for each entry. `commas`, `spaces`,
 * `pipes`: one text with separators. `deep object`, `deep array`: `name[key]=value`. `fields`: one parameter for each property. `pairs`: names and
 * values alternate. `json`: JSON text.
 */
type Shape = 'repeated' | 'commas' | 'spaces' | 'pipes' | 'deep object' | 'deep array' | 'fields' | 'pairs' | 'json';

/** Header parameters with these names are ignored (OpenAPI 3.0, Parameter Object). */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/**
 * Returns the parameters of the operation at a JSON Pointer, including the parameters of its path item. A parameter of the operation overrides a parameter of
 * the path item with the same name and location.
 */
export function getParameters(document: Document, operation: string): readonly Parameter[] {
  const path = operation.slice(0, operation.lastIndexOf('/'));
  const byName = new Map<string, Parameter>();
  for (const list of [`${operation}/parameters`, `${path}/parameters`]) {
    const nodes = getNode(document, list);
    for (const index of Array.isArray(nodes) ? nodes.keys() : []) {
      const parameter = getParameter(document, resolvePointer(document, `${list}/${index}`));
      const key = `${parameter?.in} ${parameter?.name}`;
      if (parameter && !byName.has(key)) byName.set(key, parameter);
    }
  }
  return [...byName.values()];
}

function getParameter(document: Document, pointer: string): Parameter | undefined {
  const node = getNode(document, pointer);
  if (!isNode(node) || typeof node.name !== 'string') return undefined;
  const location = node.in as Parameter['in'];
  if (location === 'header' && IGNORED_HEADERS.includes(node.name.toLowerCase())) return undefined;
  const types = getTypes(document, `${pointer}/schema`);
  const mayBeSingle = isUnion(document, `${pointer}/schema`) && types.some((type) => type !== 'array');
  // An object that is an alternative of a `oneOf` or `anyOf` is not parsed.
  const shape = getShape(node, mayBeSingle ? types.filter((type) => type !== 'object') : types);
  return {
    name: node.name,
    in: location,
    isRequired: node.required === true,
    shape,
    mayBeSingle,
    fields: shape === 'fields' ? getPropertyNames(document, `${pointer}/schema`) : [],
    mayBeEmpty: node.allowEmptyValue === true,
    examples: getExamples(document, pointer),
    pointer,
  };
}

function getShape({ in: location, style, explode, content }: Node, types: readonly unknown[]): Shape | undefined {
  if (isNode(content)) return 'application/json' in content ? 'json' : undefined;
  if (style === 'deepObject') return types.includes('array') ? 'deep array' : 'deep object';
  if (types.includes('object')) return location === 'query' && explode !== false ? 'fields' : 'pairs';
  if (!types.includes('array')) return undefined;
  if (location !== 'query') return 'commas';
  if (style === 'spaceDelimited') return 'spaces';
  if (style === 'pipeDelimited') return 'pipes';
  return explode === false ? 'commas' : 'repeated';
}

/**
 * Returns the types that a schema allows, without `null`. Uses the `type` of the schema, else the first `type` in its `allOf`, else the types of all its
 * alternatives.
 */
function getTypes(document: Document, schema: string): readonly unknown[] {
  const pointer = resolvePointer(document, schema);
  const node = toNode(getNode(document, pointer));
  if (node.type !== undefined) return [node.type].flat().filter((type) => type !== 'null');
  const listParts = (key: string) =>
    [...[node[key] ?? []].flat().keys()].map((index) => getTypes(document, `${pointer}/${key}/${index}`));
  const inherited = listParts('allOf').find((types) => types.length > 0);
  return inherited ?? [...new Set([...listParts('oneOf'), ...listParts('anyOf')].flat())];
}

/** Returns whether a schema has alternatives instead of a type. */
function isUnion(document: Document, schema: string): boolean {
  const { type, allOf, oneOf, anyOf } = toNode(getTarget(document, schema));
  return type === undefined && allOf === undefined && (oneOf !== undefined || anyOf !== undefined);
}

/** The parsed parameters of a request by location and name. */
export type Parameters = Record<Parameter['in'], Record<string, unknown>>;

/**
 * Parses the parameters of a request. Returns their values by location, as the validators of openapi-backend expect them. Copies `path` and `query`, because
 * these validators convert values in place.
 */
export function readParameters(
  { parameters }: { readonly parameters: readonly Parameter[] },
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  { path, query }: Readonly<Record<'path' | 'query', Readonly<Record<string, unknown>>>>,
) {
  const values: Parameters = {
    path: {},
    query: { ...query },
    header: {},
    cookie: {},
  };
  for (const { name, in: location, shape, mayBeSingle, fields, mayBeEmpty } of parameters) {
    if (location === 'path') values.path[name] = path[name];
    if (mayBeEmpty && values.query[name] === '') delete values.query[name];
    if (shape === 'fields') collectFields(values.query, name, fields);
    else if (isDeepShape(shape)) setDefined(values[location], name, takeDeepValue(values.query, name, shape));
    else if (location === 'header' || location === 'cookie') {
      const sent = location === 'header' ? headers[name.toLowerCase()] : findCookie(headers.cookie, name);
      setDefined(
        values[location],
        location === 'header' ? name.toLowerCase() : name,
        deserialize(shape, sent, mayBeSingle),
      );
    } else if (shape) setDefined(values[location], name, deserialize(shape, values[location][name], mayBeSingle));
  }
  return values;
}

function setDefined(values: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) values[name] = value;
}

/**
 * Parses a serialized array or object. Returns an invalid value unchanged, so that the schema rejects it. `mayBeSingle`: whether a value without a separator
 * stays a single value, and does not become an array with one entry.
 */
function deserialize(shape: Shape | undefined, value: unknown, mayBeSingle: boolean): unknown {
  if (value === undefined) return undefined;
  if (shape === 'repeated') return mayBeSingle ? value : [value].flat();
  if (typeof value !== 'string') return value;
  if (shape === 'pairs') return parsePairs(value.split(','));
  if (shape === 'json') return parseJson(value);
  const separator = shape && SEPARATORS[shape];
  const parts = separator ? value.split(separator) : [];
  return separator && !(mayBeSingle && parts.length === 1) ? parts : value;
}

const SEPARATORS: Readonly<Partial<Record<Shape, string | RegExp>>> = { commas: ',', spaces: / |%20/, pipes: '|' };

/** Converts an array such as `['a', '1', 'b', '2']` to the object `{ a: '1', b: '2' }`. */
function parsePairs(parts: readonly string[]): object {
  const names = parts.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name, parts[2 * index + 1] ?? '']));
}

function parseJson(text: string): unknown {
  const value: unknown = tryOrUndefined(() => JSON.parse(text));
  // The schema rejects a text that is not JSON.
  return value === undefined ? text : value;
}

/** Combines the query parameters in `fields` into one object, `query[name]`. For example, `a=1&b=2` becomes `{ filter: { a: '1', b: '2' } }`. */
function collectFields(query: Record<string, unknown>, name: string, fields: readonly string[]): void {
  const sent = fields.filter((field) => query[field] !== undefined).map((field) => [field, query[field]] as const);
  for (const [field] of sent) delete query[field];
  if (sent.length > 0) query[name] = Object.fromEntries(sent);
}

/** Returns whether a parameter is serialized as `name[key]=value`. */
export function isDeepShape(shape: Parameter['shape']): boolean {
  return shape === 'deep object' || shape === 'deep array';
}

/**
 * Splits the name of a query parameter into the parameter name and the keys: `filter[colour][not]` has the name `filter` and the keys `colour` and
 * `not`. Returns undefined for a name without keys.
 */
export function parseDeepName(name: string) {
  const [, parameter, brackets] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  const keys = brackets?.slice(1, -1).split('][') ?? [];
  // More keys would create a value that is nested too deeply.
  if (parameter === undefined || keys.length === 0 || keys.length > MAX_JSON_DEPTH) return undefined;
  return { parameter, keys };
}

/**
 * Removes all parameters such as `name[key]` from a query. Returns their values as an object, or as an array if the keys are empty or numbers. Returns
 * undefined if there are none.
 */
function takeDeepValue(query: Record<string, unknown>, name: string, shape: Parameter['shape']): unknown {
  let result: unknown = query[name];
  delete query[name];
  for (const [key, value] of Object.entries(query)) {
    const deepName = parseDeepName(key);
    if (deepName?.parameter !== name) continue;
    delete query[key];
    result = setAt(result, deepName.keys, value);
  }
  return result === undefined || shape === 'deep object' ? result : [result].flat();
}

/** Returns a copy of `target` in which a nested property is set: the keys `['a', 'b']` set `target.a.b`. Empty and numeric keys append to an array instead. */
export function setAt(target: unknown, [key, ...keys]: readonly string[], value: unknown): unknown {
  if (key === undefined) return target === undefined ? value : [target, value].flat();
  if (/^\d*$/.test(key)) {
    const entries = target === undefined ? [] : [target].flat();
    return [...entries, ...[setAt(undefined, keys, value)].flat()];
  }
  const own = toNode(target);
  return { ...own, [key]: setAt(own[key], keys, value) };
}

/** Returns the value of a cookie; undefined if there is no such cookie. `cookies`: the header `Cookie`. */
export function findCookie(cookies: string | readonly string[] | undefined, name: string): string | undefined {
  const pairs = String(cookies ?? '')
    .split(';')
    .map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

import { MAX_JSON_DEPTH } from '../util/json-limits.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Document, getNode, getPropertyNames, isNode, resolvePointer, toNode } from './document.ts';
import { type Example, getExamples } from './responses.ts';

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** How an array or an object is serialized; undefined for other types. */
  readonly shape: Shape | undefined;
  /** The names of the properties of an object whose properties are query parameters of their own. */
  readonly fields: readonly string[];
  /** Whether an empty value counts as missing (`allowEmptyValue`). */
  readonly mayBeEmpty: boolean;
  readonly examples: readonly Example[];
  /** JSON Pointer of the Parameter Object. */
  readonly pointer: string;
}

type Shape = 'list' | 'commas' | 'blanks' | 'bars' | 'deep' | 'deep list' | 'fields' | 'pairs' | 'json';

/** Header parameters with these names are ignored (OpenAPI 3.0, Parameter Object). */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/** Returns the parameters of the operation at a pointer: its own, and those of its path that it does not override. */
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
  const shape = getShape(node, getType(document, `${pointer}/schema`));
  return {
    name: node.name,
    in: location,
    shape,
    fields: shape === 'fields' ? getPropertyNames(document, `${pointer}/schema`) : [],
    mayBeEmpty: node.allowEmptyValue === true,
    examples: getExamples(document, pointer),
    pointer,
  };
}

function getShape(
  { in: location, style, explode, content }: Record<string, unknown>,
  type: unknown,
): Shape | undefined {
  if (isNode(content)) return 'application/json' in content ? 'json' : undefined;
  const types = Array.isArray(type) ? type : [type];
  if (style === 'deepObject') return types.includes('array') ? 'deep list' : 'deep';
  if (types.includes('object')) return location === 'query' && explode !== false ? 'fields' : 'pairs';
  if (!types.includes('array')) return undefined;
  if (location !== 'query') return 'commas';
  if (style === 'spaceDelimited') return 'blanks';
  if (style === 'pipeDelimited') return 'bars';
  return explode === false ? 'commas' : 'list';
}

/** Returns the type of a schema: its own, or that of the first part of its `allOf` that has one. */
function getType(document: Document, schema: string): unknown {
  const pointer = resolvePointer(document, schema);
  const { type, allOf } = toNode(getNode(document, pointer));
  if (type !== undefined || !Array.isArray(allOf)) return type;
  const types = [...allOf.keys()].map((index) => getType(document, `${pointer}/allOf/${index}`));
  return types.find((each) => each !== undefined);
}

/** Returns the values of parameters by location, as openapi-backend's validators expect them. These convert the values in place, so `path` and `query` are copied. */
export function readParameters(
  { parameters, pathNames }: { readonly parameters: readonly Parameter[]; readonly pathNames: readonly string[] },
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  { path, query }: Readonly<Record<'path' | 'query', Readonly<Record<string, unknown>>>>,
) {
  const values: Record<Parameter['in'], Record<string, unknown>> = {
    // Some documents have a name in a path template without a parameter.
    path: Object.fromEntries(pathNames.map((name) => [name, path[name]])),
    query: { ...query },
    header: {},
    cookie: {},
  };
  for (const { name, in: location, shape, fields, mayBeEmpty } of parameters) {
    if (mayBeEmpty && values.query[name] === '') delete values.query[name];
    if (shape === 'fields') collectFields(values.query, name, fields);
    else if (isDeepShape(shape)) setDefined(values[location], name, takeDeepValue(values.query, name, shape));
    else if (location === 'header' || location === 'cookie') {
      const sent = location === 'header' ? headers[name.toLowerCase()] : findCookie(headers.cookie, name);
      setDefined(values[location], location === 'header' ? name.toLowerCase() : name, deserialize(shape, sent));
    } else if (shape) setDefined(values[location], name, deserialize(shape, values[location][name]));
  }
  return values;
}

function setDefined(values: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) values[name] = value;
}

/** Returns an array or an object of a serialized value. A value that can't be read stays as it is: the schema refuses it. */
function deserialize(shape: Shape | undefined, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (shape === 'list') return [value].flat();
  if (typeof value !== 'string') return value;
  if (shape === 'pairs') return parsePairs(value.split(','));
  if (shape === 'json') return parseJson(value);
  const separator = shape && SEPARATORS[shape];
  return separator ? value.split(separator) : value;
}

const SEPARATORS: Readonly<Partial<Record<Shape, string | RegExp>>> = { commas: ',', blanks: / |%20/, bars: '|' };

/** Returns the object of an array in which names and values alternate. */
function parsePairs(parts: readonly string[]): object {
  const names = parts.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name, parts[2 * index + 1] ?? '']));
}

function parseJson(text: string): unknown {
  const value: unknown = tryOrUndefined(() => JSON.parse(text));
  // If it is not JSON, the schema refuses the string.
  return value === undefined ? text : value;
}

/** Moves the query parameters that are properties of an object into the object. */
function collectFields(query: Record<string, unknown>, name: string, fields: readonly string[]): void {
  const sent = fields.filter((field) => query[field] !== undefined).map((field) => [field, query[field]] as const);
  for (const [field] of sent) delete query[field];
  if (sent.length > 0) query[name] = Object.fromEntries(sent);
}

/** Returns whether a parameter is serialized as `name[…]`. */
export function isDeepShape(shape: Parameter['shape']): boolean {
  return shape === 'deep' || shape === 'deep list';
}

/** Returns the parameter and the keys in a name of a query: `filter`, `colour` and `not` for `filter[colour][not]`; undefined if it has no keys. */
export function parseDeepName(name: string) {
  const [, parameter, brackets] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  const keys = brackets?.slice(1, -1).split('][') ?? [];
  // A name with more keys can't be that of a parameter.
  if (parameter === undefined || keys.length === 0 || keys.length > MAX_JSON_DEPTH) return undefined;
  return { parameter, keys };
}

/** Removes the parameters `name[…]` from a query. Returns their value: an object, or an array if the keys are empty or numbers; undefined if none was sent. */
function takeDeepValue(query: Record<string, unknown>, name: string, shape: Parameter['shape']): unknown {
  let result: unknown = query[name];
  delete query[name];
  for (const [key, value] of Object.entries(query)) {
    const deepName = parseDeepName(key);
    if (deepName?.parameter !== name) continue;
    delete query[key];
    result = setAt(result, deepName.keys, value);
  }
  return result === undefined || shape === 'deep' ? result : [result].flat();
}

/** Returns a copy of `target` with a value at some keys. */
function setAt(target: unknown, [key, ...keys]: readonly string[], value: unknown): unknown {
  if (key === undefined) return target === undefined ? value : [target, value].flat();
  if (/^\d*$/.test(key)) {
    const entries = target === undefined ? [] : [target].flat();
    return [...entries, ...[setAt(undefined, keys, value)].flat()];
  }
  const own = toNode(target);
  return { ...own, [key]: setAt(own[key], keys, value) };
}

function findCookie(cookies: string | readonly string[] | undefined, name: string): string | undefined {
  const pairs = String(cookies ?? '').split(';');
  const prefix = `${name}=`;
  return pairs
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length);
}

import type { ErrorObject } from 'ajv';
import { formatPointer } from '../util/json-pointer.ts';
import { findInexactIntegers, type InexactInteger } from '../util/limits.ts';
import { parseQuery } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { addAt, parseDeepName } from './deep-names.ts';
import { type Document, getNode, getPropertyNames, isNode, type Node, resolvePointer, toNode } from './document.ts';
import { isFormBody, isJsonType } from './media-types.ts';
import { getItemPointer } from './path-items.ts';
import { type Example, getExamples, getMediaExamples } from './responses.ts';
import { getBranches, getSchemaParts } from './schema-parts.ts';
import { createErrorObject } from './schema-validator.ts';
import { type ConvertTexts, readTexts } from './typed-values.ts';

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly isRequired: boolean;
  /** The serialization of an array or an object; undefined for other types. */
  readonly shape: Shape | undefined;
  /** The separator of the entries of an array or an object in one text. */
  readonly separator: string;
  /**
   * The text before the value of a path parameter: `.` for the style `label`, `;name=` for `matrix`.
   * Empty for all others.
   */
  readonly prefix: string;
  /**
   * Whether the schema also allows a value that is neither an array nor an object, with `oneOf`, `anyOf` or several
   * types.
   */
  readonly mayBeSingle: boolean;
  /** The property names of an object whose properties are sent as separate query parameters. */
  readonly fields: readonly string[];
  /**
   * Whether such an object has all query parameters that the contract does not define: its schema has
   * `additionalProperties`.
   */
  readonly takesOthers: boolean;
  /** Whether the parameter is the whole query string (`in: querystring` of OpenAPI 3.2). Its place is the query. */
  readonly isQueryString: boolean;
  /** Whether a cookie has the value without escapes (`style: cookie` of OpenAPI 3.2). */
  readonly isUnescaped: boolean;
  /** Whether an empty value counts as missing (`allowEmptyValue`). */
  readonly mayBeEmpty: boolean;
  readonly examples: readonly Example[];
  /** The JSON Pointer of the Parameter Object. */
  readonly pointer: string;
  /** The JSON Pointer of the schema. There is no value at this pointer if the parameter has no schema. */
  readonly schema: string;
}

/**
 * The serialization of an array or an object (OpenAPI 3.0, Parameter Object, `style`).
 * `repeated`: one parameter for each entry.
 * `list`: one text with separators.
 * `deep object`, `deep array`: `name[key]=value`.
 * `fields`: one parameter for each property.
 * `pairs`: names and values alternate, with separators.
 * `assignments`: `name=value` with separators.
 * `json`: JSON text.
 */
type Shape = 'repeated' | 'list' | 'deep object' | 'deep array' | 'fields' | 'pairs' | 'assignments' | 'json';

/** Header parameters with these names are ignored (OpenAPI 3.0, Parameter Object). */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/**
 * Returns the parameters of the operation at a JSON Pointer, including the parameters of its path item.
 * A parameter of the operation overrides a parameter of the path item with the same name and location.
 */
export function getParameters(document: Document, operation: string): readonly Parameter[] {
  const path = getItemPointer(operation);
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
  const isQueryString = node.in === 'querystring';
  const location = isQueryString ? 'query' : (node.in as Parameter['in']);
  if (location === 'header' && IGNORED_HEADERS.includes(node.name.toLowerCase())) return undefined;
  const [type] = Object.keys(toNode(node.content));
  const media = type === undefined ? pointer : resolvePointer(document, `${pointer}/content${formatPointer(type)}`);
  const schema = `${media}/schema`;
  const types = getTypes(document, schema);
  const shape = getShape(node, type, types);
  const isFields = shape === 'fields';
  const parameter: Parameter = {
    name: node.name,
    in: location,
    isRequired: node.required === true,
    shape,
    ...getSyntax(node, shape),
    mayBeSingle: types.some((name) => name !== 'array' && name !== 'object'),
    fields: isFields ? getPropertyNames(document, schema) : [],
    takesOthers: isFields && location === 'query' && takesOtherNames(document, schema, isQueryString),
    isQueryString,
    isUnescaped: node.style === 'cookie',
    mayBeEmpty: node.allowEmptyValue === true,
    examples: [],
    pointer,
    schema,
  };
  const examples = getExamples(document, pointer, (text) => readSerialized(document, parameter, text));
  const own = examples.length > 0 || type === undefined ? examples : getMediaExamples(document, media, type);
  return { ...parameter, examples: own };
}

/** Returns the value of a parameter that has the serialization `text` (Example Object, `serializedValue`). */
function readSerialized(document: Document, parameter: Parameter, text: string): unknown {
  const { name, in: location } = parameter;
  const convert: ConvertTexts = (schema, texts) => readTexts({ document, isValid: () => true }, schema, texts);
  const headers = location === 'cookie' ? { cookie: text } : { [name.toLowerCase()]: text };
  const path = { [name]: tryOrUndefined(() => decodeURIComponent(text)) ?? text };
  const route = { parameters: [parameter] };
  const { values } = readParameters(convert, route, headers, { path, query: readQuery(route, text) });
  return values[location][location === 'header' ? name.toLowerCase() : name] ?? text;
}

/** Returns the types that a schema allows, without `null`. */
function getTypes(document: Document, schema: string): readonly string[] {
  const types = getBranches(document)([schema]).flatMap((branch) => [...(branch.types ?? [])]);
  return [...new Set(types)].filter((type) => type !== 'null');
}

/**
 * Returns whether an object has the query parameters that the contract does not define, because its schema, or a schema
 * in its `allOf`, describes undocumented properties.
 * If the object is the whole query string, its schema can also forbid them.
 */
function takesOtherNames(document: Document, schema: string, isQueryString: boolean): boolean {
  return getSchemaParts(document, schema).some(
    ({ node: { additionalProperties: others } }) =>
      isNode(others) || others === true || (isQueryString && others === false),
  );
}

function getShape(node: Node, mediaType: string | undefined, types: readonly string[]): Shape | undefined {
  const { in: location, style, explode } = node;
  if (mediaType !== undefined && location === 'querystring' && isFormBody(mediaType)) return 'fields';
  if (mediaType !== undefined) return isJsonType(mediaType) ? 'json' : undefined;
  if (style === 'deepObject') return types.includes('array') ? 'deep array' : 'deep object';
  // The style `cookie` has one cookie for each entry or property, as a query has parameters.
  const isQuery = location === 'query' || style === 'cookie';
  if (types.includes('object')) {
    if (isQuery && explode !== false && !isDelimited(style)) return 'fields';
    return !isQuery && explode === true ? 'assignments' : 'pairs';
  }
  if (!types.includes('array')) return undefined;
  return isQuery && (explode === true || (explode !== false && !isDelimited(style))) ? 'repeated' : 'list';
}

/** Returns whether the style separates values by spaces or pipes. Its default for `explode` is false. */
function isDelimited(style: unknown): boolean {
  return style === 'spaceDelimited' || style === 'pipeDelimited';
}

/**
 * Returns the separator and the prefix of a parameter.
 * Those of the styles `label` and `matrix` are in RFC 6570, sections 3.2.5 and 3.2.7.
 */
function getSyntax({ name, style, explode }: Node, shape: Shape | undefined): Pick<Parameter, 'separator' | 'prefix'> {
  const isExploded = explode === true;
  const assignment = `;${encodeURIComponent(String(name))}=`;
  if (style === 'label') return { prefix: '.', separator: isExploded ? '.' : ',' };
  if (style === 'matrix' && shape === 'assignments') return { prefix: ';', separator: ';' };
  if (style === 'matrix') return { prefix: assignment, separator: isExploded ? assignment : ',' };
  return { prefix: '', separator: { spaceDelimited: ' ', pipeDelimited: '|' }[String(style)] ?? ',' };
}

/** The parsed parameters of a request by location and name. */
export type Parameters = Record<Parameter['in'], Record<string, unknown>>;

/** The parameters of a request, and the errors of those that can't be read. */
export interface ReadParameters {
  readonly values: Parameters;
  readonly errors: readonly ErrorObject[];
}

/**
 * Reads the parameters of a request.
 * `convert` gives the values the types of their schemas.
 * Returns their values by location, as the validators of openapi-backend expect them.
 * A text that does not fit its schema stays a text.
 * The errors are about integers in JSON that can't be represented, and about path parameters that do not have their
 * style.
 * `path`: the decoded texts in the path.
 */
export function readParameters(
  convert: ConvertTexts,
  { parameters }: { readonly parameters: readonly Parameter[] },
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  {
    path,
    query,
  }: { readonly path: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, unknown>> },
): ReadParameters {
  const values: Parameters = { path: {}, query: { ...query }, header: {}, cookie: {} };
  const errors: ErrorObject[] = [];
  const others = parameters.some(({ takesOthers }) => takesOthers) ? takeOthers(parameters, values.query) : {};
  for (const parameter of parameters) {
    const { in: location, shape, mayBeEmpty, schema } = parameter;
    const name = location === 'header' ? parameter.name.toLowerCase() : parameter.name;
    if (mayBeEmpty && values.query[name] === '') delete values.query[name];
    const sent = takeSent(parameter, values.query, { path, headers, others });
    if (sent === undefined) continue;
    if (isWithoutPrefix(parameter, sent)) errors.push(createStyleError(parameter, sent));
    if (shape === 'json') errors.push(...findInexact(`/${location}${formatPointer(name)}`, sent));
    values[location][name] = shape === 'json' ? parseJson(sent) : convert(schema, deserialize(parameter, sent));
  }
  return { values, errors };
}

/**
 * The sent values of a request from which `takeSent` takes those of one parameter.
 * `others`: the query parameters that the contract does not define.
 */
interface Sent {
  readonly path: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly others: Readonly<Record<string, unknown>>;
}

/**
 * Returns what was sent for a parameter: a text, several texts, or an object of texts.
 * Removes query parameters that become parts of an object from `query`.
 */
function takeSent(parameter: Parameter, query: Record<string, unknown>, { path, headers, others }: Sent): unknown {
  const { name, in: location, shape, fields, takesOthers, isQueryString } = parameter;
  if (location === 'path') return path[name];
  if (location === 'header')
    return Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()] : undefined;
  if (location === 'cookie') return takeCookies(parameter, headers.cookie);
  if (isDeepShape(shape)) return takeDeepValue(query, name, shape);
  const object = shape === 'fields' ? { ...takeFields(query, fields), ...(takesOthers ? others : {}) } : {};
  if (Object.keys(object).length > 0) return object;
  if (isQueryString && shape === 'fields') return undefined;
  return Object.hasOwn(query, name) ? query[name] : undefined;
}

/**
 * Returns the forms of a sent value, as objects and arrays of texts, in their order of preference.
 * A value that can't be parsed is returned unchanged.
 */
function deserialize(parameter: Parameter, value: unknown): readonly unknown[] {
  const { shape, mayBeSingle } = parameter;
  if (typeof value !== 'string') return [value];
  const parse = shape && PARSERS[shape];
  const text = removePrefix(parameter, value);
  if (!parse) return [text];
  const parsed = parse(text.split(getSplitter(parameter)));
  return mayBeSingle ? [parsed, text] : [parsed];
}

/** Removes the prefix of the style of a parameter. The style `matrix` has no `=` before an empty value. */
export function removePrefix({ prefix }: Pick<Parameter, 'prefix'>, text: string): string {
  if (text.startsWith(prefix)) return text.slice(prefix.length);
  return `${text}=` === prefix ? '' : text;
}

function isWithoutPrefix(parameter: Parameter, text: unknown): boolean {
  return (
    parameter.prefix !== '' &&
    typeof text === 'string' &&
    !text.startsWith(parameter.prefix) &&
    `${text}=` !== parameter.prefix
  );
}

function createStyleError({ name, prefix }: Parameter, text: unknown): ErrorObject {
  return createErrorObject({
    keyword: 'style',
    instancePath: formatPointer('path', name),
    data: text,
    params: { prefix },
  });
}

const PARSERS: Readonly<Partial<Record<Shape, (parts: readonly string[]) => unknown>>> = {
  list: (parts) => (parts.length > 1 ? parts : parts[0]),
  pairs: parsePairs,
  assignments: parseAssignments,
};

/**
 * Returns what separates the entries of an array or an object.
 * Spaces can follow the commas of a header (RFC 9110, section 5.6.1).
 */
function getSplitter({ in: location, separator }: Parameter): string | RegExp {
  if (separator === ' ') return / |%20/;
  if (separator === '|') return /\||%7C/i;
  return location === 'header' ? /\s*,\s*/ : separator;
}

/** Converts an array such as `['a', '1', 'b', '2']` to the object `{ a: '1', b: '2' }`. */
function parsePairs(parts: readonly string[]): object {
  const names = parts.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name, parts[2 * index + 1] ?? '']));
}

/** Converts an array such as `['a=1', 'b=2']` to the object `{ a: '1', b: '2' }`. */
function parseAssignments(parts: readonly string[]): object {
  return Object.fromEntries(parts.map((part) => [part.replace(/=.*/s, ''), part.replace(/^[^=]*=?/, '')]));
}

/**
 * Returns an error for each integer in a JSON text that can't be represented.
 * `place`: the JSON Pointer of the text in the request.
 */
export function findInexact(place: string, text: unknown): readonly ErrorObject[] {
  if (typeof text !== 'string' || tryOrUndefined(() => JSON.parse(text)) === undefined) return [];
  return findInexactIntegers(text).map((found) => createInexactError(place, found));
}

/** Creates the error about an integer in a JSON text that can't be represented. */
export function createInexactError(place: string, { path, text }: InexactInteger): ErrorObject {
  return createErrorObject({ keyword: 'exact', instancePath: place + formatPointer(...path), data: text });
}

function parseJson(text: unknown): unknown {
  const value: unknown = typeof text === 'string' ? tryOrUndefined(() => JSON.parse(text)) : undefined;
  // The schema rejects a text that is not JSON.
  return value === undefined ? text : value;
}

/** Removes the query parameters in `fields` and returns them as an object. */
function takeFields(query: Record<string, unknown>, fields: readonly string[]): object {
  const sent = fields.filter((field) => Object.hasOwn(query, field)).map((field) => [field, query[field]] as const);
  for (const [field] of sent) delete query[field];
  return Object.fromEntries(sent);
}

/** Removes the query parameters that no parameter defines, and returns them as an object. */
function takeOthers(parameters: readonly Parameter[], query: Record<string, unknown>): Sent['others'] {
  const known = parameters.flatMap((parameter) => (parameter.in === 'query' ? listQueryNames(parameter) : []));
  const isDeep = (name: string) =>
    parameters.some(({ shape, name: own }) => isDeepShape(shape) && own === parseDeepName(name)?.parameter);
  return takeFields(
    query,
    Object.keys(query).filter((name) => !known.includes(name) && !isDeep(name)),
  ) as Sent['others'];
}

/** Returns whether a parameter is serialized as `name[key]=value`. */
export function isDeepShape(shape: Parameter['shape']): boolean {
  return shape === 'deep object' || shape === 'deep array';
}

/**
 * Removes all parameters such as `name[key]` from a query.
 * Returns their values as an object, or as an array if the keys are empty or numbers.
 * Returns undefined if there are none.
 */
function takeDeepValue(query: Record<string, unknown>, name: string, shape: Parameter['shape']): unknown {
  let result = addAt(undefined, [], Object.hasOwn(query, name) ? query[name] : undefined);
  delete query[name];
  for (const [key, value] of Object.entries(query)) {
    const deepName = parseDeepName(key);
    if (deepName?.parameter !== name) continue;
    delete query[key];
    result = addAt(result, deepName.keys, value);
  }
  return result === undefined || shape === 'deep object' ? result : [result].flat();
}

/** Returns the names that a query has for a parameter, without those with brackets. */
export function listQueryNames({ name, shape, fields, isQueryString }: Parameter): readonly string[] {
  return isQueryString && shape === 'fields' ? fields : [name, ...fields];
}

/**
 * Returns the query of a request by name.
 * If a parameter is the whole query string, and not a form, its name has the whole text.
 */
export function readQuery(
  { parameters }: { readonly parameters: readonly Parameter[] },
  querystring: string,
): Readonly<Record<string, string | string[]>> {
  const whole = parameters.find(isWholeQuery);
  if (!whole || querystring === '') return parseQuery(querystring);
  return { [whole.name]: tryOrUndefined(() => decodeURIComponent(querystring)) ?? querystring };
}

/** Returns whether a parameter is the text of the query string, such as JSON, and not a form. */
export function isWholeQuery({ isQueryString, shape }: Parameter): boolean {
  return isQueryString && shape !== 'fields';
}

/** Returns the cookies of a parameter: a text, several texts, or an object of texts. */
function takeCookies({ name, shape, fields }: Parameter, cookies: Sent['headers'][string]): unknown {
  if (shape === 'fields') {
    const sent = fields.flatMap((field) => {
      const value = findCookie(cookies, field);
      return value === undefined ? [] : [[field, value] as const];
    });
    return sent.length === 0 ? undefined : Object.fromEntries(sent);
  }
  if (shape !== 'repeated') return findCookie(cookies, name);
  const values = listCookies(cookies, name);
  return values.length > 1 ? values : values[0];
}

/** Returns the values of the cookies of a request, of those with a name if there is one. */
function listCookies(cookies: Sent['headers'][string], name?: string): readonly string[] {
  return String(cookies ?? '')
    .split(';')
    .flatMap((pair) => {
      const [, own = '', value = ''] = /^\s*([^=]*)=(.*?)\s*$/s.exec(pair) ?? [];
      return own === '' || (name !== undefined && own !== name) ? [] : [value];
    });
}

/** Returns the values of all cookies. `cookies`: the header `Cookie`. */
export function listCookieValues(cookies: Sent['headers'][string]): readonly string[] {
  return listCookies(cookies);
}

/** Returns the value of a cookie; undefined if there is no such cookie. `cookies`: the header `Cookie`. */
export function findCookie(cookies: string | readonly string[] | undefined, name: string): string | undefined {
  return listCookies(cookies, name)[0];
}

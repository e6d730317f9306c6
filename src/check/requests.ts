import type { Contract } from '../openapi/contract.ts';
import { type Document, isNode } from '../openapi/document.ts';
import { toContentType, toText } from '../openapi/format-form.ts';
import { isFormBody, isJsonType, removeTypeParameters } from '../openapi/media-types.ts';
import { isWholeQuery, type Parameter, type Parameters, readParameters, readQuery } from '../openapi/parameters.ts';
import { encodePath, type Route } from '../openapi/routes.ts';
import { keepTexts } from '../openapi/typed-values.ts';
import type { RequestResult, RequestToValidate } from '../openapi/validate-request.ts';
import type { XmlContract } from '../openapi/xml/xml-schema.ts';
import { normalizeName } from '../util/names.ts';
import { JSON_TYPE } from '../util/request-target.ts';
import { type BodyFormat, formatBody, parseBody, toPairs } from './body-format.ts';
import type { RequestToSend } from './exchange.ts';

/** The values of the parameters and the body of a request. */
export interface RequestValues {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /**
   * How the body is serialized.
   * Default: as the main media type of the operation, without the details of its schema.
   */
  readonly format?: BodyFormat | undefined;
  /** The values that the user has set. */
  readonly own?: OwnValues | undefined;
}

/** Values that the user has set for an operation: parameters by name, and the body or some properties of it. */
interface OwnValues {
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** Returns a copy of a request with the values that the user has set. Leaves out those that the operation has not. */
export function withOwnValues(route: Route, base: RequestValues, own: OwnValues | undefined = base.own): RequestValues {
  const { parameters = {}, body } = own ?? {};
  if (Object.keys(parameters).length === 0 && body === undefined) return base;
  let values: RequestValues = { ...base, own };
  for (const [name, value] of Object.entries(parameters)) {
    if (route.pathNames.includes(name)) values = { ...values, path: { ...values.path, [name]: String(value) } };
    for (const parameter of route.parameters)
      if (isNamed(parameter, name)) values = withParameter(values, parameter, value) ?? values;
  }
  if (body === undefined || getBodyType(route) === undefined) return values;
  return { ...values, body: mergeBodies(values.body, body) };
}

function mergeBodies(generated: unknown, own: unknown): unknown {
  if (!isNode(generated) || !isNode(own) || Array.isArray(generated) || Array.isArray(own)) return own;
  const entries = Object.entries(own).map(([name, value]) => [name, mergeBodies(generated[name], value)]);
  return { ...generated, ...Object.fromEntries(entries) };
}

/** Returns whether a parameter has a name. The names of headers are case-insensitive. */
export function isNamed({ name, in: location }: Parameter, other: string): boolean {
  return location === 'header' ? name.toLowerCase() === other.toLowerCase() : name === other;
}

/** Creates a request to send. `values`: the values of the parameters and the body. */
export function toRequest(route: Route, values: RequestValues): RequestToSend {
  const target = toPath(route, values) + formatQuery(route, values.query);
  const request = { method: route.method, target, headers: values.headers };
  if (values.body === undefined) return request;
  const format = values.format ?? { type: getBodyType(route) ?? JSON_TYPE, contract: NO_CONTRACT, schema: undefined };
  const type = toContentType(format.type);
  const body = formatBody(format, values.body) ?? '';
  // A form without fields is empty, so a server can't distinguish it from a missing body.
  return body === '' ? request : { ...request, headers: { ...values.headers, 'content-type': type }, body };
}

/** An empty contract, for bodies whose schema is not known. */
const NO_CONTRACT: XmlContract = { normalized: {} as Document, getErrors: () => [] };

/** Returns whether the body of a request can be serialized. XML, for example, can't contain control characters. */
export function isSendable({ format, body }: RequestValues): boolean {
  return format === undefined || body === undefined || formatBody(format, body) !== undefined;
}

/** Validates a request against the contract. */
export function validateValues(contract: Contract, route: Route, values: RequestValues): RequestResult {
  return contract.validateRequest(route, parseRequest(route, toRequest(route, values), values.format));
}

/** Parses a request as a server does, so that the request can be validated. `format`: describes the XML of the body. */
export function parseRequest(
  route: Route,
  { target, headers = {}, body }: RequestToSend,
  format?: BodyFormat,
): RequestToValidate {
  const [path = '', search = ''] = target.split('?');
  const parsed = { path, query: readQuery(route, search), headers };
  if (body === undefined) return { ...parsed, body };
  const contentType = headers['content-type'] ?? '';
  // The validation finds the schema of a form by the media type without the boundary.
  return {
    ...parsed,
    body: parseBody(contentType, String(body), format),
    contentType: removeTypeParameters(contentType),
  };
}

/**
 * Returns the media type of the request bodies that the check sends to an operation: JSON if the operation accepts it,
 * else a form, else the first documented type.
 * It is spelled as in the contract.
 * Returns undefined if the operation has no request body.
 */
export function getBodyType({ bodyMedia }: Route): string | undefined {
  const types = Object.keys(bodyMedia);
  return types.find(isJsonType) ?? types.find(isFormBody) ?? types[0];
}

/**
 * Returns the JSON Pointer of the schema of the request body that the check sends.
 * Returns undefined if the operation has no request body, or if the body has no schema.
 */
export function getBodySchema(route: Route): string | undefined {
  return route.bodyMedia[getBodyType(route) ?? '']?.schema;
}

/**
 * Returns how a request body is serialized.
 * `type`: a media type of the operation, as in the contract.
 * Returns undefined if the operation has no body.
 */
export function getBodyFormat(contract: Contract, route: Route, type = getBodyType(route)): BodyFormat | undefined {
  return type === undefined ? undefined : { type, contract, schema: route.bodyMedia[type]?.schema };
}

/**
 * Returns the path of a request, with percent-encoded parameters.
 * `raw`: parameters that replace those in `values.path`, and that are not percent-encoded.
 */
export function toPath(
  { path, parameters }: Route,
  values: Pick<RequestValues, 'path'>,
  raw: Readonly<Record<string, string>> = {},
): string {
  return path.replaceAll(/\{(.*?)\}|[^{]+/g, (part, name: string | undefined) => {
    if (name === undefined) return encodePath(part);
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return (parameter?.prefix ?? '') + (raw[name] ?? encodePathText(parameter, values.path[name] ?? ''));
  });
}

/**
 * Escapes the text of a path parameter, except for the separators in an array or an object (RFC 6570, section 3.2.1).
 */
function encodePathText(parameter: Parameter | undefined, text: string): string {
  const isJoined = ['list', 'pairs', 'assignments'].includes(parameter?.shape ?? '');
  return isJoined ? encodeText(text).replaceAll(/%(?:2C|3B|3D)/g, decodeURIComponent) : encodeText(text);
}

/** Returns the values of the parameters of a request, as texts, and as arrays and objects of texts. */
export function readParameterTexts(route: Route, values: RequestValues): Parameters {
  const path = route.pathTexts(toPath(route, values));
  return readParameters(keepTexts, route, values.headers, { path, query: values.query }).values;
}

/** The values of a request without parameters and without a body. */
export const NO_VALUES: RequestValues = { path: {}, query: {}, headers: {} };

function formatQuery({ parameters }: Route, query: RequestValues['query']): string {
  const whole = query[parameters.find(isWholeQuery)?.name ?? ''];
  if (whole !== undefined) return `?${encodeText(String(whole))}`;
  const pairs = toPairs(query).map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** Returns the values of a request with one parameter set to `value`; undefined if `value` can't be serialized. */
export function withParameter(values: RequestValues, parameter: Parameter, value: unknown): RequestValues | undefined {
  const { name, in: location, isQueryString, fields } = parameter;
  const serialized = serialize(parameter, value);
  if (serialized === undefined) return undefined;
  if (location === 'query') {
    const others = isQueryString ? omitNames(values.query, fields) : values.query;
    return { ...values, query: { ...others, ...serialized } };
  }
  if (location === 'cookie') return withCookies(values, parameter, serialized);
  const [first = ''] = Object.values(serialized).flat();
  if (location === 'path') return { ...values, path: { ...values.path, [name]: first } };
  // Servers ignore whitespace around the value of a header.
  const field = location === 'header' ? first.replaceAll(/^[ \t]+|[ \t]+$/g, '') : first;
  if (/[^\t\x20-\x7e\x80-\xff]/.test(field)) return undefined;
  return { ...values, headers: { ...values.headers, [name.toLowerCase()]: field } };
}

function omitNames(query: RequestValues['query'], names: readonly string[]): RequestValues['query'] {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

/** Adds the cookies of a parameter. The style `cookie` has no escapes, so its values can't have all characters. */
function withCookies(values: RequestValues, parameter: Parameter, serialized: RequestValues['query']) {
  const { isUnescaped } = parameter;
  const pairs = toPairs(serialized);
  if (isUnescaped && pairs.some(([, text]) => !COOKIE_TEXT.test(text))) return undefined;
  const own = pairs.map(([name, text]) => `${name}=${isUnescaped ? text : encodeText(text)}`);
  const cookies = [...getOtherCookies(values, parameter), ...own];
  return { ...values, headers: { ...values.headers, cookie: cookies.join('; ') } };
}

/** Matches the value of a cookie without escapes (RFC 6265, section 4.1.1, `cookie-octet`). */
const COOKIE_TEXT = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** Returns the cookies of a request, except those of a parameter. Each cookie is a text such as `color=red`. */
export function getOtherCookies(
  { headers }: RequestValues,
  { name, fields }: Pick<Parameter, 'name' | 'fields'>,
): readonly string[] {
  const isOwn = (pair: string) => [name, ...fields].some((one) => pair.startsWith(`${one}=`));
  return (headers.cookie ?? '').split('; ').filter((pair) => pair !== '' && !isOwn(pair));
}

/**
 * Serializes the value of a parameter to the names and texts in a request, such as `{ 'filter[a]': '1' }`.
 * Returns undefined if the value can't be serialized.
 */
function serialize(parameter: Parameter, value: unknown): RequestValues['query'] | undefined {
  const { name, shape, separator, mayBeSingle } = parameter;
  const texts = [value].flat().map(toText);
  const isObject = typeof value === 'object' && value !== null;
  switch (shape) {
    case undefined:
      return isObject ? undefined : { [name]: toText(value) };
    case 'repeated':
      return { [name]: texts };
    case 'list':
      return { [name]: texts.join(separator) };
    case 'json':
      return { [name]: JSON.stringify(value) };
    case 'pairs':
      return { [name]: isNode(value) ? Object.entries(value).flat().map(toText).join(separator) : toText(value) };
    case 'assignments':
      return { [name]: isNode(value) ? joinAssignments(value, separator) : toText(value) };
    case 'fields':
      if (isNode(value)) return toTexts(value, (key) => key);
      return mayBeSingle && !isObject ? { [name]: toText(value) } : undefined;
    case 'deep object':
      return isNode(value) ? toTexts(value, (key) => `${name}[${key}]`) : undefined;
    case 'deep array':
      return toTexts(value ?? {}, (key) => `${name}[${key}]`);
  }
}

function joinAssignments(value: object, separator: string): string {
  return Object.entries(toTexts(value, (key) => key))
    .map((pair) => pair.join('='))
    .join(separator);
}

function toTexts(value: object, toName: (key: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [toName(key), toText(one)]));
}

/** Escapes a text for a path, a query or a cookie. Replaces lone surrogates, which can't be escaped. */
function encodeText(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/**
 * Matches the normalized names of cursor parameters, such as `pagetoken`.
 * A cursor is a position in a list, which a client takes from an earlier response.
 */
const CURSOR_NAMES =
  /cursor|(?:page|next|continuation)token|^(?:starting|ending|start|end)?(?:after|before)$|^(?:marker|iterator|continue)$/;

/**
 * Returns whether a parameter is a cursor, such as `page_token`.
 * A cursor is a position in a list, which a client takes from an earlier response.
 */
export function isCursor({ name, in: location }: Parameter): boolean {
  return location === 'query' && CURSOR_NAMES.test(normalizeName(name));
}

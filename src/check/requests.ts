import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer, toNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { FORM_TYPE, isJsonType, isParsedType } from '../openapi/responses.ts';
import { encodePath, type Route } from '../openapi/routes.ts';
import type { RequestResult, RequestToValidate } from '../openapi/validate-request.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { parseQuery } from '../util/request-target.ts';
import type { RequestToSend } from './exchange.ts';

/** The values of a request by its parts. Without `body` it has no body. */
export interface RequestValues {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Returns the request with some values. */
export function toRequest(route: Route, values: RequestValues): RequestToSend {
  const request = {
    method: route.method,
    target: toPath(route, values) + formatQuery(values.query),
    headers: values.headers,
  };
  if (values.body === undefined) return request;
  const type = getBodyType(route) ?? 'application/json';
  const body = type === FORM_TYPE ? formatForm(values.body) : JSON.stringify(values.body);
  // A form without fields has no bytes: a server can't distinguish it from no body.
  return body === '' ? request : { ...request, headers: { ...values.headers, 'content-type': type }, body };
}

/** Returns how the contract validates a request: as valid, or with its violations. */
export function validateValues(contract: Contract, route: Route, values: RequestValues): RequestResult {
  return contract.validateRequest(route, parseRequest(toRequest(route, values)));
}

/** Parses a request as a server does. */
function parseRequest({ target, headers = {}, body }: RequestToSend): RequestToValidate {
  const [path = '', search = ''] = target.split('?');
  const sent = { path, query: parseQuery(search), headers };
  if (body === undefined) return { ...sent, body };
  const contentType = headers['content-type'];
  const text = String(body);
  return { ...sent, body: contentType === FORM_TYPE ? parseQuery(text) : JSON.parse(text), contentType };
}

/** Returns the media type for the body of an operation that can be serialized; undefined if there is none. */
export function getBodyType({ bodyMedia }: Route): string | undefined {
  const types = Object.keys(bodyMedia);
  return types.find(isJsonType) ?? types.find(isParsedType);
}

/** Returns the pointer of the schema of a body of that type; undefined if there is none. */
export function getBodySchema(route: Route): string | undefined {
  return route.bodyMedia[getBodyType(route) ?? '']?.schema;
}

/** Returns the path with some values; `raw` has parts that are not escaped. */
export function toPath(
  { path }: Route,
  values: Pick<RequestValues, 'path'>,
  raw: Readonly<Record<string, string>> = {},
): string {
  return path.replaceAll(/\{(.*?)\}|[^{]+/g, (part, name: string | undefined) =>
    name === undefined ? encodePath(part) : (raw[name] ?? encodeText(values.path[name] ?? '')),
  );
}

/** The values of an empty request. */
export const NO_VALUES: RequestValues = { path: {}, query: {}, headers: {} };

/** Returns the pointer of the schema of a parameter. */
export function getSchemaPointer({ normalized: plain }: Contract, { pointer }: Parameter): string {
  const [type] = Object.keys(toNode(getNode(plain, `${pointer}/content`)));
  return `${pointer}${type === undefined ? '' : `/content${formatPointer(type)}`}/schema`;
}

function formatQuery(query: RequestValues['query']): string {
  const pairs = toPairs(query).map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** Serializes a form; objects can't be fields. */
function formatForm(body: unknown): string {
  const fields = Object.entries(toNode(body)).filter(([, value]) => !isNode(value));
  return new URLSearchParams(toPairs(Object.fromEntries(fields))).toString();
}

/** Returns a pair for each value of a query or a form; a repeated name has a list of values. */
function toPairs(values: Node): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, toText(one)]),
  );
}

/** Returns the values with a parameter added; undefined if its value can't be serialized. */
export function withParameter(
  values: RequestValues,
  { name, in: place, shape }: Parameter,
  value: unknown,
): RequestValues | undefined {
  const serialized = serializeParameter(name, shape, value);
  if (serialized === undefined) return undefined;
  if (place === 'query') return { ...values, query: { ...values.query, ...serialized } };
  const [first = ''] = Object.values(serialized).flat();
  if (place === 'path') return { ...values, path: { ...values.path, [name]: first } };
  // Whitespace around the value of a header is not part of it.
  const field = place === 'header' ? first.replaceAll(/^[ \t]+|[ \t]+$/g, '') : first;
  if (/[^\t\x20-\x7e\x80-\xff]/.test(field)) return undefined;
  if (place === 'header') return { ...values, headers: { ...values.headers, [name.toLowerCase()]: field } };
  const cookies = [...getOtherCookies(values, name), `${name}=${encodeText(first)}`];
  return { ...values, headers: { ...values.headers, cookie: cookies.join('; ') } };
}

/** Returns the cookies of a request without one, as pairs `name=value`. */
export function getOtherCookies({ headers }: RequestValues, name: string): readonly string[] {
  return (headers.cookie ?? '').split('; ').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
}

/** Returns the names and texts of a parameter in a request. */
function serializeParameter(
  name: string,
  shape: Parameter['shape'],
  value: unknown,
): RequestValues['query'] | undefined {
  const texts = [value].flat().map(toText);
  switch (shape) {
    case undefined:
      return typeof value === 'object' && value !== null ? undefined : { [name]: toText(value) };
    case 'repeated':
      return { [name]: texts };
    case 'commas':
      return { [name]: texts.join(',') };
    case 'spaces':
      return { [name]: texts.join(' ') };
    case 'pipes':
      return { [name]: texts.join('|') };
    case 'json':
      return { [name]: JSON.stringify(value) };
    case 'pairs':
      return { [name]: isNode(value) ? Object.entries(value).flat().map(toText).join(',') : toText(value) };
    case 'fields':
      return isNode(value) ? toTexts(value, (key) => key) : undefined;
    case 'deep object':
    case 'deep array':
      return toTexts(value ?? {}, (key) => `${name}[${key}]`);
  }
}

function toTexts(value: object, toName: (key: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [toName(key), toText(one)]));
}

function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Escapes a text for a path, a query or a cookie; lone surrogates are replaced. */
function encodeText(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** A number in plain notation. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,9})?$/;

/** Whether servers may differ in how they read a request: numbers that are blank or have an exponent, or no body in place of a form. */
export function isAmbiguous(contract: Contract, route: Route, values: RequestValues): boolean {
  return hasAmbiguousNumber(contract, route, values) || isAmbiguousForm(contract, route, values);
}

/** Whether a request has no body, a form is documented, and only one of an empty form and no body is valid. */
function isAmbiguousForm(contract: Contract, route: Route, values: RequestValues): boolean {
  const request = parseRequest(toRequest(route, values));
  if (getBodyType(route) !== FORM_TYPE || request.body !== undefined) return false;
  const asEmpty = { ...request, body: {}, contentType: FORM_TYPE };
  return contract.validateRequest(route, request).kind !== contract.validateRequest(route, asEmpty).kind;
}

function hasAmbiguousNumber(
  { normalized: plain }: Contract,
  { parameters }: Route,
  { path, query, headers }: RequestValues,
): boolean {
  const sent = { path, query, header: headers, cookie: {} as RequestValues['headers'] };
  return parameters.some(({ name, in: place, pointer }) => {
    const types = [getNode(plain, `${resolvePointer(plain, `${pointer}/schema`)}/type`)].flat();
    const text = [sent[place][place === 'header' ? name.toLowerCase() : name] ?? []].flat();
    const isNumber = types.includes('integer') || types.includes('number');
    return isNumber && text.some((one) => !PLAIN_NUMBER.test(one) && !Number.isNaN(Number(one)));
  });
}

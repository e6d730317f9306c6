import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, resolvePointer } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { FORM_TYPE, isJsonType, isParsedType } from '../openapi/responses.ts';
import { encodePath, type Route } from '../openapi/routes.ts';
import type { RequestResult } from '../openapi/validate-request.ts';
import { formatPointer } from '../util/json-pointer.ts';
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
  const { method } = route;
  const target = `${toPath(route, values)}${formatQuery(values.query)}`;
  const type = getBodyType(route);
  if (values.body === undefined) return { method, target, headers: values.headers };
  const body = type === FORM_TYPE ? formatForm(values.body) : JSON.stringify(values.body);
  // A form without fields has no bytes: a server can't distinguish it from no body.
  if (body === '') return { method, target, headers: values.headers };
  return { method, target, headers: { ...values.headers, 'content-type': type ?? 'application/json' }, body };
}

/** Returns how the contract validates a request: as valid, or with its violations. */
export function validateValues(contract: Contract, route: Route, values: RequestValues): RequestResult {
  const { target, headers = {}, body } = toRequest(route, values);
  const [path = '', search = ''] = target.split('?');
  const query = parseParameters(search);
  const contentType = body === undefined ? undefined : headers['content-type'];
  return contract.validateRequest(route, {
    path,
    query,
    headers,
    body: parseBody(String(body), contentType),
    contentType,
  });
}

/** Parses a body as a server does. */
function parseBody(body: string, contentType: string | undefined): unknown {
  if (contentType === undefined) return undefined;
  return contentType === FORM_TYPE ? parseParameters(body) : JSON.parse(body);
}

/** Parses a query or a form; a repeated name has a list of values. */
function parseParameters(text: string): Readonly<Record<string, string | string[]>> {
  const parameters = new URLSearchParams(text);
  const entries = [...new Set(parameters.keys())].map((name) => {
    const all = parameters.getAll(name);
    return [name, all.length > 1 ? all : (all[0] ?? '')] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the media type for the body of an operation that can be serialized; undefined if there is none. */
export function getBodyType({ bodyMedia }: Route): string | undefined {
  const types = Object.keys(bodyMedia);
  return types.find(isJsonType) ?? types.find(isParsedType);
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
  const content = getNode(plain, `${pointer}/content`);
  const [type] = Object.keys(isNode(content) ? content : {});
  return `${pointer}${type === undefined ? '' : `/content${formatPointer(type)}`}/schema`;
}

function formatQuery(query: RequestValues['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeText(name)}=${encodeText(one)}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** Serializes a form; objects can't be fields. */
function formatForm(body: unknown): string {
  const texts = Object.entries(isNode(body) ? body : {}).filter(([, value]) => !isNode(value));
  const pairs = texts.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, toText(one)]));
  return new URLSearchParams(pairs).toString();
}

/** Returns the values with a parameter added; undefined if its value can't be serialized. */
export function withParameter(
  values: RequestValues,
  { name, in: place, shape }: Parameter,
  value: unknown,
): RequestValues | undefined {
  const serialized = serializeParameter(name, shape, value);
  if (serialized === undefined) return undefined;
  // Whitespace around the value of a header is not part of it.
  const first = (Object.values(serialized).flat()[0] ?? '').replaceAll(
    place === 'header' ? /^[ \t]+|[ \t]+$/g : /$^/g,
    '',
  );
  if (place === 'query') return { ...values, query: { ...values.query, ...serialized } };
  if (place === 'path') return { ...values, path: { ...values.path, [name]: first } };
  if (/[^\t\x20-\x7e\x80-\xff]/.test(first)) return undefined;
  if (place === 'header') return { ...values, headers: { ...values.headers, [name.toLowerCase()]: first } };
  const others = (values.headers.cookie ?? '')
    .split('; ')
    .filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
  const cookies = [...others, `${name}=${encodeText(first)}`];
  return { ...values, headers: { ...values.headers, cookie: cookies.join('; ') } };
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
    case 'list':
      return { [name]: texts };
    case 'commas':
      return { [name]: texts.join(',') };
    case 'blanks':
      return { [name]: texts.join(' ') };
    case 'bars':
      return { [name]: texts.join('|') };
    case 'json':
      return { [name]: JSON.stringify(value) };
    case 'pairs':
      return { [name]: isNode(value) ? Object.entries(value).flat().map(toText).join(',') : toText(value) };
    case 'fields':
      return isNode(value)
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toText(one)]))
        : undefined;
    case 'deep':
    case 'deep list':
      return Object.fromEntries(Object.entries(value ?? {}).map(([key, one]) => [`${name}[${key}]`, toText(one)]));
  }
}

function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Escapes a text for a path, a query or a cookie; lone surrogates are replaced. */
export function encodeText(text: string): string {
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
  const { target, headers = {}, body } = toRequest(route, values);
  if (getBodyType(route) !== FORM_TYPE || body !== undefined) return false;
  const [path = '', search = ''] = target.split('?');
  const sent = { path, query: parseParameters(search), headers };
  const asNone = contract.validateRequest(route, { ...sent, body: undefined, contentType: undefined });
  const asEmpty = contract.validateRequest(route, { ...sent, body: {}, contentType: FORM_TYPE });
  return asNone.kind !== asEmpty.kind;
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

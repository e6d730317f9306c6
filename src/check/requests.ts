import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, resolvePointer } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { FORM_TYPE, isJsonType, isRead } from '../openapi/responses.ts';
import { encodePath, type Route } from '../openapi/routes.ts';
import type { Received } from '../openapi/validate-request.ts';
import { pointerTo } from '../util/json-pointer.ts';
import type { RequestToSend } from './exchange.ts';

/** What a request to an operation holds, by the parts of the request. Without a `body` none is sent. */
export interface RequestValues {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The request of some values. */
export function toRequest(route: Route, values: RequestValues): RequestToSend {
  const { method } = route;
  const target = `${toPath(route, values)}${formatQuery(values.query)}`;
  const type = getBodyType(route);
  if (values.body === undefined) return { method, target, headers: values.headers };
  const body = type === FORM_TYPE ? formatForm(values.body) : JSON.stringify(values.body);
  // A form without fields has no bytes: a server can't tell it from no body.
  if (body === '') return { method, target, headers: values.headers };
  return { method, target, headers: { ...values.headers, 'content-type': type ?? 'application/json' }, body };
}

/** What the contract makes of a request as it comes in: whether it keeps the contract, or how it breaks it. */
export function validateValues(contract: Contract, route: Route, values: RequestValues): Received {
  const { target, headers = {}, body } = toRequest(route, values);
  const [path = '', search = ''] = target.split('?');
  const query = parseParameters(search);
  const contentType = body === undefined ? undefined : headers['content-type'];
  return contract.receive(route, { path, query, headers, body: parseBody(String(body), contentType), contentType });
}

/** A body as a server reads it. */
function parseBody(body: string, contentType: string | undefined): unknown {
  if (contentType === undefined) return undefined;
  return contentType === FORM_TYPE ? parseParameters(body) : JSON.parse(body);
}

/** What a query or a form holds; a name that stands there more than once has a list. */
function parseParameters(text: string): Readonly<Record<string, string | string[]>> {
  const parameters = new URLSearchParams(text);
  const entries = [...new Set(parameters.keys())].map((name) => {
    const all = parameters.getAll(name);
    return [name, all.length > 1 ? all : (all[0] ?? '')] as const;
  });
  return Object.fromEntries(entries);
}

/** The media type in which the body of an operation is sent: one that can be written; undefined where it has none such. */
export function getBodyType({ bodyMedia }: Route): string | undefined {
  const types = Object.keys(bodyMedia);
  return types.find(isJsonType) ?? types.find(isRead);
}

/** The path of some values; `raw` has parts of it as they go out. */
export function toPath(
  { path }: Route,
  values: Pick<RequestValues, 'path'>,
  raw: Readonly<Record<string, string>> = {},
): string {
  return path.replaceAll(/\{(.*?)\}|[^{]+/g, (part, name: string | undefined) =>
    name === undefined ? encodePath(part) : (raw[name] ?? encodeText(values.path[name] ?? '')),
  );
}

/** Values of a request that holds nothing. */
export const NO_VALUES: RequestValues = { path: {}, query: {}, headers: {} };

/** Where the schema of a parameter is. */
export function getSchemaPointer({ plain }: Contract, { pointer }: Parameter): string {
  const content = getNode(plain, `${pointer}/content`);
  const [type] = Object.keys(isNode(content) ? content : {});
  return `${pointer}${type === undefined ? '' : `/content${pointerTo(type)}`}/schema`;
}

function formatQuery(query: RequestValues['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeText(name)}=${encodeText(one)}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** A form; objects can't be written in it. */
function formatForm(body: unknown): string {
  const texts = Object.entries(isNode(body) ? body : {}).filter(([, value]) => !isNode(value));
  const pairs = texts.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, toText(one)]));
  return new URLSearchParams(pairs).toString();
}

/** The values with that of a parameter among them; undefined where it can't be written. */
export function withParameter(
  values: RequestValues,
  { name, in: place, shape }: Parameter,
  value: unknown,
): RequestValues | undefined {
  const serialized = serializeParameter(name, shape, value);
  if (serialized === undefined) return undefined;
  // What stands around the value of a header isn't part of it.
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

/** How the value of a parameter stands in a request: names and texts. */
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

/** A text as it stands in a path, a query or a cookie; half a surrogate pair can't. */
export function encodeText(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** A number as everybody writes it. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,9})?$/;

/** Whether servers may differ in what they make of a request: of a text that is to be read as a number, and is blank or has an exponent; of no body where a form is described. */
export function isAmbiguous(contract: Contract, route: Route, values: RequestValues): boolean {
  return hasAmbiguousNumber(contract, route, values) || isAmbiguousForm(contract, route, values);
}

/** Whether no body is sent where a form is described, and an empty form holds or breaks the contract where no body does the other. */
function isAmbiguousForm(contract: Contract, route: Route, values: RequestValues): boolean {
  const { target, headers = {}, body } = toRequest(route, values);
  if (getBodyType(route) !== FORM_TYPE || body !== undefined) return false;
  const [path = '', search = ''] = target.split('?');
  const sent = { path, query: parseParameters(search), headers };
  const asNone = contract.receive(route, { ...sent, body: undefined, contentType: undefined });
  const asEmpty = contract.receive(route, { ...sent, body: {}, contentType: FORM_TYPE });
  return asNone.kind !== asEmpty.kind;
}

function hasAmbiguousNumber(
  { plain }: Contract,
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

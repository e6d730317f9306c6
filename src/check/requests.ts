import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, resolvePointer } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { FORM_TYPE, isJsonType, isRead } from '../openapi/responses.ts';
import { encodePath, type Route } from '../openapi/routes.ts';
import type { Received } from '../openapi/validate-request.ts';
import { pointerTo } from '../util/json-pointer.ts';
import type { Ask } from './exchange.ts';

/** What a request to an operation holds, by the parts of the request. Without a `body` none is sent. */
export interface Values {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The request of some values. */
export function askOf(route: Route, values: Values): Ask {
  const { method } = route;
  const target = `${pathOf(route, values)}${queryText(values.query)}`;
  const type = bodyTypeOf(route);
  if (values.body === undefined) return { method, target, headers: values.headers };
  const body = type === FORM_TYPE ? formText(values.body) : JSON.stringify(values.body);
  // A form without fields has no bytes: a server can't tell it from no body.
  if (body === '') return { method, target, headers: values.headers };
  return { method, target, headers: { ...values.headers, 'content-type': type ?? 'application/json' }, body };
}

/** What the contract makes of a request as it comes in: whether it keeps the contract, or how it breaks it. */
export function judged(contract: Contract, route: Route, values: Values): Received {
  const { target, headers = {}, body } = askOf(route, values);
  const [path = '', search = ''] = target.split('?');
  const query = byName(search);
  const contentType = body === undefined ? undefined : headers['content-type'];
  return contract.receive(route, { path, query, headers, body: asRead(String(body), contentType), contentType });
}

/** A body as a server reads it. */
function asRead(body: string, contentType: string | undefined): unknown {
  if (contentType === undefined) return undefined;
  return contentType === FORM_TYPE ? byName(body) : JSON.parse(body);
}

/** What a query or a form holds; a name that stands there more than once has a list. */
function byName(text: string): Readonly<Record<string, string | string[]>> {
  const parameters = new URLSearchParams(text);
  const entries = [...new Set(parameters.keys())].map((name) => {
    const all = parameters.getAll(name);
    return [name, all.length > 1 ? all : (all[0] ?? '')] as const;
  });
  return Object.fromEntries(entries);
}

/** The media type in which the body of an operation is sent: one that can be written; undefined where it has none such. */
export function bodyTypeOf({ bodyMedia }: Route): string | undefined {
  const types = Object.keys(bodyMedia);
  return types.find(isJsonType) ?? types.find(isRead);
}

/** The path of some values; `raw` has parts of it as they go out. */
export function pathOf(
  { path }: Route,
  values: Pick<Values, 'path'>,
  raw: Readonly<Record<string, string>> = {},
): string {
  return path.replaceAll(/\{(.*?)\}|[^{]+/g, (part, name: string | undefined) =>
    name === undefined ? encodePath(part) : (raw[name] ?? escaped(values.path[name] ?? '')),
  );
}

/** Values of a request that holds nothing. */
export const NOTHING: Values = { path: {}, query: {}, headers: {} };

/** Where the schema of a parameter is. */
export function schemaOf({ plain }: Contract, { pointer }: Parameter): string {
  const content = getNode(plain, `${pointer}/content`);
  const [type] = Object.keys(isNode(content) ? content : {});
  return `${pointer}${type === undefined ? '' : `/content${pointerTo(type)}`}/schema`;
}

function queryText(query: Values['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${escaped(name)}=${escaped(one)}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** A form; objects can't be written in it. */
function formText(body: unknown): string {
  const texts = Object.entries(isNode(body) ? body : {}).filter(([, value]) => !isNode(value));
  const pairs = texts.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, textOf(one)]));
  return new URLSearchParams(pairs).toString();
}

/** The values with that of a parameter among them; undefined where it can't be written. */
export function withParameter(
  values: Values,
  { name, in: place, shape }: Parameter,
  value: unknown,
): Values | undefined {
  const written = writtenAs(name, shape, value);
  if (written === undefined) return undefined;
  // What stands around the value of a header isn't part of it.
  const first = (Object.values(written).flat()[0] ?? '').replaceAll(
    place === 'header' ? /^[ \t]+|[ \t]+$/g : /$^/g,
    '',
  );
  if (place === 'query') return { ...values, query: { ...values.query, ...written } };
  if (place === 'path') return { ...values, path: { ...values.path, [name]: first } };
  if (/[^\t\x20-\x7e\x80-\xff]/.test(first)) return undefined;
  if (place === 'header') return { ...values, headers: { ...values.headers, [name.toLowerCase()]: first } };
  const others = (values.headers.cookie ?? '')
    .split('; ')
    .filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
  const cookies = [...others, `${name}=${escaped(first)}`];
  return { ...values, headers: { ...values.headers, cookie: cookies.join('; ') } };
}

/** How the value of a parameter stands in a request: names and texts. */
function writtenAs(name: string, shape: Parameter['shape'], value: unknown): Values['query'] | undefined {
  const texts = [value].flat().map(textOf);
  switch (shape) {
    case undefined:
      return typeof value === 'object' && value !== null ? undefined : { [name]: textOf(value) };
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
      return { [name]: isNode(value) ? Object.entries(value).flat().map(textOf).join(',') : textOf(value) };
    case 'fields':
      return isNode(value)
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, textOf(one)]))
        : undefined;
    case 'deep':
    case 'deep list':
      return Object.fromEntries(Object.entries(value ?? {}).map(([key, one]) => [`${name}[${key}]`, textOf(one)]));
  }
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** A text as it stands in a path, a query or a cookie; half a surrogate pair can't. */
export function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** A number as everybody writes it. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,9})?$/;

/** Whether servers may differ in what they make of a request: of a text that is to be read as a number, and is blank or has an exponent; of no body where a form is described. */
export function isUnclear(contract: Contract, route: Route, values: Values): boolean {
  return hasUnclearNumber(contract, route, values) || isUnclearForm(contract, route, values);
}

/** Whether no body is sent where a form is described, and an empty form holds or breaks the contract where no body does the other. */
function isUnclearForm(contract: Contract, route: Route, values: Values): boolean {
  const { target, headers = {}, body } = askOf(route, values);
  if (bodyTypeOf(route) !== FORM_TYPE || body !== undefined) return false;
  const [path = '', search = ''] = target.split('?');
  const sent = { path, query: byName(search), headers };
  const asNone = contract.receive(route, { ...sent, body: undefined, contentType: undefined });
  const asEmpty = contract.receive(route, { ...sent, body: {}, contentType: FORM_TYPE });
  return asNone.kind !== asEmpty.kind;
}

function hasUnclearNumber({ plain }: Contract, { parameters }: Route, { path, query, headers }: Values): boolean {
  const sent = { path, query, header: headers, cookie: {} as Values['headers'] };
  return parameters.some(({ name, in: place, pointer }) => {
    const types = [getNode(plain, `${resolvePointer(plain, `${pointer}/schema`)}/type`)].flat();
    const text = [sent[place][place === 'header' ? name.toLowerCase() : name] ?? []].flat();
    const isNumber = types.includes('integer') || types.includes('number');
    return isNumber && text.some((one) => !PLAIN_NUMBER.test(one) && !Number.isNaN(Number(one)));
  });
}

import type { Contract } from '../contract/contract.ts';
import { isNode } from '../contract/document.ts';
import type { Parameter } from '../contract/parameters.ts';
import type { Received } from '../contract/requests.ts';
import { FORM_TYPE, isJsonType, isRead } from '../contract/responses.ts';
import type { Route } from '../contract/routes.ts';
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
  return { method, target, headers: { ...values.headers, 'content-type': type ?? 'application/json' }, body };
}

/** What the contract makes of a request: whether it keeps the contract, or how it breaks it. */
export function judged(contract: Contract, route: Route, values: Values): Received {
  const { query, headers, body } = values;
  const contentType = body === undefined ? undefined : bodyTypeOf(route);
  const read = body === undefined ? undefined : asRead(body, contentType);
  return contract.receive(route, { path: pathOf(route, values), query, headers, body: read, contentType });
}

/** A body as the server reads it: a form has texts alone, and JSON no infinity. */
function asRead(body: unknown, contentType: string | undefined): unknown {
  return contentType === FORM_TYPE
    ? Object.fromEntries(new URLSearchParams(formText(body)))
    : JSON.parse(JSON.stringify(body));
}

/** The media type in which the body of an operation is sent: one that can be written; undefined where it has none such. */
export function bodyTypeOf({ bodyMedia }: Route): string | undefined {
  const types = Object.keys(bodyMedia);
  return types.find(isJsonType) ?? types.find(isRead);
}

function pathOf({ path }: Route, values: Values): string {
  return path.replaceAll(/\{(.*?)\}/g, (_, name: string) => encodeURIComponent(values.path[name] ?? ''));
}

function queryText(query: Values['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function formText(body: unknown): string {
  const pairs = Object.entries(isNode(body) ? body : {}).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, textOf(one)]),
  );
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
  const [first = ''] = Object.values(written).flat();
  if (place === 'query') return { ...values, query: { ...values.query, ...written } };
  if (place === 'path') return { ...values, path: { ...values.path, [name]: first } };
  if (/[^\t\x20-\x7e\x80-\xff]/.test(first)) return undefined;
  if (place === 'header') return { ...values, headers: { ...values.headers, [name.toLowerCase()]: first } };
  const cookies = [values.headers.cookie, `${name}=${encodeURIComponent(first)}`].filter((one) => one !== undefined);
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

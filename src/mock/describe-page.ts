import { isNode, type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { OperationInput } from '../openapi/validate-request.ts';
import { normalizeName } from '../util/names.ts';
import { PAGING_NAMES } from '../util/pages.ts';
import { type GetShape, isPlausible } from './fit-schema.ts';

/** The page of a list that a request asks for. A value that is neither sent nor documented is undefined. */
export interface RequestedPage {
  /** The maximum number of entries. */
  readonly limit?: number | undefined;
  /** The number of entries before the page. */
  readonly offset?: number | undefined;
  /** The value of the parameter that selects the page by its number. */
  readonly number?: number | undefined;
  /** The number of pages before the page. */
  readonly index: number;
}

const FIRST_PAGE: RequestedPage = { index: 0 };

/** Matches the names of parameters that count pages from 0. */
const ZERO_BASED = /^(zerobased|pageindex)/;

/**
 * Returns the page that the query of a request asks for, by the names of the documented parameters and their defaults.
 * `getSchema`: returns the schema at a JSON Pointer.
 */
export function getRequestedPage(
  { parameters }: Pick<Route, 'parameters'>,
  query: OperationInput['query'],
  getSchema: (pointer: string) => unknown,
): RequestedPage {
  const find = (kind: 'limit' | 'offset' | 'page') => {
    const names: readonly string[] = PAGING_NAMES[kind];
    const found = parameters.find((one) => one.in === 'query' && names.includes(normalizeName(one.name)));
    if (!found) return undefined;
    const schema = toNode(getSchema(found.schema));
    const values = [query[found.name], schema.default].flat().map((value) => Number.parseInt(String(value), 10));
    const isZeroBased = ZERO_BASED.test(normalizeName(found.name)) || schema.default === 0 || schema.minimum === 0;
    return { value: values.find((value) => value >= 0), first: isZeroBased ? 0 : 1 };
  };
  const limit = find('limit')?.value;
  const page = find('page');
  const number = page && (page.value ?? page.first);
  return {
    limit: limit === 0 ? undefined : limit,
    offset: find('offset')?.value,
    number,
    index: Math.max(0, (number ?? 0) - (page?.first ?? 0)),
  };
}

/** The numbers of a page that is the only one of its list. */
interface PageNumbers {
  /** The number of entries on the page. */
  readonly shown: number;
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly number: number | undefined;
  readonly index: number;
  /** The normalized name of the property with the list. */
  readonly list: string;
}

type GetValue = (page: PageNumbers, siblings: readonly string[]) => unknown;

/**
 * The properties that describe a page, such as `total`: a pattern for their normalized names, and a function that
 * returns their value.
 * A name can have several values of different types.
 */
const FIELDS: readonly (readonly [name: RegExp, getValue: GetValue])[] = [
  [/^(total(count|items|results|elements|records|entries|hits|size)?|found)$/, ({ total }) => total],
  // Beside links to other pages, a count is the total, as in Django REST framework.
  [/^count$/, ({ total, shown }, names) => (names.some((name) => /^(next|prev)/.test(name)) ? total : shown)],
  // In Spring, the size is the limit.
  [/^size$/, ({ limit, shown }, names) => (names.includes('totalelements') ? limit : shown)],
  [
    /^(length|returned|numberofelements|(item|result|record|element|entry|entries)s?(count|size))$/,
    ({ shown }) => shown,
  ],
  [/^(limit|perpage|pagesize|itemsperpage|pagelimit)$/, ({ limit }) => limit],
  [/^(offset|skip|start|startindex)$/, ({ offset }) => offset],
  [/^(page|pagenumber|currentpage)$/, ({ number, index }) => number ?? index + 1],
  [/^(number|pageindex|zerobasedpage)$/, ({ number, index }) => number ?? index],
  [/^(pages|pagecount|totalpages|numpages|lastpage)$/, () => 1],
  [/^(hasmore|hasnext|hasnextpage|hasmoreitems|hasmoreresults|more)$/, () => false],
  [/^has(previous|prev)(page)?$/, ({ offset }) => offset > 0],
  [/^(is)?first(page)?$/, ({ offset }) => offset === 0],
  [/^(is)?last(page)?$/, () => true],
  [/^empty$/, ({ shown }) => shown === 0],
];

/** Matches the normalized names of properties that lead to the next page, such as `nextCursor`. */
const NEXT =
  /^(odata)?next(page|cursor|token|marker|offset|key|id)?(token|number|cursor|url|uri|link|href)?$|^((end|after)?cursor|after|continuationtoken|paginationtoken|scrollid|bookmark|marker|iterator)$/;

/** Matches the normalized names of properties that lead to the page before. */
const PREVIOUS =
  /^(odata)?prev(ious)?(page|cursor|token)?(token|number|url|uri|link|href)?$|^((start|before)cursor|before)$/;

/** Matches the normalized names of objects that describe a page, such as `meta` and `pagination`. */
const PAGE_OBJECT = /meta|pag(e|ing|ination|er)|cursor|^links?$|^(result)?info$/;

/**
 * Limits a generated list to the page that a request asks for, and makes properties such as `total` and `nextCursor`
 * agree with it: the first page is the only one, so that a client that loads page after page comes to an end.
 * `value`: a list, or an object with one list, with or without an object such as `meta` beside it.
 * Returns any other value unchanged.
 * `page`: undefined if the value is only a part of the body.
 */
export function describePage(schema: Node, value: unknown, getShape: GetShape, page?: RequestedPage): unknown {
  if (Array.isArray(value)) return limitList(schema, value, page ?? FIRST_PAGE).entries;
  if (!isNode(value) || Object.hasOwn(value, 'id')) return value;
  const found = findList(value, page !== undefined);
  if (!found) return value;
  const { name, wrapper } = found;
  const getProperty = (node: Node, key: string) => getShape(toNode(node.properties)[key], value[key]).schema;
  const holder = wrapper === undefined ? schema : getProperty(schema, wrapper);
  const { entries, numbers } = limitList(getProperty(holder, name), found.list, page ?? FIRST_PAGE);
  const own = { ...numbers, list: normalizeName(name) };
  const inner =
    wrapper === undefined ? { [name]: entries } : { [wrapper]: { ...toNode(value[wrapper]), [name]: entries } };
  return describeFields({ schema, getShape, page: own }, { ...value, ...inner }, wrapper);
}

/**
 * Returns the only list of an object, or of an object in it (`wrapper`) if it has none itself.
 * Returns undefined if there are several lists or none.
 * `mayBeWrapped`: whether to search the objects in it.
 */
function findList(value: Node, mayBeWrapped: boolean) {
  const lists = Object.entries(value).filter(([, own]) => Array.isArray(own));
  if (lists.length > 1 || (lists.length === 0 && !mayBeWrapped)) return undefined;
  const wrapped = Object.entries(value).flatMap(([wrapper, inner]) => {
    if (!isNode(inner) || Array.isArray(inner) || Object.hasOwn(inner, 'id')) return [];
    return Object.entries(inner).flatMap(([name, list]) => (Array.isArray(list) ? [{ wrapper, name, list }] : []));
  });
  const [[name, list] = []] = lists;
  if (name !== undefined && Array.isArray(list)) return { wrapper: undefined, name, list };
  return wrapped.length === 1 ? wrapped[0] : undefined;
}

/** Returns the entries of a list that are on a page, and the numbers of this page. */
function limitList(schema: Node, list: readonly unknown[], { limit, offset: sent, number, index }: RequestedPage) {
  const minItems = Number(schema.minItems ?? 0);
  const all = list.slice(0, Math.max(minItems, limit ?? list.length));
  const offset = sent ?? index * (limit ?? all.length);
  const rest = all.slice(offset);
  const entries = rest.length >= minItems ? rest : all;
  const total = entries === rest ? all.length : offset + all.length;
  const numbers = { shown: entries.length, total, limit: limit ?? Math.max(1, all.length), offset, number, index };
  return { entries, numbers };
}

/** The merged schema of an object that describes a page, and the numbers of the page. */
interface PageInput {
  readonly schema: Node;
  readonly getShape: GetShape;
  readonly page: PageNumbers;
}

/** `wrapper`: the name of the object with the list, whose fields can describe the page too. */
function describeFields({ schema, getShape, page }: PageInput, value: Node, wrapper?: string): Node {
  const properties = toNode(schema.properties);
  const names = Object.keys(value).map(normalizeName);
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const entries = Object.entries(value).flatMap(([name, own]): [string, unknown][] => {
    const key = normalizeName(name);
    const isAllowed = (other: unknown) => allowsValue(getShape(properties[name], other).schema, other);
    const isObject = isNode(own) && !Array.isArray(own);
    if (isObject && (name === wrapper || (PAGE_OBJECT.test(key) && !Object.hasOwn(own, 'id')))) {
      const { schema: inner } = getShape(properties[name], own);
      // An example of the contract stays as it is written.
      return [[name, 'example' in inner ? own : describeFields({ schema: inner, getShape, page }, own)]];
    }
    const leadsElsewhere = NEXT.test(key) || (PREVIOUS.test(key) && page.offset === 0);
    if (leadsElsewhere && (!isObject || /^(next|prev)/.test(key))) {
      if (isAllowed(null)) return [[name, null]];
      if (!required.includes(name)) return [];
      return [[name, own !== '' && typeof own === 'string' && isAllowed('') ? '' : own]];
    }
    const values = getValues(key, page, names).filter((other) => typeof other === typeof own);
    return [[name, values.find(isAllowed) ?? own]];
  });
  return Object.fromEntries(entries);
}

function getValues(key: string, page: PageNumbers, names: readonly string[]): readonly unknown[] {
  if (key === `${page.list}count` || key === `total${page.list}`) return [page.total];
  return FIELDS.flatMap(([pattern, getValue]) => (pattern.test(key) ? [getValue(page, names)] : []));
}

/** Returns whether a value satisfies the simple keywords of a schema, such as `type`, `enum` and `minimum`. */
function allowsValue(schema: Node, value: unknown): boolean {
  if (!isPlausible(schema, value)) return false;
  if (value === '') return !['format', 'pattern', 'minLength'].some((keyword) => keyword in schema);
  const { minimum, maximum } = schema as { readonly minimum?: number; readonly maximum?: number };
  return typeof value !== 'number' || (value >= (minimum ?? value) && value <= (maximum ?? value));
}

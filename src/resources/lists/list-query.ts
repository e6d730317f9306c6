import type { Input } from '../../application.ts';
import { getNode, isNode, type Node } from '../../openapi/document.ts';
import type { Parameter } from '../../openapi/parameters.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { PAGING_NAMES, type Page, type PagePosition } from '../../util/pages.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { View } from '../resource.ts';
import type { FilterProperty, ListFilter } from './list-filters.ts';
import { findParameterFilter, type GetKeyword } from './parameter-filters.ts';

/**
 * Common names of the query parameters that sort and page lists, by meaning.
 * The names have no uppercase letters and no separators.
 */
const PARAMETERS = {
  ...PAGING_NAMES,
  sort: ['sort', 'sortby', 'orderby', 'sortfield', 'sortkey', 'ordering'],
  order: ['order', 'sortorder', 'direction', 'sortdirection', 'sortdir', 'orderdirection', 'dir'],
} as const;

type Meaning = keyof typeof PARAMETERS | 'pageSize';

/** A page of a list. */
export interface ListPage extends Page<Entry> {
  /** The query parameter that selects the page; undefined if the operation has none. */
  readonly position: PagePosition | undefined;
  /** Whether the request names the order of the entries. */
  readonly isSorted: boolean;
  /** The entries of all pages. */
  readonly found?: readonly Entry[];
}

/** How the query parameters of an operation filter, sort and page a list. */
export interface ListParameters {
  /**
   * The query parameters that sort and page, by meaning: `{ limit: 'per_page' }`.
   * `pageSize`: a second parameter for the limit, such as `pageSize` beside `limit`.
   */
  readonly byMeaning: Readonly<Partial<Record<Meaning, string>>>;
  /** What each query parameter selects that filters the list. */
  readonly filters: ReadonlyMap<string, ListFilter>;
  /**
   * The default values of the query parameters that sort and page.
   * Default values of filters are omitted, because they would hide entries that a client has created.
   */
  readonly defaults: Readonly<Record<string, string>>;
  /** The properties of an entry. */
  readonly properties: readonly FilterProperty[];
  /** The order that the document describes for requests that name none. Undefined for the order of creation. */
  readonly order?: ListOrder | undefined;
  /** The boolean query parameter for an order, such as `oldest_first`. */
  readonly orderFlag?: { readonly name: string; readonly order: ListOrder } | undefined;
  /** The query parameters with the id of an entry before or after which the entries of the response are. */
  readonly bounds?: IdBounds | undefined;
  /** The values of the sort parameter that have no effect, such as `relevance`. */
  readonly unsorted?: readonly string[];
  /** The names of the required query parameters. */
  readonly required: readonly string[];
  /** The names of the query parameters that have no effect. */
  readonly ignored: readonly string[];
  /**
   * The booleans by the query parameters that name a user for whom they are true: `favorited` for `?favorited=ann`.
   */
  readonly byUser?: ReadonlyMap<string, string>;
  /** The boolean query parameter for the entries past their due date, such as `overdue`. */
  readonly overdue?: { readonly name: string; readonly view: View } | undefined;
  /** The maximum number of entries in a response. Undefined if there is no maximum. */
  readonly maxEntries?: number | undefined;
  /** The number of the first page: 0 if the document says so, otherwise 1. */
  readonly firstPage: number;
  /** What cursors are. Undefined for the ids of entries. */
  readonly cursorKind?: CursorKind | undefined;
}

/** What a cursor is: a number of entries, or the value of a time, such as the `createdAt` of the last entry. */
export type CursorKind = { readonly kind: 'offset' } | { readonly kind: 'time'; readonly property: string };

/**
 * The order of a list.
 * `property`: the path of a property; undefined for the order of creation.
 * `isTime`: whether the property is the time at which entries are created.
 */
export interface ListOrder {
  readonly property: string | undefined;
  readonly isTime: boolean;
  readonly isDescending: boolean;
}

/** The names of query parameters with the id of an entry: `?before=7` has only entries that were created before it. */
export interface IdBounds {
  readonly before?: string;
  readonly after?: string;
}

/** Matches a description of numbers that begin at 0, such as `Zero-based page index (0..N)`. */
const ZERO_BASED =
  /\b(?:zero|0)[- ]?(?:based|indexed|index)\b|\b(?:start|begin|count|index|number)\w* (?:at|from|with|is) (?:0|zero)\b|\bfirst(?: page)?(?: number)? (?:is|=|has the number) (?:0|zero)\b|\b(?:0|zero) (?:is|for|=) the first\b|\(0 ?\.\.|\bfrom (?:0|zero)\b/i;

/**
 * Derives how an operation filters, sorts and pages a list from the names of its query parameters.
 * `fields`: the query parameters.
 * `properties`: the properties of an entry.
 */
export function readListParameters(
  fields: readonly QueryField[],
  properties: readonly FilterProperty[],
  getKeyword: GetKeyword,
): Omit<ListParameters, 'required' | 'maxEntries'> {
  const filters = new Map<string, ListFilter>();
  const byMeaning: Partial<Record<Meaning, string>> = {};
  for (const field of fields) {
    const { name, labels } = field;
    const own = labels.map((label) => normalizeName(label.replace(/\[\]$/, '')));
    const isOwn = (known: string) => own.includes(known);
    const meaning = (Object.keys(PARAMETERS) as (keyof typeof PARAMETERS)[]).find(
      (key) => PARAMETERS[key].some(isOwn) && byMeaning[key] === undefined,
    );
    const filter = findParameterFilter(field, properties, getKeyword);
    if (meaning) byMeaning[meaning] = name;
    else if (filter) filters.set(name, filter);
    else if (PARAMETERS.limit.some(isOwn)) byMeaning.pageSize ??= name;
  }
  const described = byMeaning.cursor === undefined ? findDescribedCursor(fields, byMeaning) : undefined;
  if (described !== undefined) byMeaning.cursor = described;
  filters.delete(described ?? '');
  // If there is no other sort parameter, `order=name` sorts by the property `name`.
  if (byMeaning.order !== undefined && byMeaning.sort === undefined) byMeaning.sort = byMeaning.order;
  const used = [...Object.values(byMeaning), ...filters.keys()];
  const getRule = (name: string | undefined, keyword: string) => {
    const field = fields.find((candidate) => candidate.name === name);
    return field && getKeyword(field.schema, keyword);
  };
  const defaults = Object.values(byMeaning).map((name) => [name, getRule(name, 'default')] as const);
  const page = fields.find(({ name }) => name === byMeaning.page);
  return {
    byMeaning,
    filters,
    properties,
    defaults: Object.fromEntries(
      defaults.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ),
    ignored: fields.map(({ name }) => name).filter((name) => !used.includes(name)),
    firstPage: page && isZeroBased(page, getKeyword) ? 0 : 1,
  };
}

/** Returns the name of the only parameter that the document describes as a cursor, such as `before`. */
function findDescribedCursor(
  fields: readonly QueryField[],
  byMeaning: Partial<Record<Meaning, string>>,
): string | undefined {
  if (byMeaning.page !== undefined || byMeaning.offset !== undefined) return undefined;
  const known = Object.values(byMeaning);
  const [only, ...others] = fields.filter(
    ({ name, description }) => /\bcursor\b/i.test(description) && !known.includes(name),
  );
  return only && others.length === 0 ? only.name : undefined;
}

/** Returns whether a document says that the first page has the number 0. */
function isZeroBased({ name, schema, description, isPageable }: QueryField, getKeyword: GetKeyword): boolean {
  const texts = [description, String(getKeyword(schema, 'description') ?? '')];
  const [minimum, initial, example] = ['minimum', 'default', 'example'].map((keyword) => getKeyword(schema, keyword));
  if (minimum === 0 || initial === 0 || (example === 0 && initial === undefined)) return true;
  if (typeof minimum === 'number' && minimum > 0) return false;
  return (
    isPageable ||
    /zero(?:based|indexed)/.test(normalizeName(name)) ||
    normalizeName(name) === 'pageindex' ||
    texts.some((text) => ZERO_BASED.test(text))
  );
}

/** Returns the values that a query parameter can have. Returns an empty array for any values. */
export function listValues({ schema }: QueryField, getKeyword: GetKeyword): readonly string[] {
  const values = [schema, `${schema}/items`].map((pointer) => getKeyword(pointer, 'enum'));
  return (values.find(Array.isArray) ?? []).map(String);
}

/**
 * A query parameter, or a property of an object parameter that a query contains as a parameter of its own.
 * For the method QUERY, also a property of the body, which has the meaning of a query parameter.
 */
export interface QueryField {
  /** The name in the query, such as `size` or `page[size]`. */
  readonly name: string;
  /** The names from which the meaning is derived, the best first: `page[size]` and `size`. */
  readonly labels: readonly string[];
  /** The JSON Pointer of the schema. */
  readonly schema: string;
  /** The types of its values, except null. */
  readonly types: readonly unknown[];
  readonly description: string;
  /** Whether the field is a property of the object that Spring calls `Pageable`, whose pages begin at 0. */
  readonly isPageable: boolean;
}

/**
 * Returns the query parameters of an operation.
 * An object parameter is replaced by its properties.
 */
export function listQueryFields(reader: SchemaReader, route: Route): readonly QueryField[] {
  return [...listParameterFields(reader, route), ...listBodyFields(reader, route)];
}

/** Returns the properties of the body of a QUERY. An object such as `filter` is replaced by its properties. */
function listBodyFields(reader: SchemaReader, route: Route): readonly QueryField[] {
  const request = route.method === 'QUERY' ? reader.getRequestSchema(route) : undefined;
  if (request === undefined) return [];
  const create = (name: string, labels: readonly string[], schema: string): QueryField => ({
    name,
    labels,
    schema,
    types: reader.getTypes(schema),
    description: String(reader.getKeyword(schema, 'description') ?? ''),
    isPageable: false,
  });
  return [...reader.getProperties(request)].flatMap(([name, schema]) => {
    const inner = reader.isObject(schema) ? [...reader.getProperties(schema)] : [];
    if (inner.length === 0) return [create(name, [name], schema)];
    return inner.map(([property, own]) => {
      const field = toInnerName(name, property);
      return create(field, [field, property], own);
    });
  });
}

function toInnerName(name: string, property: string): string {
  return `${name}[${property}]`;
}

/**
 * Returns whether the body of a QUERY says which entries it selects: at least one of its properties filters, sorts or
 * pages.
 */
export function hasBodySelection(reader: SchemaReader, route: Route, properties: readonly FilterProperty[]): boolean {
  const fields = listBodyFields(reader, route);
  return readListParameters(fields, properties, reader.getKeyword.bind(reader)).ignored.length < fields.length;
}

function listParameterFields(reader: SchemaReader, { parameters }: Route): readonly QueryField[] {
  return parameters.flatMap((parameter) => {
    if (parameter.in !== 'query') return [];
    const { name, pointer, schema } = parameter;
    const properties = isObject(parameter) ? [...reader.getProperties(schema)] : [];
    if (properties.length === 0) {
      // `filter[pages][gte]` is the label `pages[gte]`.
      const [, property = '', comparison = ''] = /^filters?\[(\w+)\](\[\w+\])?$/i.exec(name) ?? [];
      const description = String(getNode(reader.document, `${pointer}/description`) ?? '');
      return [
        {
          name,
          labels: property === '' ? [name] : [name, property + comparison],
          schema,
          types: reader.getTypes(schema),
          description,
          isPageable: false,
        },
      ];
    }
    const target = getNode(reader.document, `${schema}/$ref`);
    const isPageable = [name, String(target ?? '')].some((text) => normalizeName(text).endsWith('pageable'));
    return properties.map(([property, inner]) => ({
      name: getFieldName(parameter, property),
      labels: [toInnerName(name, property), property],
      schema: inner,
      types: reader.getTypes(inner),
      description: '',
      isPageable,
    }));
  });
}

function isObject({ shape }: Parameter): boolean {
  return shape === 'fields' || shape === 'deep object';
}

/** Returns the name under which a query has a property of an object parameter. */
function getFieldName({ name, shape }: Parameter, property: string): string {
  return shape === 'fields' ? property : toInnerName(name, property);
}

/**
 * Returns a query in which each object parameter is replaced by its properties: `{ pageable: { page: '1' } }` becomes
 * `{ page: '1' }`.
 * Adds the properties of the body of a QUERY.
 */
export function flattenQuery({ parameters, method }: Route, { query, body }: Input): Input['query'] {
  const isQuery = method === 'QUERY' && isNode(body);
  const objects = parameters.filter(
    (parameter) => parameter.in === 'query' && isObject(parameter) && isNode(query[parameter.name]),
  );
  if (objects.length === 0) return isQuery ? { ...query, ...flattenBody(body) } : query;
  const names = objects.map(({ name }) => name);
  const rest = Object.entries(query).filter(([name]) => !names.includes(name));
  const inner = objects.flatMap((parameter) =>
    Object.entries(query[parameter.name] as unknown as Input['query']).map(
      ([property, value]) => [getFieldName(parameter, property), value] as const,
    ),
  );
  return { ...Object.fromEntries([...rest, ...inner]), ...(isQuery && flattenBody(body)) };
}

/** Returns the properties of a body as texts of a query. A property that is null selects nothing. */
function flattenBody(body: Node): Input['query'] {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    isNode(value)
      ? Object.entries(value).map(([property, own]) => [toInnerName(name, property), own] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(
    fields.flatMap(([name, value]) => {
      if (value === null || value === undefined || isNode(value)) return [];
      return [[name, Array.isArray(value) ? value.map(String) : String(value)]];
    }),
  );
}

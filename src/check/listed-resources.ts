import type { Contract } from '../openapi/contract.ts';
import { getNode, resolvePointer } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { PAGING_NAMES } from '../util/paging-names.ts';
import type { ReceivedResponse } from './exchange.ts';
import { findId, findLists, isPathValue } from './ids.ts';
import { getSchemaPointer, isCursor, type RequestValues, validateValues, withParameter } from './requests.ts';

/** Names of query parameters that set the page size, in lower case and without separators: `pagesize`. */
const LIMIT_NAMES: readonly string[] = [...PAGING_NAMES.limit, 'maxitems'];

/**
 * Names of query parameters that select a page by its number or position, in lower case and without separators:
 * `pagenumber`.
 */
const PAGE_NAMES: readonly string[] = [...PAGING_NAMES.page, ...PAGING_NAMES.offset];

/** The page size that the check requests if the contract has no maximum. */
const MAX_LIMIT = 1_000;

/**
 * The assumed page size if the request does not set one.
 * A first page with fewer resources counts as the whole list.
 */
const MIN_PAGE_SIZE = 10;

function isLimit({ name, in: location }: Parameter): boolean {
  return location === 'query' && LIMIT_NAMES.includes(normalizeName(name));
}

/**
 * Returns a request for a list, with the largest page size that the contract allows.
 * `values`: a request with the required parameters.
 * Returns undefined if another query parameter is required, because it may filter the list.
 */
export function createListRequest(
  contract: Contract,
  list: Route,
  values: RequestValues | undefined,
): RequestValues | undefined {
  const isFiltered = list.parameters.some((one) => one.in === 'query' && one.isRequired && !isLimit(one));
  if (!values || isFiltered) return undefined;
  const limit = list.parameters.find(isLimit);
  if (!limit) return values;
  const plain = contract.normalized;
  const maximum = getNode(plain, `${resolvePointer(plain, getSchemaPointer(contract, limit))}/maximum`);
  const changed = withParameter(values, limit, typeof maximum === 'number' ? maximum : MAX_LIMIT);
  return changed && validateValues(contract, list, changed).kind === 'call' ? changed : values;
}

/**
 * Returns whether the list in a response contains the resource `id`.
 * Returns undefined if this is unknown: the response has no list, its entries have no recognizable ids, or the resource
 * can be on another page.
 */
export function isListed(
  { list, values, parameter }: { readonly list: Route; readonly values: RequestValues; readonly parameter: string },
  id: unknown,
  { body, headers }: ReceivedResponse,
): boolean | undefined {
  const lists = findLists(body);
  const entries = lists.flat();
  const ids = entries.map((entry) => findId(parameter, entry)?.id);
  if (ids.some((one) => isSame(one, id))) return true;
  const isMentioned = entries.some((entry) => Object.values(entry).some((value) => isSame(value, id)));
  const hasNoIds = entries.length > 0 && ids.every((one) => one === undefined);
  if (lists.length === 0 || hasNoIds || isMentioned || headers.link?.includes('next')) return undefined;
  const count = Math.max(...lists.map(({ length }) => length));
  const limit = list.parameters.find(isLimit);
  const isPaged = limit || list.parameters.some((one) => isCursor(one) || PAGE_NAMES.includes(normalizeName(one.name)));
  const pageSize = Number((limit && values.query[limit.name]) ?? MIN_PAGE_SIZE);
  return isPaged && count >= pageSize ? undefined : false;
}

/** Returns whether the resource in a response body has the value `id` in any of its properties. */
export function containsId(parameter: string, id: unknown, body: unknown): boolean {
  const found = findId(parameter, body);
  return found !== undefined && [found.id, ...Object.values(found.entry)].some((value) => isSame(value, id));
}

function isSame(value: unknown, id: unknown): boolean {
  return isPathValue(value) && String(value) === String(id);
}

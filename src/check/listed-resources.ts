import type { Contract } from '../openapi/contract.ts';
import { getNode, resolvePointer } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { PAGING_NAMES } from '../util/paging-names.ts';
import type { ReceivedResponse } from './exchange.ts';
import { findId, findLists, isPathValue } from './ids.ts';
import { getSchemaPointer, isCursor, type RequestValues, validateValues, withParameter } from './requests.ts';

/** Normalized names of query parameters with the size of a page, and with its number or position. */
const LIMIT_NAMES: readonly string[] = [...PAGING_NAMES.limit, 'maxitems'];
const PAGE_NAMES: readonly string[] = [...PAGING_NAMES.page, ...PAGING_NAMES.offset];

/** The size of a page if the contract has no maximum. */
const MAX_LIMIT = 1_000;

/** The smallest number of resources on the first page of a list whose page size is unknown. */
const MIN_PAGE_SIZE = 10;

function isLimit({ name, in: location }: Parameter): boolean {
  return location === 'query' && LIMIT_NAMES.includes(normalizeName(name));
}

/**
 * Returns a request for a list with as many resources as possible. `values`: a request with the required parameters. Returns undefined if the list needs a
 * query parameter: it may be a filter.
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

/** Returns whether a response lists a resource: undefined if the response has no list, or if the resource can be on another page. */
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

function isSame(value: unknown, id: unknown): boolean {
  return isPathValue(value) && String(value) === String(id);
}

import type { Node } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { getSchemaParts } from '../openapi/schema-parts.ts';
import { normalizeName } from '../util/names.ts';
import type { Listed, Listing } from './list-pages.ts';
import { type RequestValues, withParameter } from './requests.ts';

/** The rules about the order of a list. */
export const SORT_RULES = ['list-sorted'] as const;

/** Matches normalized names of parameters that sort. */
const SORT_NAMES = /^(?:sort|sortby|order|orderby|ordering)$/;

/** Matches a direction at the end of a value: `price_desc`, `price:asc`. */
const DIRECTION = /[ _:.-]?(?:asc|desc)(?:ending)?$/i;

/** Matches a date, or a time in UTC. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?$/;

/** The maximum number of values of a parameter that are requested. */
const MAX_VALUES = 4;

/** The minimum number of different values: two are in order, in one direction or the other. */
const MIN_DIFFERENT = 3;

/**
 * Checks that each documented value of a parameter such as `sort` that names a property sorts the list by it.
 * The direction is free, because `sort=createdAt` often means the newest first.
 * Only numbers and dates are compared: texts are sorted in many ways.
 * `values`: the request of the list without the parameter. `whole`: its response.
 */
export async function checkSorting(listing: Listing, values: RequestValues, whole: Listed): Promise<void> {
  const { route, session } = listing;
  const { contract, results } = session;
  results.coverage.skipRule('list-sorted', route, 'no documented value of a parameter names a number or a date');
  const sorting = route.parameters.filter((one) => one.in === 'query' && SORT_NAMES.test(normalizeName(one.name)));
  for (const parameter of sorting.filter(({ shape }) => shape === undefined)) {
    const parts = getSchemaParts(contract.normalized, parameter.schema);
    const documented = parts.flatMap(({ node }) => (Array.isArray(node.enum) ? node.enum : []));
    for (const value of documented.filter((one) => typeof one === 'string').slice(0, MAX_VALUES))
      if (await examineValue(listing, { parameter, value, values, whole })) return;
  }
}

interface SortedRequest {
  readonly parameter: Parameter;
  readonly value: string;
  readonly values: RequestValues;
  readonly whole: Listed;
}

/** Returns whether the list is not sorted. Two responses show it, because entries can change between two requests. */
async function examineValue(
  { route, session, request, add }: Listing,
  { parameter, value, values, whole }: SortedRequest,
): Promise<boolean> {
  const property = findSortedProperty(value, whole.entries);
  const sorted = withParameter(values, parameter, value);
  if (property === undefined || !sorted) return false;
  const found = await request(sorted);
  const keys = found?.entries.map((entry) => toKey(entry[property]));
  if (!found || !keys || new Set(keys).size < MIN_DIFFERENT || keys.includes(undefined)) return false;
  session.results.coverage.countRule('list-sorted', route);
  const isOther = (listed: Listed | undefined) =>
    listed !== undefined && !isInOrder(listed.entries.map((entry) => toKey(entry[property])));
  if (!isOther(found) || !isOther(await request(sorted))) return false;
  const shown = found.entries.slice(0, 5).map((entry) => JSON.stringify(entry[property]));
  const message = `${parameter.name} is ${JSON.stringify(value)}, but the list is not in the order of ${property}: ${shown.join(', ')}${found.entries.length > shown.length ? ', …' : ''}`;
  add({ rule: 'list-sorted', title: `${parameter.name} sorts the entries`, message, parameter }, [found]);
  return true;
}

/** Returns the property that a value such as `-price` or `price_desc` names. */
function findSortedProperty(value: string, entries: readonly Node[]): string | undefined {
  const names = [value, value.replace(DIRECTION, '')].map(normalizeName);
  return Object.keys(entries[0] ?? {}).find((property) => names.includes(normalizeName(property)));
}

/** Returns a number or a date as a number; undefined for other values. */
function toKey(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && DATE.test(value) ? Date.parse(value) : undefined;
}

/** Returns whether numbers rise, or fall. Unknown ones are in any order. */
function isInOrder(keys: readonly (number | undefined)[]): boolean {
  const pairs = keys.slice(1).map((key, index) => Math.sign((key ?? 0) - (keys[index] ?? 0)));
  return keys.includes(undefined) || !(pairs.includes(1) && pairs.includes(-1));
}

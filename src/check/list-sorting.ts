import type { Node } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { getSchemaParts } from '../openapi/schema-parts.ts';
import { normalizeName } from '../util/names.ts';
import { findSentSchemas, hasSameEntries, type Listed, type Listing, withPageSize } from './list-pages.ts';
import { type RequestValues, withParameter } from './requests.ts';

/** The rules about the order of a list. */
export const SORT_RULES = ['list-sorted'] as const;

/** Matches normalized names of parameters that sort. */
const SORT_NAMES = /^(?:sort|sortby|order|orderby|ordering)$/;

/** Matches normalized names of parameters with the direction in which another parameter sorts. */
const DIRECTION_NAMES = /^(?:order|dir|direction|sortorder|sortdir|sortdirection|orderdir|orderdirection)$/;

/** Matches a direction at the end of a value: `price_desc`, `price:asc`. */
const DIRECTION = /[ _:.-]?(?:asc|desc)(?:ending)?$/i;

/** Matches a date, or a time in UTC. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?$/;

/** The maximum number of values of a parameter that are requested. */
const MAX_VALUES = 8;

/** The minimum number of different values: two are in order, in one direction or the other. */
const MIN_DIFFERENT = 3;

/** The number of entries of the page that is compared with the start of the whole list. */
const PAGE_SIZE = 2;

/**
 * Checks that each documented value of a parameter such as `sort` that names a property sorts the list by it, that
 * `price` and `-price` sort in different directions, and that pages are parts of the sorted list.
 * The direction of a value is free, because `sort=createdAt` often means the newest first.
 * `values`: the request of the list without the parameter. `whole`: its response.
 */
export async function checkSorting(listing: Listing, values: RequestValues, whole: Listed): Promise<void> {
  const { route, session } = listing;
  const { coverage } = session.results;
  coverage.skipRule('list-sorted', route, 'no documented value of a parameter names a property with different values');
  const queries = route.parameters.filter((one) => one.in === 'query' && one.shape === undefined);
  for (const parameter of queries.filter(({ name }) => SORT_NAMES.test(normalizeName(name)))) {
    const documented = listDocumented(listing, parameter).slice(0, MAX_VALUES);
    const directions = new Map<string, { readonly value: string; readonly sign: number; readonly found: Listed }>();
    for (const value of documented) {
      const request = { parameter, value, values, whole };
      const examined = await examineValue(listing, request);
      if (examined === 'wrong') return;
      if (!examined) continue;
      const { property, sign, found } = examined;
      const other = directions.get(property);
      if (other?.sign === sign && isOpposite(value, other.value))
        return addSameDirection(listing, parameter, { value, other, found, property });
      if (!other) directions.set(property, { value, sign, found });
    }
    await checkDirection(listing, { parameter, values, whole, documented }, queries);
  }
}

interface SortedRequest {
  readonly parameter: Parameter;
  readonly value: string;
  readonly values: RequestValues;
  readonly whole: Listed;
}

/** A list that is sorted by a property. `sign`: 1 in ascending order, and -1 in descending order. */
interface SortedList {
  readonly property: string;
  readonly sign: number;
  readonly found: Listed;
}

/**
 * Returns the order of the list with a value; `wrong` if there is a finding, and undefined if the order is unknown.
 * Two responses show that it is wrong, because entries can change between two requests.
 */
async function examineValue(listing: Listing, request: SortedRequest): Promise<SortedList | 'wrong' | undefined> {
  const { parameter, value, values, whole } = request;
  const property = findSortedProperty(listing, value, whole.entries);
  const sorted = withParameter(values, parameter, value);
  if (property === undefined || !sorted) return undefined;
  const found = await listing.request(sorted);
  if (!found || new Set(found.entries.map((entry) => entry[property])).size < MIN_DIFFERENT) return undefined;
  if (found.entries.some((entry) => !isComparable(entry[property]))) return undefined;
  listing.session.results.coverage.countRule('list-sorted', listing.route);
  const start = `${parameter.name} is ${JSON.stringify(value)}, but`;
  if (!isInOrder(found, property)) {
    const again = await listing.request(sorted);
    if (!again || isInOrder(again, property)) return undefined;
    const message = `${start} the list is not in the order of ${property}: ${showValues(found, property)}`;
    return addFinding(listing, parameter, message, [found]);
  }
  const page = await requestPage(listing, sorted);
  const isStart = page?.entries.every((entry, index) => entry[property] === found.entries[index]?.[property]) ?? true;
  const again = isStart ? undefined : await listing.request(sorted);
  if (page && again && hasSameEntries(again, found)) {
    const message = `${start} a page of ${page.entries.length} entries has ${showValues(page, property)}, and the list starts with ${showValues(found, property)}: sort the list before selecting a page`;
    return addFinding(listing, parameter, message, [found, page]);
  }
  return { property, sign: getSigns(found, property).find((sign) => sign !== 0) ?? 0, found };
}

function addFinding(listing: Listing, parameter: Parameter, message: string, listed: readonly Listed[]): 'wrong' {
  listing.add({ rule: 'list-sorted', title: `${parameter.name} sorts the entries`, message, parameter }, listed);
  return 'wrong';
}

async function requestPage(listing: Listing, sorted: RequestValues): Promise<Listed | undefined> {
  const sized = withPageSize(listing, sorted, PAGE_SIZE);
  const page = sized && (await listing.request(sized.values));
  return page && page.entries.length <= sized.size ? page : undefined;
}

interface SameDirection {
  readonly value: string;
  readonly other: { readonly value: string; readonly found: Listed };
  readonly found: Listed;
  readonly property: string;
}

function addSameDirection(
  listing: Listing,
  parameter: Parameter,
  { value, other, found, property }: SameDirection,
): void {
  const message = `${parameter.name} is ${JSON.stringify(other.value)} and ${JSON.stringify(value)}, but the list is in the same order of ${property}: ${showValues(found, property)}`;
  addFinding(listing, parameter, message, [other.found, found]);
}

interface SortParameter extends Omit<SortedRequest, 'value'> {
  readonly documented: readonly string[];
}

/** Checks that the values of a parameter such as `order`, `asc` and `desc`, sort in different directions. */
async function checkDirection(
  listing: Listing,
  { parameter, values, whole, documented }: SortParameter,
  queries: readonly Parameter[],
): Promise<void> {
  const isOther = (one: Parameter) => one !== parameter && DIRECTION_NAMES.test(normalizeName(one.name));
  const direction = queries.find(isOther);
  if (!direction) return;
  const both = ['asc', 'desc'].map((start) =>
    listDocumented(listing, direction).find((one) => one.toLowerCase().startsWith(start)),
  );
  for (const value of documented) {
    const property = findSortedProperty(listing, value, whole.entries);
    const sorted = withParameter(values, parameter, value);
    if (property === undefined || !sorted || both.includes(undefined)) continue;
    const lists: Listed[] = [];
    for (const one of both) {
      const directed = withParameter(sorted, direction, one);
      const found = directed && (await listing.request(directed));
      if (found?.entries.every((entry) => isComparable(entry[property])) && isInOrder(found, property))
        lists.push(found);
    }
    const [first, second] = lists;
    if (!first || !second || new Set(first.entries.map((entry) => entry[property])).size < MIN_DIFFERENT) continue;
    const [sign, other] = [first, second].map((one) => getSigns(one, property).find((each) => each !== 0));
    if (sign === undefined || sign !== other) continue;
    const message = `${direction.name} is ${both.map((one) => JSON.stringify(one)).join(' and ')}, but the list is in the same order of ${property}: ${showValues(second, property)}`;
    addFinding(listing, direction, message, [first, second]);
    return;
  }
}

function listDocumented({ session }: Listing, { schema }: Parameter): readonly string[] {
  const parts = getSchemaParts(session.contract.normalized, schema);
  const documented = parts.flatMap(({ node }) => (Array.isArray(node.enum) ? node.enum : []));
  return documented.filter((one) => typeof one === 'string');
}

/** Returns whether one of two values of the same property has a sign or a direction that the other one lacks. */
function isOpposite(one: string, other: string): boolean {
  const isDescending = (value: string) => value.startsWith('-') || /desc(?:ending)?$/i.test(value);
  return isDescending(one) !== isDescending(other);
}

/** Returns the property that a value such as `-price` or `price_desc` names; undefined for one with an `enum`. */
function findSortedProperty(listing: Listing, value: string, entries: readonly Node[]): string | undefined {
  const names = [value, value.replace(DIRECTION, '')].map(normalizeName);
  const property = Object.keys(entries[0] ?? {}).find((one) => names.includes(normalizeName(one)));
  if (property === undefined) return undefined;
  // A status or a priority can have an order of its own.
  const filters = listing.route.parameters.filter(({ name }) => normalizeName(name) === normalizeName(property));
  const isEnum =
    filters.some((one) => listDocumented(listing, one).length > 0) ||
    findSentSchemas(listing, property).some((schema) => schema.enum !== undefined);
  return isEnum || new Set(entries.map((entry) => entry[property])).size < MIN_DIFFERENT ? undefined : property;
}

function isComparable(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'string';
}

/** Returns whether values rise, or fall. Texts whose order depends on the language or on case are in any order. */
function isInOrder({ entries }: Listed, property: string): boolean {
  const signs = getSigns({ entries }, property);
  return !(signs.includes(1) && signs.includes(-1));
}

/** Returns for each two neighbours 1 if the second is greater, -1 if it is less, and 0 if they are equal or unclear. */
function getSigns({ entries }: Pick<Listed, 'entries'>, property: string): readonly number[] {
  const values = entries.map((entry) => entry[property]);
  return values.slice(1).map((value, index) => compare(values[index], value));
}

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return Math.sign(other - one);
  const [first, second] = [String(one), String(other)];
  if (DATE.test(first) && DATE.test(second)) return Math.sign(Date.parse(second) - Date.parse(first));
  if (typeof one !== 'string' || typeof other !== 'string' || !/^[ -~]*$/.test(first + second)) return 0;
  const signs = COMPARISONS.map((toSign) => Math.sign(toSign(first, second)));
  return signs.every((sign) => sign === signs[0]) ? (signs[0] ?? 0) : 0;
}

/** Compares the code units of two texts. */
function compareUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? 1 : -1;
}

/** The ways in which servers compare texts: by code units, without case, without other characters, and by languages. */
const COMPARISONS: readonly ((one: string, other: string) => number)[] = [
  compareUnits,
  (one, other) => compareUnits(one.toLowerCase(), other.toLowerCase()),
  (one, other) => compareUnits(toLetters(one), toLetters(other)),
  (one, other) => other.localeCompare(one, 'en'),
  (one, other) => other.localeCompare(one, 'en', { numeric: true }),
];

function toLetters(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}

/** The maximum number of values in a message. */
const MAX_SHOWN = 5;

function showValues({ entries }: Listed, property: string): string {
  const shown = entries.slice(0, MAX_SHOWN).map((entry) => JSON.stringify(entry[property]));
  return shown.join(', ') + (entries.length > shown.length ? ', …' : '');
}

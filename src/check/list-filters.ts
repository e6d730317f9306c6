import type { Contract } from '../openapi/contract.ts';
import { getNode, type Node, toNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { getPartTypes, getSchemaParts } from '../openapi/schema-parts.ts';
import { normalizeName } from '../util/names.ts';
import { isLimit, isPagePosition, isScalar } from './life-cycle-rules.ts';
import {
  findNextPage,
  findTotal,
  hasSameEntries,
  type Listed,
  type Listing,
  MAX_COMPARED,
  withPageSize,
} from './list-pages.ts';
import { type RequestValues, withParameter } from './requests.ts';

/**
 * A filter, and two values of its property.
 * `request`: requests the list with a value. `read`: returns the values of an entry; several if the property is a list.
 */
interface Filter {
  readonly wanted: string;
  readonly other: string;
  readonly read: (entry: Node) => readonly string[];
  readonly whole: Listed;
  readonly request: (value: string) => Promise<Listed | undefined>;
  /** The request of the list without the filter. */
  readonly values: RequestValues;
}

/** The rules about filters. */
export const FILTER_RULES = ['filter-selects', 'filter-finds'] as const;

/**
 * Checks that each query parameter with the name of a property selects entries by its value.
 * `values`: the request of the list without filters. `whole`: its response.
 */
export async function checkFilters(listing: Listing, values: RequestValues, whole: Listed): Promise<void> {
  const { route, session } = listing;
  const { coverage } = session.results;
  for (const rule of FILTER_RULES) coverage.skipRule(rule, route, 'no parameter has the name of a property');
  for (const parameter of route.parameters) await new FilterCheck(listing, parameter).examine(values, whole);
  for (const parameter of route.parameters) await checkSearch(listing, { parameter, values, whole });
}

/** Matches normalized names of parameters that search for texts. */
const SEARCH_NAMES = /^(?:q|search|searchterm|searchtext|keywords?)$/;

/** A text that no entry contains, and the minimum number of entries of which a search for it must leave out one. */
const UNKNOWN_TEXT = 'xqzvkwjy';
const MIN_SEARCHED = 4;

/** Checks that a search for a text that no entry contains does not return all entries. */
async function checkSearch(
  listing: Listing,
  {
    parameter,
    values,
    whole,
  }: { readonly parameter: Parameter; readonly values: RequestValues; readonly whole: Listed },
): Promise<void> {
  const { route, session, request } = listing;
  const { name, isRequired } = parameter;
  if (parameter.in !== 'query' || isRequired || !SEARCH_NAMES.test(normalizeName(name))) return;
  const searched = whole.entries.length < MIN_SEARCHED ? undefined : withParameter(values, parameter, UNKNOWN_TEXT);
  const found = searched && (await request(searched));
  if (!found) return;
  session.results.coverage.countRule('filter-selects', route);
  if (!hasSameEntries(found, whole)) return;
  const message = `${name} has no effect: the list is the same with ${JSON.stringify(UNKNOWN_TEXT)}, and without it`;
  await addFilterFinding(listing, { rule: 'filter-selects', message, parameter }, { values, whole, found: [found] });
}

/** The responses of a list without a filter and with it. `values`: the request without it. */
interface FilteredResponses {
  readonly values: RequestValues;
  readonly whole: Listed;
  readonly found: readonly Listed[];
}

/** Adds a finding about a filter, unless the list without it has changed in the meantime. */
export async function addFilterFinding(
  listing: Listing,
  { rule, message, parameter }: FilterProblem,
  { values, whole, found }: FilteredResponses,
): Promise<void> {
  const current = await listing.request(values);
  const title = `${parameter.name} ${rule === 'filter-finds' ? 'finds' : 'selects'} entries`;
  if (current && hasSameEntries(current, whole)) listing.add({ rule, title, message, parameter }, [whole, ...found]);
}

interface FilterProblem {
  readonly rule: (typeof FILTER_RULES)[number];
  readonly message: string;
  readonly parameter: Parameter;
}

/** A list with the value of a filter, and without it. `name`: that of the parameter. */
interface FilteredList {
  readonly name: string;
  readonly value: string;
  readonly whole: Listed;
  readonly found: Listed;
}

/** Checks that the total of a filtered list is not that of the whole list, if the filter excludes entries. */
export function checkFilteredTotal(listing: Listing, { name, value, whole, found }: FilteredList): void {
  const [all, total] = [whole, found].map(({ exchange }) => findTotal(exchange));
  const { length } = found.entries;
  if (!total || total.value !== all?.value || length >= whole.entries.length || length === 0) return;
  const message = `${total.name} is ${total.value} with and without ${name}, but the list with ${name}=${value} has only ${length} entries`;
  const title = `${total.name} counts the selected entries`;
  listing.add({ rule: 'page-total', title, message, parameter: undefined }, [whole, found]);
}

class FilterCheck {
  readonly #listing: Listing;
  readonly #parameter: Parameter;

  constructor(listing: Listing, parameter: Parameter) {
    this.#listing = listing;
    this.#parameter = parameter;
  }

  async examine(values: RequestValues, whole: Listed): Promise<void> {
    const parameter = this.#parameter;
    const { route, session } = this.#listing;
    const { contract, results } = session;
    const property = parameter.in === 'query' ? findProperty(parameter, whole.entries) : undefined;
    if (property === undefined || parameter.isRequired || isLimit(parameter) || isPagePosition(parameter)) return;
    if (OTHER_NAMES.test(normalizeName(parameter.name))) return;
    const reason = 'the entries of the list have the same value, or no ids';
    for (const rule of FILTER_RULES) results.coverage.skipRule(rule, route, reason);
    const read = (entry: Node) => [entry[property]].flat().filter(isScalar).map(String);
    // The last value of a list shows whether a filter compares all of them.
    const [wanted, ...others] = new Set(whole.entries.toReversed().flatMap((entry) => read(entry).toReversed()));
    const other = others.at(-1);
    if (wanted === undefined || whole.ids.includes(undefined)) return;
    const isList = whole.entries.some((entry) => Array.isArray(entry[property]));
    const takesList = getPartTypes(getSchemaParts(contract.normalized, parameter.schema)).includes('array');
    const request = async (value: string) => {
      const filtered = withParameter(values, parameter, takesList ? [value] : value);
      const found = filtered && (await this.#listing.request(filtered));
      if (found) checkFilteredTotal(this.#listing, { name: parameter.name, value, whole, found });
      return found;
    };
    const kind = isList ? 'list' : getKind(contract, parameter);
    // With one value, an ignored filter looks like one that selects everything.
    if (other === undefined) return this.#checkPrefix({ wanted, read, whole, request, values }, kind);
    for (const rule of FILTER_RULES) results.coverage.countRule(rule, route);
    const filter = { wanted, other, read, whole, request, values };
    if (kind === 'other') {
      await this.#checkEffect(filter, property);
      return this.#checkPrefix(filter, kind);
    }
    const isWrong = await this.#checkValues(filter, { property, kind });
    if (isWrong !== false) return;
    await this.#checkPrefix(filter, kind);
    await this.#checkNextPage(values, filter, property);
  }

  /** Checks two values of a filter. Returns whether one has a finding; undefined if the list could not be requested. */
  async #checkValues(
    filter: Filter,
    { property, kind }: { readonly property: string; readonly kind: FilterKind },
  ): Promise<boolean | undefined> {
    const parameter = this.#parameter;
    const { wanted, other, request } = filter;
    // `false` often means that the filter is off.
    const tested = [wanted, other].filter((value) => kind !== 'boolean' || value === 'true');
    const wrong: { readonly message: string; readonly found: Listed }[] = [];
    for (const value of tested) {
      const found = await request(value);
      if (!found) return undefined;
      const start = `${parameter.name} is ${JSON.stringify(value)}, but`;
      if (found.entries.length === 0)
        return this.#add(
          'filter-finds',
          `${start} the list is empty, although an entry has this ${property}`,
          filter,
          found,
        );
      const one = findOther(found, filter, value);
      if (one === undefined && hasOnlySome(found, filter, value)) {
        const message = `${start} the list lacks an entry with this ${property}`;
        return this.#add('filter-finds', message, filter, found);
      }
      if (one === undefined) continue;
      const message = `${start} the list has an entry whose ${property} is ${one.map((shown) => JSON.stringify(shown)).join(', ')}`;
      wrong.push({ message, found });
      // A value of an enum that includes another one includes all entries with it.
      if (kind === 'id' || kind === 'list' || hasOnlySome(found, filter, one[0] ?? ''))
        return this.#add('filter-selects', message, filter, found);
    }
    // A value of an enum can include others: `warning` and above.
    const needed = kind === 'enum' ? tested.length : 1;
    const last = wrong.at(-1);
    return last && wrong.length >= needed ? this.#add('filter-selects', last.message, filter, last.found) : false;
  }

  /** Adds a finding. Returns true, because further rules need not be checked. */
  async #add(
    rule: FilterProblem['rule'],
    message: string,
    { whole, values }: Pick<Filter, 'whole' | 'values'>,
    ...found: readonly Listed[]
  ): Promise<true> {
    await addFilterFinding(this.#listing, { rule, message, parameter: this.#parameter }, { values, whole, found });
    return true;
  }

  /**
   * Checks that a filter for an id, a code or a list of values, or one that is described as exact, does not select an
   * entry by the start of a value.
   * Other texts, such as names and e-mail addresses, are often searched by a part of them.
   */
  async #checkPrefix(filter: Omit<Filter, 'other'>, kind: FilterKind): Promise<void> {
    const { wanted, read, request } = filter;
    const parameter = this.#parameter;
    const prefix = wanted.slice(0, -1);
    const { normalized } = this.#listing.session.contract;
    const { description } = toNode(getNode(normalized, parameter.pointer));
    const isExact = kind === 'list' || EXACT_NAMES.test(parameter.name) || describesExactFilter(String(description));
    if (!isExact || prefix === '') return;
    const found = await request(prefix);
    if (found) this.#listing.session.results.coverage.countRule('filter-selects', this.#listing.route);
    const others = found?.entries.map(read).filter((values) => !values.some((value) => isEqual(value, prefix)));
    const longer = others?.flat().find((value) => value.startsWith(prefix));
    if (!found || longer === undefined) return;
    const message = `${parameter.name} is ${JSON.stringify(prefix)}, but the list has an entry with ${JSON.stringify(longer)}`;
    await this.#add('filter-selects', message, filter, found);
  }

  /** Checks that the next page of a filtered list has only selected entries too. */
  async #checkNextPage(values: RequestValues, filter: Filter, property: string): Promise<void> {
    const listing = this.#listing;
    const parameter = this.#parameter;
    for (const value of findRepeated(filter)) {
      const filtered = withParameter(values, parameter, value);
      const sized = filtered && withPageSize(listing, filtered, 1);
      const first = sized && (await listing.request(sized.values));
      const next = first && findNextPage(listing, sized, first);
      const second = next && (await listing.request(next.values));
      const [one] = (second && findOther(second, filter, value)) ?? [];
      if (!first || !second || one === undefined) continue;
      const page = `${next.parameter.name}=${next.values.query[next.parameter.name]}`;
      const message = `${parameter.name} is ${JSON.stringify(value)}. The first page has only such entries, but the next page (${page}) has an entry whose ${property} is ${JSON.stringify(one)}: filter the entries of all pages`;
      const title = `${parameter.name} selects entries`;
      return listing.add({ rule: 'filter-selects', title, message, parameter }, [first, second]);
    }
  }

  /**
   * Checks that a filter has an effect, and finds something. It can mean a part of a text, a minimum or a maximum, so
   * that one of two values changes the list, and each of them has an entry.
   * A text with the name of a boolean can have other values: `favorited` can name the user who favorited an entry.
   */
  async #checkEffect(filter: Filter, property: string): Promise<void> {
    const { wanted, other, whole, request } = filter;
    const { name } = this.#parameter;
    const found = await request(wanted);
    if (!found || !(found.entries.length === 0 || hasSameEntries(found, whole))) return;
    const second = await request(other);
    if (!second) return;
    const values = `${JSON.stringify(wanted)} and ${JSON.stringify(other)}`;
    const isBoolean = whole.entries.some((entry) => typeof entry[property] === 'boolean');
    if ([found, second].every(({ entries }) => entries.length === 0)) {
      if (isBoolean) return;
      const message = `The list is empty with the ${name} ${values}, although entries have these values of ${property}`;
      await this.#add('filter-finds', message, filter, found, second);
    } else if ([found, second].every((listed) => hasSameEntries(listed, whole))) {
      const message = `${name} has no effect: the list is the same with ${values}, and without it`;
      await this.#add('filter-selects', message, filter, found, second);
    }
  }
}

/** The maximum number of values whose next page is requested. */
const MAX_VALUES = 3;

/** Returns values that several entries have. */
function findRepeated({ whole, read }: Filter): readonly string[] {
  const all = whole.entries.flatMap(read);
  return [...new Set(all.filter((one, index) => all.indexOf(one) !== index))].slice(0, MAX_VALUES);
}

/** Returns the values of an entry that does not have the value of a filter; undefined if there is none. */
function findOther(found: Listed, { read }: Filter, value: string): readonly string[] | undefined {
  return found.entries.map(read).find((values) => values.length > 0 && !values.some((one) => isEqual(one, value)));
}

/** Returns whether a list has some of the entries with a value, but not all of them. */
function hasOnlySome(found: Listed, { whole, read }: Filter, value: string): boolean {
  const isPage = found.entries.length >= whole.entries.length || whole.entries.length >= MAX_COMPARED;
  const own = whole.entries.flatMap((entry, index) => (read(entry).includes(value) ? [whole.ids[index]] : []));
  return !isPage && own.some((id) => !found.ids.includes(id));
}

/**
 * Returns the property of the entries that has the name of a query parameter.
 * The name of a list can be the plural of that of the parameter: `tag` and `tags`.
 */
export function findProperty({ name }: Parameter, entries: readonly Node[]): string | undefined {
  const own = normalizeName(name);
  const properties = entries.flatMap((entry) => Object.keys(entry));
  const isList = (property: string) => entries.some((entry) => Array.isArray(entry[property]));
  return (
    properties.find((property) => normalizeName(property) === own) ??
    properties.find((property) => normalizeName(property) === `${own}s` && isList(property))
  );
}

/** Returns whether two values are equal, except for upper and lower case and spaces at the ends. */
function isEqual(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Matches normalized names of parameters that sort, or that work only together with others. */
const OTHER_NAMES = /^(?:sort|order|direction)|^(?:lat|latitude|lng|lon|longitude|radius)$/;

/** Matches names of parameters with an id, an e-mail address or a status, whose values are compared as a whole. */
const ID_NAMES =
  /^(?:id|uuid|email|status|state)$|(?:[a-z\d](?:Id|ID|Uuid|Email|Status)|[_-](?:id|uuid|email|status))$/;

/** Matches names of parameters with an id or a code, which are not searched by a part of them. */
const EXACT_NAMES =
  /^(?:id|uuid|code|reference|ref|sku|isbn|slug|key|currency|country)$|(?:[a-z\d](?:Ids?|ID|Uuid|Code|Reference|Ref|Sku|Slug|Key)|[_-](?:id|uuid|code|reference|ref|sku|slug|key))$/;

/** Returns whether the description of a filter says that it compares whole values: `exactly this city`. */
export function describesExactFilter(description: string): boolean {
  return /\bexact(?:ly)?\b/i.test(description) && !/\b(?:not|non|or|partial)\b/i.test(description);
}

type FilterKind = 'enum' | 'boolean' | 'id' | 'list' | 'other';

/** Returns what a filter compares: whole values of an `enum`, a boolean or an id, or something else. */
function getKind(contract: Contract, parameter: Parameter): Exclude<FilterKind, 'list'> {
  const parts = getSchemaParts(contract.normalized, parameter.schema);
  if (getPartTypes(parts).includes('boolean')) return 'boolean';
  if (parts.some(({ node }) => node.enum !== undefined || node.const !== undefined)) return 'enum';
  return ID_NAMES.test(parameter.name) ? 'id' : 'other';
}

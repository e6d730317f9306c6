import { getNode, type Node, resolvePointer, toNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { getPartTypes, getSchemaParts } from '../openapi/schema-parts.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { normalizeName, splitWords } from '../util/names.ts';
import { isLimit, isPagePosition } from './life-cycle-rules.ts';
import { addFilterFinding, checkFilteredTotal, type FILTER_RULES } from './list-filters.ts';
import { findSentSchemas, type Listed, type Listing, MAX_COMPARED } from './list-pages.ts';
import { isCursor, type RequestValues, withParameter } from './requests.ts';

/** Words of a parameter that is a lower or an upper limit, at the start or the end of its name. */
const LOWER = ['min', 'minimum', 'from', 'since', 'after', 'gte', 'gt', 'start', 'starting', 'over', 'above'];
const UPPER = ['max', 'maximum', 'to', 'until', 'till', 'before', 'lte', 'lt', 'end', 'ending', 'under', 'below'];

/** Words of a limit without the name of a property that can have another meaning for numbers: the offset of a page. */
const POSITIONS = [
  ...['from', 'to', 'start', 'starting', 'end', 'ending', 'after', 'before', 'since', 'until', 'till'],
  ...['gt', 'gte', 'lt', 'lte', 'over', 'above', 'under', 'below'],
];

/** The words that the name of a parameter can have in place of those of a property. */
const SYNONYMS: Readonly<Record<string, string>> = { born: 'birth', dob: 'birth' };

/** Words at the end of the name of a property that the name of its parameter often lacks. */
const ENDINGS = ['at', 'on', 'date', 'time', 'day', 'datetime'];

/** Words at the end of the name of a property with another unit than a parameter without them can have. */
const UNITS = ['cents', 'cent', 'ms', 'millis', 'seconds', 'minutes', 'minor'];

/** Names of properties that the server sets, which a limit does not mean if it does not name them. */
const SERVER_TIME = /^(?:created|updated|modified|changed|deleted|registered|inserted|added)/;

/** The maximum number of values of a property that are requested as a limit. */
const MAX_VALUES = 4;

const DAY_MS = 86_400_000;

type Side = 'lower' | 'upper';

/** A query parameter that limits the entries by their properties: several if an entry has a start and an end. */
interface Limit {
  readonly parameter: Parameter;
  readonly side: Side;
  readonly properties: readonly string[];
  readonly kind: 'number' | 'date' | 'date-time';
  /** Whether the parameter can have another unit than the property: euros and cents. */
  readonly hasOtherUnit: boolean;
}

/**
 * Checks that each query parameter such as `min_price`, `due_from` or `createdBefore` limits the entries of a list.
 * An entry with the value itself may be in the list or not.
 * `values`: the request of the list without filters. `whole`: its response.
 */
export async function checkRanges(listing: Listing, values: RequestValues, whole: Listed): Promise<void> {
  if (whole.ids.includes(undefined)) return;
  for (const parameter of listing.route.parameters) {
    const limit = findLimit(listing, parameter, whole.entries);
    if (limit) await new RangeCheck(listing, limit).examine(values, whole);
  }
}

class RangeCheck {
  readonly #listing: Listing;
  readonly #limit: Limit;

  constructor(listing: Listing, limit: Limit) {
    this.#listing = listing;
    this.#limit = limit;
  }

  async examine(values: RequestValues, whole: Listed): Promise<void> {
    const { session, route } = this.#listing;
    const { parameter, kind } = this.#limit;
    const sent = this.#limit.hasOtherUnit ? [this.#getUnmatched(whole)] : this.#listValues(whole);
    for (const value of sent.filter((one) => one !== undefined)) {
      const found = await this.#request(values, value);
      if (!found) continue;
      for (const rule of ['filter-selects', 'filter-finds'] as const) session.results.coverage.countRule(rule, route);
      checkFilteredTotal(this.#listing, { name: parameter.name, value, whole, found });
      if (await this.#findProblem({ values, value, whole, found })) return;
    }
    if (kind === 'date-time') await this.#checkOffsets(values, whole);
  }

  async #request(values: RequestValues, value: string): Promise<Listed | undefined> {
    const limited = withParameter(values, this.#limit.parameter, value);
    return limited && this.#listing.request(limited);
  }

  /** Returns values of each property for which the list has an entry on each side. */
  #listValues({ entries }: Listed): readonly string[] {
    const all = this.#limit.properties.flatMap((name) => {
      const keys = entries.map((entry) => ({ key: toKey(entry[name]) ?? 0, value: entry[name] }));
      const sorted = keys
        .filter(({ value }) => toKey(value) !== undefined)
        .toSorted((one, other) => one.key - other.key);
      const texts = [...new Set(sorted.map((one) => this.#toText(one)))].filter((text) => {
        const sides = entries.map((entry) => this.#compare(entry, text));
        return sides.includes('in') && sides.includes('out');
      });
      const step = Math.max(1, texts.length / MAX_VALUES);
      return texts.filter((_, index) => index % step < 1);
    });
    return [...new Set(all)];
  }

  /** Returns a value that no entry matches in any unit. */
  #getUnmatched({ entries }: Listed): string | undefined {
    const keys = entries.flatMap((entry) => this.#getValues(entry).map(({ key }) => key));
    if (this.#limit.side === 'lower') return String(Math.ceil(Math.max(...keys)) + 1);
    return Math.min(...keys) > 0 ? '0' : undefined;
  }

  #getValues(entry: Node): readonly { readonly key: number; readonly value: unknown }[] {
    return this.#limit.properties.flatMap((name) => {
      const key = toKey(entry[name]);
      return key === undefined ? [] : [{ key, value: entry[name] }];
    });
  }

  /** Returns a value as the parameter has it: the day of a time, or the time at which a day begins. */
  #toText({ value }: { readonly value: unknown }): string {
    const text = String(value);
    if (this.#limit.kind === 'date') return text.slice(0, 'YYYY-MM-DD'.length);
    return this.#limit.kind === 'date-time' && !text.includes('T') ? `${text}T00:00:00Z` : text;
  }

  /** Returns whether an entry must be in the list with a limit, or must not; undefined if both are right. */
  #compare(entry: Node, text: string): 'in' | 'out' | undefined {
    const values = this.#getValues(entry);
    const limit = toKey(text) ?? Number.NaN;
    const { kind, side, properties } = this.#limit;
    if (values.length < properties.length) return undefined;
    const isMixed = kind !== 'number' && values.some(({ value }) => String(value).includes('T') !== text.includes('T'));
    // A day begins at different times in different time zones.
    const [before, after] = isMixed ? [DAY_MS, 2 * DAY_MS] : [0, 0];
    const sign = side === 'lower' ? 1 : -1;
    const signs = values.map(({ key }) => {
      if (key < limit - before) return -sign;
      return key > limit + after ? sign : 0;
    });
    if (signs.every((one) => one === 1)) return 'in';
    return signs.every((one) => one === -1) ? 'out' : undefined;
  }

  async #findProblem({ values, value, whole, found }: Selected): Promise<boolean> {
    const { parameter, properties, side, hasOtherUnit } = this.#limit;
    const name = properties.join(' and ');
    const start = `${parameter.name} is ${JSON.stringify(value)}, but the list`;
    const word = side === 'lower' ? 'less' : 'greater';
    const wrong = found.entries.find((entry) => this.#compare(entry, value) === 'out');
    if (wrong)
      return this.#add('filter-selects', `${start} has an entry whose ${name} is ${word}: ${this.#show(wrong)}`, {
        values,
        whole,
        found,
      });
    const isWhole = found.entries.length < whole.entries.length && whole.entries.length < MAX_COMPARED;
    const ids = found.ids.map(String);
    const lost = whole.entries.find(
      (entry, index) => this.#compare(entry, value) === 'in' && !ids.includes(String(whole.ids[index])),
    );
    if (!isWhole || !lost || hasOtherUnit) return false;
    const other = side === 'lower' ? 'greater' : 'less';
    return this.#add('filter-finds', `${start} lacks an entry whose ${name} is ${other}: ${this.#show(lost)}`, {
      values,
      whole,
      found,
    });
  }

  #show(entry: Node): string {
    return this.#limit.properties.map((name) => JSON.stringify(entry[name])).join(' and ');
  }

  /** Checks that the same time in other time zones has the same effect, with the times of some entries. */
  async #checkOffsets(values: RequestValues, whole: Listed): Promise<void> {
    const { parameter, properties } = this.#limit;
    const times = properties.flatMap((name) => {
      const sorted = [...new Set(whole.entries.map((entry) => String(entry[name])))].toSorted();
      return sorted
        .filter((_, index) => Math.abs(index - sorted.length / 2) <= 1)
        .filter((time) => /T.*Z$/i.test(time));
    });
    for (const time of new Set(times)) {
      const found = await this.#request(values, time);
      for (const other of found ? toOtherOffsets(time) : []) {
        const shifted = await this.#request(values, other);
        if (!found || !shifted || hasSameIds(shifted, found) || shifted.ids.length === whole.ids.length) continue;
        const message = `The list differs for ${parameter.name}=${time} and ${parameter.name}=${other}, which are the same time: compare times, and not their texts`;
        await this.#add('filter-selects', message, { values, whole, found, shifted });
        return;
      }
    }
  }

  async #add(
    rule: (typeof FILTER_RULES)[number],
    message: string,
    { values, whole, found, shifted }: Pick<Selected, 'values' | 'whole' | 'found'> & { readonly shifted?: Listed },
  ): Promise<true> {
    const { parameter } = this.#limit;
    const responses = [found, ...(shifted ? [shifted] : [])];
    await addFilterFinding(this.#listing, { rule, message, parameter }, { values, whole, found: responses });
    return true;
  }
}

/** A list with a limit. `values`: the request without it. */
interface Selected {
  readonly values: RequestValues;
  readonly value: string;
  readonly whole: Listed;
  readonly found: Listed;
}

/** Matches a date, or a date and a time with its offset. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** Returns a number or a date as a number; undefined for other values. */
function toKey(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  if (DATE.test(value)) return Date.parse(value);
  return /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

/** The difference between the same time in two time zones, in hours. */
const OFFSET_HOURS = 9;

/** Returns the same time with two other offsets from UTC. The text of the first is greater, and the other one less. */
function toOtherOffsets(time: string): readonly string[] {
  return (['+', '-'] as const).map((sign) => {
    const shiftMs = (sign === '+' ? 1 : -1) * OFFSET_HOURS * 3_600_000;
    return `${toIsoTime(Date.parse(time) + shiftMs).slice(0, -1)}${sign}0${OFFSET_HOURS}:00`;
  });
}

function hasSameIds({ ids }: Listed, { ids: others }: Listed): boolean {
  return JSON.stringify(ids.map(String).toSorted()) === JSON.stringify(others.map(String).toSorted());
}

/** Returns what a query parameter limits; undefined if it limits nothing that the entries show. */
function findLimit(listing: Listing, parameter: Parameter, entries: readonly Node[]): Limit | undefined {
  const { name, isRequired, shape } = parameter;
  if (parameter.in !== 'query' || isRequired || shape !== undefined) return undefined;
  if (isLimit(parameter) || isPagePosition(parameter)) return undefined;
  const named = readName(name);
  const kind = getKind(listing, parameter.schema);
  if (!named || !kind || (isCursor(parameter) && kind === 'number')) return undefined;
  if (Object.keys(entries[0] ?? {}).some((property) => normalizeName(property) === normalizeName(name)))
    return undefined;
  const candidates = Object.keys(entries[0] ?? {}).filter((property) => hasKind(entries, property, kind));
  const properties = selectProperties(named, candidates, kind);
  if (properties.length === 0) return undefined;
  const hasOtherUnit = kind === 'number' && properties.some((one) => isOtherUnit(listing, parameter, one));
  return { parameter, side: named.side, properties, kind, hasOtherUnit };
}

interface LimitName {
  readonly side: Side;
  /** The word of the limit, such as `min`. */
  readonly marker: string;
  /** The other words. */
  readonly words: readonly string[];
}

function readName(name: string): LimitName | undefined {
  const all = splitWords(name);
  const [first = '', last = ''] = [all[0], all.at(-1)];
  const toSide = (word: string): Side | undefined => {
    if (LOWER.includes(word)) return 'lower';
    return UPPER.includes(word) ? 'upper' : undefined;
  };
  const [atStart, atEnd] = [toSide(first), toSide(last)];
  // `start_to` has a limit at both ends: the last word is the limit.
  if (atEnd && all.length > 1) return { side: atEnd, marker: last, words: all.slice(0, -1) };
  return atStart === undefined ? undefined : { side: atStart, marker: first, words: all.slice(1) };
}

/** Returns the properties that a limit means. */
function selectProperties(
  { words, marker }: LimitName,
  candidates: readonly string[],
  kind: Limit['kind'],
): readonly string[] {
  const own = words.map((word) => SYNONYMS[word] ?? word).filter((word) => words.length > 1 || !ENDINGS.includes(word));
  const named = candidates.filter((property) => {
    const all = splitWords(property);
    const rest = all.slice(own.length);
    return own.length > 0 && own.every((word, index) => isSameWord(word, all[index] ?? '')) && isEnding(rest);
  });
  if (named.length > 0) return named.slice(0, 1);
  // `from` and `to` limit the dates that clients set, such as the start and the end of an event.
  if (own.length > 0 || (kind === 'number' && POSITIONS.includes(marker))) return [];
  return candidates.filter((property) => !SERVER_TIME.test(normalizeName(property)) && !/id$/i.test(property));
}

function isSameWord(one: string, other: string): boolean {
  return one.replace(/s$/, '') === other.replace(/s$/, '');
}

function isEnding(words: readonly string[]): boolean {
  return words.length <= 1 && words.every((word) => ENDINGS.includes(word) || UNITS.includes(word));
}

function hasKind(entries: readonly Node[], property: string, kind: Limit['kind']): boolean {
  const values = entries.map((entry) => entry[property]).filter((value) => value !== undefined && value !== null);
  const isOwn = (value: unknown) =>
    kind === 'number' ? typeof value === 'number' : typeof value === 'string' && DATE.test(value);
  return values.length > 1 && values.every(isOwn);
}

function getKind({ session }: Listing, schema: string): Limit['kind'] | undefined {
  const parts = getSchemaParts(session.contract.normalized, schema);
  if (getPartTypes(parts).some((type) => type === 'number' || type === 'integer')) return 'number';
  const format = parts.map(({ node }) => node.format).find((one) => one === 'date' || one === 'date-time');
  return format as 'date' | 'date-time' | undefined;
}

/**
 * Returns whether the unit of a limit is unclear: the property has one in its name that the parameter lacks, also in
 * its description, and their schemas have different ranges.
 */
function isOtherUnit(listing: Listing, parameter: Parameter, property: string): boolean {
  const { normalized: plain } = listing.session.contract;
  const unit = splitWords(property).at(-1) ?? '';
  const { description } = toNode(getNode(plain, parameter.pointer));
  if (!UNITS.includes(unit)) return false;
  if ([...splitWords(parameter.name), ...splitWords(String(description))].includes(unit)) return false;
  const { maximum } = toNode(getNode(plain, resolvePointer(plain, parameter.schema)));
  return maximum === undefined || !findSentSchemas(listing, property).some((schema) => schema.maximum === maximum);
}

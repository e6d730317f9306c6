import type { Input } from '../application.ts';
import { isNode, pickKeys } from '../openapi/document.ts';
import { parseNumber } from '../openapi/typed-values.ts';
import type { Entry } from '../store/state.ts';
import { isIdName, normalizeName, splitWords } from '../util/names.ts';
import { isSecretName } from '../util/redact-secrets.ts';
import { getKeyValue, getOwn } from './entry-values.ts';
import { PATH_VALUES, type PathKey } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** How a query parameter is compared with a property of an entry. */
export type Comparison =
  | 'equal'
  | 'unequal'
  | 'above'
  | 'least'
  | 'below'
  | 'most'
  | 'contains'
  /** Whether the value is on the day of the text. */
  | 'day'
  /** Whether a value exists, if the text is `true`, or does not exist, if it is `false`. */
  | 'present'
  | 'missing';

/**
 * What a query parameter selects.
 * `property`: the name of a property; undefined if the parameter searches all texts of an entry.
 */
export interface ListFilter {
  readonly property: string | undefined;
  readonly comparison: Comparison;
  /** Whether equal texts can differ in uppercase letters, as the description says. */
  readonly ignoresCase?: boolean;
  /** The property of the object in the property that is compared: `id` of the `cafe` for `cafeId`. */
  readonly inner?: string;
  /** The value in the path of an entry that is compared. */
  readonly key?: PathKey;
  /** The properties that a search reads, because its description names them. Undefined for all texts. */
  readonly searched?: readonly string[];
}

/** A property of an entry. `isOrdered`: whether its values are numbers, dates or times. */
export interface FilterProperty {
  readonly name: string;
  /** Whether its values are only true and false. */
  readonly isFlag?: boolean;
  readonly isList?: boolean;
  readonly isOrdered: boolean;
  readonly isTime: boolean;
  /** Whether its values are texts or lists of texts. */
  readonly isText?: boolean;
  /** The texts of its `enum`, in the order of the document: `low`, `medium`, `high`. */
  readonly values?: readonly string[] | undefined;
}

/** Returns the properties of an entry by which a query can filter. `schema`: the JSON Pointer of the entry's schema. */
export function listFilterProperties(reader: SchemaReader, schema: string): readonly FilterProperty[] {
  return [...reader.getProperties(schema)].map(([name, pointer]) => {
    const types = reader.getTypes(pointer);
    const isTime = ['date', 'date-time'].includes(String(reader.getKeyword(pointer, 'format')));
    const isOrdered = isTime || types.includes('integer') || types.includes('number');
    const isFlag = types.length === 1 && types[0] === 'boolean';
    const inner = reader.getItems(pointer);
    const isText = !isTime && !isIdName(name) && [types, inner ? reader.getTypes(inner) : []].flat().includes('string');
    const values: readonly unknown[] = [reader.getKeyword(pointer, 'enum') ?? []].flat().filter((one) => one !== null);
    const texts = values.filter((one) => typeof one === 'string');
    const listed = values.length > 0 && texts.length === values.length ? { values: texts } : {};
    return { name, isOrdered, isTime, isFlag, isList: types.includes('array'), isText, ...listed };
  });
}

/** Names of query parameters that search the texts of an entry, without uppercase letters and separators. */
const SEARCH_NAMES = [
  'q',
  'query',
  'search',
  'searchterm',
  'searchtext',
  'term',
  'terms',
  'keyword',
  'keywords',
  'text',
];

/** Returns whether a query parameter searches the texts of an entry by its name, such as `q`. */
export function isSearchName(name: string): boolean {
  return SEARCH_NAMES.includes(normalizeName(name));
}

/** The comparisons by the suffixes that names of query parameters can have, as in `price_gte` and `price[gte]`. */
const SUFFIXES: Readonly<Record<string, Comparison>> = {
  gte: 'least',
  gt: 'above',
  lte: 'most',
  lt: 'below',
  ne: 'unequal',
  neq: 'unequal',
  not: 'unequal',
  like: 'contains',
  contains: 'contains',
  eq: 'equal',
};

/**
 * The comparisons by words before or after the name of a property, as in `minPrice` and `createdAfter`.
 * Decision: `before` excludes its value, and the other words include it.
 */
const WORDS: readonly (readonly [form: RegExp, comparison: Comparison])[] = [
  [/^(?:min|minimum|from|least)(.+)$|^(.+?)(?:min|minimum|from|since|start)$/, 'least'],
  [/^(?:max|maximum|to|until|most)(.+)$|^(.+?)(?:max|maximum|to|until|till|end)$/, 'most'],
  [/^(?:after)(.+)$|^(.+?)(?:after)$/, 'above'],
  [/^(?:before)(.+)$|^(.+?)(?:before)$/, 'below'],
];

/** The comparisons by names that are about the only date or time of an entry. */
const TIME_NAMES: Readonly<Record<string, Comparison>> = {
  from: 'least',
  since: 'least',
  startdate: 'least',
  fromdate: 'least',
  datefrom: 'least',
  after: 'above',
  to: 'most',
  until: 'most',
  enddate: 'most',
  todate: 'most',
  dateto: 'most',
  before: 'below',
};

/** Matches the names of times that the server sets. */
const SERVER_TIMES = /^(?:created|updated|modified|deleted|lastmodified|lastupdated)(?:at|on|date|time)?$/;

/** The ends of names of dates and times: `createdAfter` is about `createdAt`, and `dueBefore` about `dueDate`. */
const TIME_ENDINGS = ['', 'at', 'date', 'on', 'time', 'datetime', 'day'];

/**
 * Returns what a query parameter selects; undefined if its name says nothing about the entries.
 * `labels`: the names from which the meaning is derived, the best first: `filter[name]` and `name`.
 * `kind`: whether the parameter has any text, or only `true` and `false`.
 */
export function findFilter(
  labels: readonly string[],
  properties: readonly FilterProperty[],
  kind: 'text' | 'flag' | 'other' = 'other',
): ListFilter | undefined {
  const isText = kind === 'text';
  const own = labels.map((label) => normalizeName(label.replace(/\[\]$/, '')));
  const find = (name: string) => properties.find((property) => normalizeName(property.name) === name);
  // A text such as the name of a user can't be compared with a flag such as `favorited`.
  const fitting = (property: FilterProperty | undefined) => property !== undefined && !(isText && property.isFlag);
  const equal =
    own.map(find).find(fitting) ??
    properties.find(
      ({ name, isList }) => isList && own.some((one) => [`${one}s`, `${one}list`].includes(normalizeName(name))),
    );
  if (equal) return { property: equal.name, comparison: 'equal' };
  const flag = isText ? undefined : own.map((name) => findFlag(properties, name, kind === 'flag')).find(Boolean);
  if (flag) return flag;
  return (
    labels.map((label) => findCompared(label, properties)).find((filter) => filter !== undefined) ??
    (own.some(isSearchName) ? { property: undefined, comparison: 'contains' } : undefined)
  );
}

/**
 * Finds the boolean that a name such as `done`, `isDone` or `unread` means. Without one, a boolean query parameter is
 * about whether an entry has a time such as `readAt`.
 */
function findFlag(properties: readonly FilterProperty[], own: string, isFlag: boolean): ListFilter | undefined {
  const name = own.replace(/^(?:is|has)(?=.{3})/, '');
  const [, opposite] = /^(?:un|not)(.{3,})$/.exec(name) ?? [];
  const find = (word: string | undefined) =>
    properties.find((one) => one.isFlag && [word, `is${word}`, `has${word}`].includes(normalizeName(one.name)));
  const findTime = (word: string | undefined) =>
    isFlag ? properties.find((one) => one.isTime && normalizeName(one.name) === `${word}at`) : undefined;
  const candidates: readonly (readonly [FilterProperty | undefined, Comparison])[] = [
    [find(name), 'equal'],
    [find(opposite), 'unequal'],
    [findTime(name), 'present'],
    [findTime(opposite), 'missing'],
  ];
  const [property, comparison = 'equal'] = candidates.find(([found]) => found !== undefined) ?? [];
  return property && { property: property.name, comparison };
}

function findCompared(label: string, properties: readonly FilterProperty[]): ListFilter | undefined {
  const [, base = '', suffix = ''] = /^(.+?)(?:\[(\w+)\]|(?:__|[_.:])([a-z]+))$/i.exec(label)?.filter(Boolean) ?? [];
  const named = properties.find(({ name }) => normalizeName(name) === normalizeName(base));
  const comparison = Object.hasOwn(SUFFIXES, suffix.toLowerCase()) ? SUFFIXES[suffix.toLowerCase()] : undefined;
  if (named && comparison) return { property: named.name, comparison };
  const ordered = properties.filter(({ isOrdered }) => isOrdered);
  const name = normalizeName(label);
  for (const [form, word] of WORDS) {
    const [inner] =
      form
        .exec(name)
        ?.slice(1)
        .filter((part) => part !== undefined) ?? [];
    const property = inner === undefined ? undefined : (findOrdered(ordered, inner) ?? findByWords(ordered, label));
    if (property) return { property: property.name, comparison: word };
  }
  const all = properties.filter(({ isTime }) => isTime);
  // A time that the server sets is seldom meant beside another one.
  // `before` and `after` can also be cursors.
  const isTimed = !['before', 'after'].includes(name);
  const set = all.filter((time) => !SERVER_TIMES.test(normalizeName(time.name)));
  const times = all.length > 1 && isTimed ? set : all;
  const starts = times.filter((time) => /^start/.test(normalizeName(time.name)));
  const [day, ...others] = starts.length > 0 && times.length === 2 ? starts : times;
  if (['date', 'day', 'ondate'].includes(name) && day && others.length === 0)
    return { property: day.name, comparison: 'day' };
  const onTime = Object.hasOwn(TIME_NAMES, name) ? TIME_NAMES[name] : undefined;
  return onTime && times.length === 1 && times[0] ? { property: times[0].name, comparison: onTime } : undefined;
}

function findOrdered(properties: readonly FilterProperty[], base: string): FilterProperty | undefined {
  return (
    properties.find(({ name }) => normalizeName(name) === base) ??
    properties.find(({ name, isTime }) => isTime && TIME_ENDINGS.some((end) => normalizeName(name) === base + end))
  );
}

/**
 * Returns the only number whose name has all words of a limit: `price_per_hour_cents` for `max_price_cents`, and
 * `average_rating` for `min_rating`.
 */
function findByWords(properties: readonly FilterProperty[], label: string): FilterProperty | undefined {
  const [limit = '', ...words] = splitWords(label);
  if (!/^(?:min|minimum|max|maximum)$/.test(limit) || words.length === 0) return undefined;
  const found = properties.filter(({ name, isTime }) => {
    const own = splitWords(name);
    return !isTime && !isIdName(name) && words.every((word) => own.includes(word));
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Words of a description that says that a search also reads other properties than it names. */
const OF_ALL = /\b(?:all|any|every|etc|e\.?g|such as|like|including|full[- ]?text|fields?|properties)\b/;

/**
 * Returns the text properties that the description of a search names: `title` and `author` for `Search term for title
 * or author`. Returns undefined if it names none, or other properties too.
 */
export function findSearched(
  description: string,
  properties: readonly FilterProperty[],
): readonly string[] | undefined {
  const text = splitWords(description).join(' ');
  const [, after] = /\b(?:by|in|for|of|on|within|across|against|match\w*|contain\w*) (.+)$/.exec(text) ?? [];
  if (after === undefined || OF_ALL.test(description.toLowerCase())) return undefined;
  const names = properties.flatMap(({ name, isText }) => {
    const words = splitWords(name).join(' ');
    return isText && words !== '' && new RegExp(`\\b${words}(?:s|es)?\\b`).test(after) ? [name] : [];
  });
  return names.length === 0 ? undefined : names;
}

/** Describes a filter, such as `dueBefore (dueDate)`; a filter for equal values has only its name. */
export function describeFilter(name: string, { property, comparison, inner, searched }: ListFilter): string {
  if (inner !== undefined) return `${name} (${property})`;
  if (comparison === 'equal') return name;
  return `${name} (${property ?? searched?.join(', ') ?? 'all texts'})`;
}

/** A filter with the values of a request. */
interface WantedFilter extends ListFilter {
  readonly texts: readonly string[];
  /** The values that are equal to one of the texts. For an equal comparison, also the parts between commas. */
  readonly equal: EqualValues;
  /** The words of the texts in lower case. */
  readonly words: readonly string[];
  readonly isRequired: boolean;
}

/** Texts, and the numbers in them. */
interface EqualValues {
  readonly texts: readonly string[];
  readonly numbers: readonly (number | undefined)[];
  readonly ignoresCase: boolean;
}

/** Returns the values of a filter for texts in a query such as `status=open,done`. */
function createWanted(filter: ListFilter, texts: readonly string[], isRequired: boolean): WantedFilter {
  const parts = filter.comparison === 'equal' ? texts.flatMap((text) => text.split(',')) : [];
  const equal = [...new Set([...texts, ...parts])];
  const words = texts.flatMap((text) => text.toLowerCase().split(/\s+/).filter(Boolean));
  const numbers = equal.map((text) => parseNumber(text));
  return {
    ...filter,
    isRequired,
    texts,
    equal: { texts: equal, numbers, ignoresCase: filter.ignoresCase === true },
    words,
  };
}

/**
 * Returns the entries that match all filters in a query.
 * An entry without the filtered property always matches a required query parameter, which often is not a filter.
 * For an optional query parameter, the generated value of the property is compared.
 * `complete`: returns an entry with the generated properties that clients see.
 */
export function filterEntries(
  entries: readonly Entry[],
  { filters, required }: { readonly filters: ReadonlyMap<string, ListFilter>; readonly required: readonly string[] },
  query: Input['query'],
  complete: (entry: Entry) => Entry,
): readonly Entry[] {
  const wanted = [...filters].flatMap(([name, filter]): readonly WantedFilter[] => {
    const value = query[name];
    return value === undefined ? [] : [createWanted(filter, [value].flat().map(String), required.includes(name))];
  });
  return wanted.reduce((rest, filter) => rest.filter((entry) => fits(entry, filter, complete)), entries);
}

function fits(entry: Entry, filter: WantedFilter, complete: (entry: Entry) => Entry): boolean {
  const { property, isRequired, inner, key, searched } = filter;
  if (key) return compare(getKeyValue(entry, key), filter);
  if (inner !== undefined) {
    const shown = [getOwn(entry, property ?? '')].flat();
    return shown.some((one) => compare(isNode(one) ? getOwn(one, inner) : undefined, filter));
  }
  if (property === undefined) return compare(searched ? pickKeys(complete(entry), searched) : complete(entry), filter);
  const own = getOwn(entry, property);
  return own === undefined ? isRequired || compare(getOwn(complete(entry), property), filter) : compare(own, filter);
}

function compare(value: unknown, { comparison, texts, equal, words }: WantedFilter): boolean {
  if (comparison === 'equal') return matches(value, equal);
  if (comparison === 'unequal') return !matches(value, equal);
  if (comparison === 'present' || comparison === 'missing') {
    const isMissing = value === undefined || value === null;
    return texts.every((text) => isMissing === ((text === 'true') === (comparison === 'missing')));
  }
  if (comparison === 'day')
    return texts.every((text) => isInRange(value, 'least', text) && isInRange(value, 'most', text));
  if (comparison === 'contains') return words.every((word) => containsWord(value, word));
  return texts.every((text) => isInRange(value, comparison, text));
}

/**
 * Returns whether a value equals one of the values of a filter.
 * A list matches if one of its values matches.
 * An object matches if one of its values, except objects and lists, matches.
 * A missing value is the same as null.
 */
function matches(value: unknown, equal: EqualValues): boolean {
  if (equal.ignoresCase && typeof value === 'string')
    return equal.texts.some((text) => text.toLowerCase() === value.toLowerCase());
  if (Array.isArray(value)) return value.some((inner) => matches(inner, equal));
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((inner) => typeof inner !== 'object' && matches(inner, equal));
  // `?parentId=null` selects entries without a parent.
  if (value === undefined) return equal.texts.includes('null');
  if (typeof value === 'number') return equal.numbers.includes(value);
  return equal.texts.includes(String(value));
}

/**
 * Returns whether a text in a value, except dates, ids, hashes and URLs of images, contains a word without regard to
 * case.
 * `word`: in lower case.
 */
function containsWord(value: unknown, word: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(word) && !TIME.test(value) && !HASH.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((inner) => containsWord(inner, word));
  const object = value as Entry;
  const isHidden = (name: string) =>
    name === PATH_VALUES || isIdName(name) || isSecretName(name) || IMAGE.test(normalizeName(name));
  const names = Object.keys(object).filter((name) => !isHidden(name));
  return names.some((name) => containsWord(object[name], word));
}

/** A UUID, or a hash in hexadecimal digits. */
const HASH = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{24,})$/i;

/** Names of properties with the URL of an image, without uppercase letters and separators. */
const IMAGE = /(?:image|avatar|photo|picture|thumbnail|icon|logo|cover)(?:ur[il]|link)?$/;

/** A date, or a date with a time. */
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/;

/** Returns whether a number, a text, a date or a time is in the range that a text limits. */
export function isInRange(value: unknown, comparison: Comparison, text: string): boolean {
  const difference = getDifference(value, text);
  if (difference === undefined || Number.isNaN(difference)) return false;
  if (comparison === 'above') return difference > 0;
  if (comparison === 'below') return difference < 0;
  return comparison === 'least' ? difference >= 0 : difference <= 0;
}

/**
 * Compares a value with a text: the result is negative, 0 or positive.
 * A time is compared with a date by its day.
 * Returns undefined if the value is neither a number nor a text.
 */
function getDifference(value: unknown, text: string): number | undefined {
  if (typeof value === 'number') return value - Number(TIME.test(text) ? toUnit(value, text) : text);
  if (typeof value !== 'string') return undefined;
  if (!TIME.test(value) || !TIME.test(text)) return value < text ? -1 : Number(value > text);
  const length = Math.min(value.length, text.length);
  if (length === 10) return compareTexts(value.slice(0, 10), text.slice(0, 10));
  return Date.parse(value) - Date.parse(text);
}

/** Compares two texts for the order of a list. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Converts a date or time to the unit of a number: seconds since 1970, or milliseconds if the number is large. */
function toUnit(value: number, text: string): number {
  const ms = Date.parse(text);
  return value > 1e11 ? ms : ms / 1_000;
}

import { isCreationTimeName, isIdName, normalizeName, splitWords, toSingular } from '../../util/names.ts';
import { listStateWords, STATE_PROPERTIES } from '../actions/states.ts';
import { listEntryProperties, listRelationships } from '../document/entry-properties.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { PathKey } from '../resource.ts';

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
  /** Whether the whole text of the query is contained, not each of its words. */
  readonly isPhrase?: boolean;
  /** Whether an entry needs all values of the query. Otherwise, it needs one of them. */
  readonly isAll?: boolean;
  /** For a boolean parameter such as `includeCompleted` or `unreadOnly`: which entries it is about. */
  readonly state?: StateFilter;
  /** The properties that a search reads, because its description names them. Undefined for all texts. */
  readonly searched?: readonly string[];
  /** What a search of all texts reads of the entries that a property shows: their texts without a format. */
  readonly inside?: ReadonlyMap<string, readonly string[]>;
}

/**
 * The entries that only the value true of a parameter includes, or to which it limits the list: those whose property
 * has the value, or has any value if it is undefined.
 */
interface StateFilter {
  readonly mode: 'include' | 'only';
  readonly value: unknown;
  readonly isEqual: boolean;
  /** Whether the parameter is true without a value in the query. */
  readonly isDefault?: boolean;
}

/** A property of an entry. `isOrdered`: whether its values are numbers, dates or times. */
export interface FilterProperty {
  readonly name: string;
  /** Where it is in an entry, if it is in an object: `attributes.title`. */
  readonly path?: string;
  /** Whether its values are only true and false. */
  readonly isFlag?: boolean;
  readonly allowsFlag?: boolean;
  readonly allowsNumber?: boolean;
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
  const relationships = listRelationships(reader, schema).flatMap(({ name, property }) =>
    [name, `${name}Id`].map((own) => ({ name: own, path: property, isOrdered: false, isTime: false })),
  );
  const top = reader.getProperties(schema);
  const own = [...new Map([...listEntryProperties(reader, schema), ...top])].map(([path, pointer]) => {
    const name = top.has(path) ? path : path.slice(path.indexOf('.') + 1);
    const types = reader.getTypes(pointer);
    const isTime = isTimeProperty(reader, name, pointer);
    const isOrdered = isTime || types.includes('integer') || types.includes('number');
    const isFlag = types.length === 1 && types[0] === 'boolean';
    const allowsFlag = types.length === 0 || types.includes('boolean');
    const allowsNumber = reader.allowsNumber(pointer);
    const inner = reader.getItems(pointer);
    const isText = !isTime && !isIdName(name) && [types, inner ? reader.getTypes(inner) : []].flat().includes('string');
    const values: readonly unknown[] = [reader.getKeyword(pointer, 'enum') ?? []].flat().filter((one) => one !== null);
    const texts = values.filter((one) => typeof one === 'string');
    const listed = values.length > 0 && texts.length === values.length ? { values: texts } : {};
    const place = path === name ? {} : { path };
    const allowed = { isFlag, allowsFlag, allowsNumber, isList: types.includes('array') };
    return { name, ...place, isOrdered, isTime, ...allowed, isText, ...listed };
  });
  return [...own, ...relationships];
}

/** Matches the names of times whose schemas often lack a format: `timestamp`, `sentAt`, `created_at`. */
const TIME_PROPERTY = /^ts$|[Tt]imestamp$|[a-z](?:At|_at)$/;

/** Returns whether a property is a date or a time by its format, or by its name if it has no other format. */
function isTimeProperty(reader: SchemaReader, name: string, pointer: string): boolean {
  const format = reader.getKeyword(pointer, 'format');
  if (format === 'date' || format === 'date-time') return true;
  const isFree = reader.getTypes(pointer).includes('string') && format === undefined;
  const hasValues = reader.getKeyword(pointer, 'enum') !== undefined;
  return TIME_PROPERTY.test(name) && !hasValues && (isFree || reader.allowsNumber(pointer));
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
 * The values of a query parameter: any text, only numbers, only `true` and `false`, or others, such as the values of an
 * `enum`.
 */
export type ParameterKind = 'text' | 'number' | 'flag' | 'other';

/** Returns whether a parameter can be compared with a property: a time in a text is not compared with a number. */
function isComparable({ isTime, allowsFlag, allowsNumber }: FilterProperty, kind: ParameterKind): boolean {
  if (kind === 'flag') return allowsFlag === true;
  return kind !== 'number' || !isTime || allowsNumber === true;
}

/**
 * Returns what a query parameter selects; undefined if its name says nothing about the entries.
 * `labels`: the names from which the meaning is derived, the best first: `filter[name]` and `name`.
 */
export function findFilter(
  labels: readonly string[],
  properties: readonly FilterProperty[],
  kind: ParameterKind = 'other',
): ListFilter | undefined {
  const isText = kind === 'text';
  const own = labels.map((label) => normalizeName(label.replace(/\[\]$/, '')));
  const find = (name: string) => properties.find((property) => normalizeName(property.name) === name);
  // A text such as the name of a user can't be compared with a flag such as `favorited`, and a flag that includes
  // a list such as `channels` in the response does not select entries by it.
  const isFitting = (property: FilterProperty | undefined) =>
    property !== undefined && (isText ? !property.isFlag : kind !== 'flag' || property.allowsFlag === true);
  const isPlural = ({ name, isList }: FilterProperty) =>
    isList && own.some((one) => [`${one}s`, `${one}list`].includes(normalizeName(name)));
  // `?ids=1,2` selects entries by their `id`.
  const ids = own.includes('ids') ? find('id') : undefined;
  const equal = own.map(find).find(isFitting) ?? ids ?? properties.find((one) => kind !== 'flag' && isPlural(one));
  if (equal) return { property: equal.name, comparison: 'equal' };
  const flag = isText ? undefined : own.map((name) => findFlag(properties, name, kind === 'flag')).find(Boolean);
  const state = kind === 'flag' && !flag ? own.map((name) => findStateFilter(properties, name)).find(Boolean) : flag;
  if (state) return state;
  const comparable = properties.filter((property) => isComparable(property, kind));
  return (
    labels.map((label) => findCompared(label, comparable)).find((filter) => filter !== undefined) ??
    (kind !== 'flag' && own.some(isSearchName) ? { property: undefined, comparison: 'contains' } : undefined)
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
    properties.find(
      (one) => one.isFlag && [word, `is${word}`, `has${word}`, `${word}flag`].includes(normalizeName(one.name)),
    );
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

/** Matches the names of parameters that add entries in a state to a list, and those that limit the list to them. */
const STATE_FLAG = /^(?:include|show|with)(?<include>.{4,})$|^only(?<first>.{4,})$|^(?<last>.{4,})only$/;

/** Finds the state that a boolean parameter such as `includeCompleted`, `show_archived` or `unreadOnly` names. */
function findStateFilter(properties: readonly FilterProperty[], own: string): ListFilter | undefined {
  const { include, first, last } = STATE_FLAG.exec(own)?.groups ?? {};
  const name = include ?? first ?? last;
  if (name === undefined) return undefined;
  const mode = include === undefined ? 'only' : 'include';
  const [, opposite] = /^(?:un|in|non|not)(.{3,})$/.exec(name) ?? [];
  const find = (word: string, isEqual: boolean): ListFilter | undefined => {
    const words = [word, toSingular(word), ...listStateWords(word)];
    const isFlag = (one: FilterProperty) => words.some((text) => [text, `is${text}`].includes(normalizeName(one.name)));
    const values = properties.flatMap(({ name: property, values: texts = [] }) =>
      STATE_PROPERTIES.includes(normalizeName(property))
        ? texts.flatMap((text) => (words.includes(normalizeName(text)) ? [{ property, value: text as unknown }] : []))
        : [],
    );
    const flag = properties.find((one) => one.isFlag && isFlag(one));
    const time = properties.find((one) => one.isTime && words.some((text) => normalizeName(one.name) === `${text}at`));
    const found =
      values[0] ??
      (flag && { property: flag.name, value: true }) ??
      (time && { property: time.name, value: undefined });
    return found && { property: found.property, comparison: 'equal', state: { mode, value: found.value, isEqual } };
  };
  return find(name, true) ?? (opposite === undefined ? undefined : find(opposite, false));
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
  const set = all.filter(({ name: one }) => !SERVER_TIMES.test(normalizeName(one)) && !isCreationTimeName(one));
  const times = all.length > 1 && isTimed ? set : all;
  const starts = times.filter((time) => /^start/.test(normalizeName(time.name)));
  const [day, ...others] = starts.length > 0 && times.length === 2 ? starts : times;
  if (['date', 'day', 'ondate'].includes(name) && day && others.length === 0)
    return { property: day.name, comparison: 'day' };
  const onTime = Object.hasOwn(TIME_NAMES, name) ? TIME_NAMES[name] : undefined;
  return onTime && times.length === 1 && times[0] ? { property: times[0].name, comparison: onTime } : undefined;
}

/**
 * Returns what a parameter such as `since` selects if its description names one of several times: `updatedAt` for
 * `Only tasks updated since this time`.
 */
export function findDescribedTime(
  labels: readonly string[],
  description: string,
  properties: readonly FilterProperty[],
  kind: ParameterKind,
): ListFilter | undefined {
  const name = labels.map(normalizeName).find((one) => Object.hasOwn(TIME_NAMES, one));
  const words = splitWords(description);
  const times = properties.filter((one) => {
    const stem = normalizeName(one.name).replace(/(?:at|on|date|time)$/, '');
    return one.isTime && isComparable(one, kind) && stem !== '' && words.includes(stem);
  });
  const [only, ...others] = times;
  return name !== undefined && only && others.length === 0
    ? { property: only.name, comparison: TIME_NAMES[name] as Comparison }
    : undefined;
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

/**
 * Describes a filter, such as `dueBefore (dueDate)`. A filter for equal values has only its name, unless it has no word
 * of the property: `type (role)`.
 */
export function describeFilter(name: string, filter: ListFilter): string {
  const { property, comparison, inner, searched } = filter;
  if (inner !== undefined) return `${name} (${property})`;
  if (filter.isAll) return `${name} (all values)`;
  if (filter.isPhrase) return `${name} (contained in ${property})`;
  const [label, own] = [name, toSingular(property ?? name)].map(normalizeName) as [string, string];
  if (comparison === 'equal' && (label.includes(own) || own.includes(toSingular(label)))) return name;
  return `${name} (${property ?? searched?.join(', ') ?? 'all texts'})`;
}

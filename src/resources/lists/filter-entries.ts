import type { Input } from '../../application.ts';
import { isNode, pickKeys } from '../../openapi/document.ts';
import { parseNumber } from '../../openapi/typed-values.ts';
import type { Entry } from '../../store/state.ts';
import { isIdName, normalizeName, removeAccents } from '../../util/names.ts';
import { isSecretName } from '../../util/redact-secrets.ts';
import { getKeyValue, getOwn, getProperty } from '../entries/entry-values.ts';
import { PATH_VALUES } from '../resource.ts';
import type { Comparison, ListFilter } from './list-filters.ts';

/** A filter with the values of a request. */
interface WantedFilter extends ListFilter {
  readonly texts: readonly string[];
  /** The values that are equal to one of the texts. For an equal comparison, also the parts between commas. */
  readonly equal: EqualValues;
  /** The values that an entry must have all; empty if it needs only one of them. */
  readonly each: readonly EqualValues[];
  /** The words of the texts in lower case and without accents, or the whole texts. */
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
  // In `dog, cat`, the space after the comma is not part of the value.
  const parts =
    filter.comparison === 'equal' ? texts.flatMap((text) => text.split(',').map((part) => [part, part.trim()])) : [];
  const lower = texts.map(foldText);
  const words = filter.isPhrase ? lower : lower.flatMap((text) => text.split(/\s+/));
  return {
    ...filter,
    isRequired,
    texts,
    equal: createEqual(filter, [...new Set([...texts, ...parts.flat()])]),
    each: filter.isAll ? parts.map((part) => createEqual(filter, part)) : [],
    words: words.filter(Boolean),
  };
}

function createEqual({ ignoresCase = false }: ListFilter, texts: readonly string[]): EqualValues {
  return { texts, numbers: texts.map((text) => parseNumber(text)), ignoresCase };
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
  // `?status=done` selects entries that the list omits without `includeCompleted`.
  const isSelected = (property: string) =>
    [...filters].some(([name, one]) => !one.state && one.property === property && query[name] !== undefined);
  const isShown = ([name, { property = '', state }]: readonly [string, ListFilter], entry: Entry) => {
    if (!state) return true;
    const { mode, isDefault = false } = state;
    const isOn = query[name] === undefined ? mode === 'include' && isDefault : String(query[name]) === 'true';
    if (isOn === (mode === 'include')) return true;
    if (mode === 'include' && query[name] === undefined && isSelected(property)) return true;
    const own = getProperty(entry, property) ?? getProperty(complete(entry), property) ?? null;
    return ((state.value === undefined ? own !== null : own === state.value) === state.isEqual) === isOn;
  };
  const byState = [...filters].filter(([, { state }]) => state);
  const all = byState.length === 0 ? entries : entries.filter((entry) => byState.every((one) => isShown(one, entry)));
  const wanted = [...filters].flatMap(([name, filter]): readonly WantedFilter[] => {
    const value = filter.state ? undefined : query[name];
    return value === undefined ? [] : [createWanted(filter, [value].flat().map(String), required.includes(name))];
  });
  return wanted.reduce((rest, filter) => rest.filter((entry) => fits(entry, filter, complete)), all);
}

function fits(entry: Entry, filter: WantedFilter, complete: (entry: Entry) => Entry): boolean {
  const { property, isRequired, inner, key } = filter;
  if (key) return compare(getKeyValue(entry, key), filter);
  if (inner !== undefined) {
    const shown = [getOwn(entry, property ?? '')].flat();
    return shown.some((one) => compare(isNode(one) ? getOwn(one, inner) : undefined, filter));
  }
  if (property === undefined) return compare(pickSearched(complete(entry), filter), filter);
  const own = getProperty(entry, property);
  return own === undefined
    ? isRequired || compare(getProperty(complete(entry), property), filter)
    : compare(own, filter);
}

/** Returns the properties of an entry that a search reads, with what it reads of the entries that the entry shows. */
function pickSearched(entry: Entry, { searched, inside = new Map() }: ListFilter): Entry {
  if (searched) return Object.fromEntries(searched.map((name) => [name, getProperty(entry, name)]));
  const shown = [...inside].map(([property, names]) => {
    const pick = (value: unknown) => (isNode(value) ? pickKeys(value, names) : value);
    const value = getOwn(entry, property);
    return [property, Array.isArray(value) ? value.map(pick) : pick(value)] as const;
  });
  return shown.length === 0 ? entry : { ...entry, ...Object.fromEntries(shown) };
}

function compare(value: unknown, { comparison, texts, equal, each, words }: WantedFilter): boolean {
  if (each.length > 0) return each.every((one) => matches(value, one));
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
 * case and accents.
 * `word`: in lower case, without accents.
 */
function containsWord(value: unknown, word: string): boolean {
  if (typeof value === 'string') return foldText(value).includes(word) && !TIME.test(value) && !HASH.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((inner) => containsWord(inner, word));
  const object = value as Entry;
  const isHidden = (name: string) =>
    name === PATH_VALUES || isIdName(name) || isSecretName(name) || IMAGE.test(normalizeName(name));
  const names = Object.keys(object).filter((name) => !isHidden(name));
  return names.some((name) => containsWord(object[name], word));
}

/** Returns a text in lower case, without accents. */
function foldText(text: string): string {
  return removeAccents(text.toLowerCase());
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

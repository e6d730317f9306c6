import type { Delta, Effect } from './change.ts';
import {
  type Bound,
  type Constraints,
  hasAnyType,
  includesType,
  isStricter,
  TYPES,
  type Type,
} from './schema-constraints.ts';
import { type ComparedSchemas, createDelta, formatValue, joinWithOr } from './schema-pair.ts';
import { toCanonicalText } from './schema-parts.ts';

/** Returns the changes of the types of a schema. */
export function typeChanges(pair: ComparedSchemas): readonly Delta[] {
  const { old, now } = pair;
  const removed = old.types.filter((type) => !includesType(now.types, type));
  const added = now.types.filter((type) => !includesType(old.types, type));
  // If both schemas have enumerations, `enumChanges` reports more specific changes.
  if (
    (removed.length === 0 && added.length === 0) ||
    (old.enumValues && now.enumValues && getSharedTypes(pair).length > 0)
  )
    return [];
  const message = `can be ${formatTypes(now.types)} instead of ${formatTypes(old.types)}`;
  return [createDelta(pair, getEffect(removed.length > 0, added.length > 0), 'type', message)];
}

/**
 * Returns the types that a value can have in both versions.
 * Only the constraints on these types are compared.
 */
export function getSharedTypes({ old, now }: ComparedSchemas): readonly Type[] {
  return now.types.filter((type) => includesType(old.types, type));
}

/**
 * Formats types for a message, such as "a number or null".
 * Omits `integer` if `number` is in the list.
 */
export function formatTypes(types: readonly Type[]): string {
  if (types.length === TYPES.length) return 'anything';
  const words = types.filter((type) => type !== 'integer' || !types.includes('number'));
  const sorted = words.toSorted((one, other) => Number(one === 'null') - Number(other === 'null'));
  return sorted.length === 0 ? 'nothing' : joinWithOr(sorted.map(withArticle));
}

function withArticle(type: Type): string {
  return type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function getEffect(isNarrower: boolean, isWider: boolean): Effect {
  if (isNarrower && isWider) return 'different';
  return isNarrower ? 'narrower' : 'wider';
}

/** Returns the changes of enumerations: values that are no longer valid, and values that are newly valid. */
export function enumChanges(pair: ComparedSchemas): readonly Delta[] {
  const { old, now } = pair;
  const removed = (old.enumValues ?? []).filter((value) => !isAllowed(value, now));
  const added = (now.enumValues ?? []).filter((value) => !isAllowed(value, old));
  const typesNow = getSharedTypes(pair).filter((type) => type !== 'null');
  const key = getEnumKey(pair);
  return [
    ...(removed.length > 0
      ? [createDelta(pair, 'narrower', key, `can no longer be ${joinWithOr(removed.map(formatValue))}`)]
      : []),
    ...(added.length > 0 ? [createDelta(pair, 'wider', key, `can also be ${joinWithOr(added.map(formatValue))}`)] : []),
    ...(!old.enumValues && now.enumValues && !listsAll(now.enumValues, typesNow)
      ? [createDelta(pair, 'narrower', key, `can only be ${joinWithOr(now.enumValues.map(formatValue))}`)]
      : []),
    ...(old.enumValues && !now.enumValues && !listsAll(old.enumValues, typesNow)
      ? [createDelta(pair, 'wider', key, `can be other values than ${joinWithOr(old.enumValues.map(formatValue))}`)]
      : []),
  ];
}

function getEnumKey({ before, after }: ComparedSchemas): string {
  return [...after, ...before].some(({ node }) => 'enum' in node) ? 'enum' : 'const';
}

/**
 * Returns whether an enumeration has all values of its types.
 * This is possible only for booleans and null, because all other types have too many values.
 */
function listsAll(enumValues: readonly unknown[], types: readonly Type[]): boolean {
  return types.every((type) => type === 'boolean' && enumValues.includes(true) && enumValues.includes(false));
}

/**
 * Returns whether a value of an enumeration satisfies the constraints of a schema on texts, numbers and enumerations.
 */
function isAllowed(value: unknown, constraints: Constraints): boolean {
  if (
    constraints.enumValues &&
    !constraints.enumValues.some((enumValue) => toCanonicalText(enumValue) === toCanonicalText(value))
  )
    return false;
  if (!hasAnyType(value, constraints.types)) return false;
  if (typeof value === 'number') return isWithin(value, constraints);
  if (typeof value !== 'string') return true;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = constraints.counts;
  const length = [...value].length;
  return length >= minLength && length <= maxLength && constraints.patterns.every((pattern) => matches(pattern, value));
}

function isWithin(value: number, { lower, upper, multiples }: Constraints): boolean {
  const own = { value, isExclusive: false };
  return !isStricter(lower, own, 1) && !isStricter(upper, own, -1) && multiples.every((one) => isMultiple(value, one));
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

/** Returns the changes of the constraints on numbers. */
export function numberChanges(pair: ComparedSchemas): readonly Delta[] {
  const { old, now } = pair;
  return [
    ...boundChange(pair, old.lower, now.lower, { inwards: 1, key: 'minimum', word: 'least' }),
    ...boundChange(pair, old.upper, now.upper, { inwards: -1, key: 'maximum', word: 'most' }),
    ...multipleOfChange(pair),
  ];
}

interface Side {
  readonly inwards: 1 | -1;
  readonly key: string;
  readonly word: string;
}

function boundChange(
  pair: ComparedSchemas,
  old: Bound | undefined,
  now: Bound | undefined,
  side: Side,
): readonly Delta[] {
  const isNarrower = isStricter(now, old, side.inwards);
  if (!isNarrower && !isStricter(old, now, side.inwards)) return [];
  const exclusiveKey = `exclusive${side.key.charAt(0).toUpperCase()}${side.key.slice(1)}`;
  const isPlain = [...pair.after, ...pair.before].some(({ node }) => node[side.key] !== undefined);
  const key = isPlain ? side.key : exclusiveKey;
  return [createDelta(pair, isNarrower ? 'narrower' : 'wider', key, describeBounds(old, now, side))];
}

function describeBounds(old: Bound | undefined, now: Bound | undefined, side: Side): string {
  if (!now) return `has no ${side.key} any more, which was ${old?.value}`;
  if (!old) return `must be ${formatBound(now, side)}, and had no ${side.key}`;
  const instead = old.isExclusive || now.isExclusive ? formatBound(old, side) : old.value;
  return `can be ${formatBound(now, side)} instead of ${instead}`;
}

function formatBound(bound: Bound, { inwards, word }: Side): string {
  if (bound.isExclusive) return `${inwards === 1 ? 'above' : 'below'} ${bound.value}`;
  return `at ${word} ${bound.value}`;
}

function multipleOfChange(pair: ComparedSchemas): readonly Delta[] {
  const isWhole = !getSharedTypes(pair).includes('number');
  const [old, now] = [pair.old, pair.now].map(({ multiples }) => multiples.filter((one) => !(isWhole && one === 1)));
  if (!old || !now || toCanonicalText(old) === toCanonicalText(now)) return [];
  const isNarrower = now.some((one) => !old.some((other) => isMultiple(other, one)));
  const isWider = old.some((one) => !now.some((other) => isMultiple(other, one)));
  if (!isNarrower && !isWider) return [];
  const words = (list: readonly number[]) => (list.length > 0 ? `a multiple of ${list.join(' and ')}` : 'any number');
  return [createDelta(pair, getEffect(isNarrower, isWider), 'multipleOf', `is ${words(now)} instead of ${words(old)}`)];
}

/** Returns whether a number is a multiple of another number, ignoring rounding errors of binary fractions. */
function isMultiple(value: number, of: number): boolean {
  return Math.abs(value / of - Math.round(value / of)) < 1e-9;
}

/** The keywords that limit a count, with their types and units. */
const COUNT_KEYWORDS: readonly (readonly [key: string, type: Type, unit: string])[] = [
  ['minLength', 'string', 'characters'],
  ['maxLength', 'string', 'characters'],
  ['minItems', 'array', 'entries'],
  ['maxItems', 'array', 'entries'],
  ['minProperties', 'object', 'properties'],
  ['maxProperties', 'object', 'properties'],
];

/** Returns the changes of the lengths of texts, lists and objects. */
export function countChanges(pair: ComparedSchemas): readonly Delta[] {
  return COUNT_KEYWORDS.filter(([, type]) => getSharedTypes(pair).includes(type)).flatMap(([key, , unit]) => {
    const isLeast = key.startsWith('min');
    const [old, now] = [pair.old, pair.now].map(
      ({ counts }) => counts[key] ?? (isLeast ? 0 : Number.POSITIVE_INFINITY),
    );
    if (old === undefined || now === undefined || old === now) return [];
    const words = (count: number) =>
      Number.isFinite(count) ? `at ${isLeast ? 'least' : 'most'} ${count} ${unit}` : `any number of ${unit}`;
    const isNarrower = isLeast ? now > old : now < old;
    return [createDelta(pair, isNarrower ? 'narrower' : 'wider', key, `has ${words(now)} instead of ${words(old)}`)];
  });
}

/** Matches a pattern that each text matches, such as `.*`. */
const OPEN_PATTERN = /^\^?(?:\.\*)?\$?$/;

/**
 * Returns the changes of patterns.
 * Patterns can't be compared, so a different pattern counts as breaking.
 */
export function textChanges(pair: ComparedSchemas): readonly Delta[] {
  const { old, now } = pair;
  const removed = old.patterns.filter((pattern) => !now.patterns.includes(pattern) && !OPEN_PATTERN.test(pattern));
  const added = now.patterns.filter((pattern) => !old.patterns.includes(pattern) && !OPEN_PATTERN.test(pattern));
  if (removed.length === 0 && added.length === 0) return [];
  const words = (patterns: readonly string[]) => (patterns.length > 0 ? patterns.join(' and ') : 'any text');
  const message = `matches ${words(now.patterns)} instead of ${words(old.patterns)}`;
  return [createDelta(pair, getEffect(added.length > 0, removed.length > 0), 'pattern', message)];
}

/** Formats that allow all values of their type: formats that are only documentation, and the largest number formats. */
const OPEN_FORMATS: ReadonlySet<string> = new Set(['password', 'int64', 'double']);

/**
 * The wider formats of each format.
 * All values of the format are also valid in the wider formats.
 */
const WIDER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64', 'double'],
  float: ['double'],
  uri: ['uri-reference', 'iri', 'iri-reference'],
  url: ['uri', 'uri-reference'],
  'uri-reference': ['iri-reference'],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
};

/** Returns the changes of formats. */
export function formatChanges(pair: ComparedSchemas): readonly Delta[] {
  const { old, now } = pair;
  if (toCanonicalText(old.formats) === toCanonicalText(now.formats)) return [];
  const [narrow, wide] = [
    now.formats.some((format) => !isIncluded(format, old.formats)),
    old.formats.some((format) => !isIncluded(format, now.formats)),
  ];
  const words = (formats: readonly string[]) =>
    formats.length > 0 ? `the format ${formats.join(' and ')}` : 'no format';
  const effect = narrow || wide ? getEffect(narrow, wide) : 'neutral';
  return [createDelta(pair, effect, 'format', `has ${words(now.formats)} instead of ${words(old.formats)}`)];
}

/** Returns whether each value that is valid in all `formats` is also valid in `format`. */
function isIncluded(format: string, formats: readonly string[]): boolean {
  return OPEN_FORMATS.has(format) || formats.some((one) => one === format || WIDER_FORMATS[one]?.includes(format));
}

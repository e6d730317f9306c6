import { splitWords, toSingular } from '../../util/names.ts';
import {
  type FilterProperty,
  findDescribedTime,
  findFilter,
  type ListFilter,
  type ParameterKind,
} from './list-filters.ts';
import { findSearched } from './searched-properties.ts';

/** A function that returns the value of a keyword, such as `default`, in the schema at a JSON Pointer. */
export type GetKeyword = (schema: string, keyword: string) => unknown;

/** The parts of a query parameter that say what it selects. */
interface FilterParameter {
  readonly labels: readonly string[];
  /** The JSON Pointer of the schema. */
  readonly schema: string;
  /** The types of its values, except null. */
  readonly types: readonly unknown[];
  readonly description: string;
}

/**
 * Returns what a query parameter selects by its name, its type and its description.
 * Returns undefined if it selects nothing.
 */
export function findParameterFilter(
  { labels, schema, types, description }: FilterParameter,
  properties: readonly FilterProperty[],
  getKeyword: GetKeyword,
): ListFilter | undefined {
  const kind = getKind(types, getKeyword(schema, 'enum') !== undefined);
  const filter =
    findFilter(labels, properties, kind) ??
    findDescribedTime(labels, description, properties, kind) ??
    findDescribedSearch(labels, description, properties, kind) ??
    findSameValues(getKeyword(schema, 'enum'), properties);
  if (!filter) return undefined;
  const toPath = (property: string) => properties.find(({ name }) => name === property)?.path ?? property;
  const searched = filter.property === undefined ? findSearched(description, properties) : undefined;
  return {
    ...filter,
    ...readComparison(filter, kind, description, properties),
    ...(filter.property !== undefined && { property: toPath(filter.property) }),
    ...(searched && { searched: searched.map(toPath) }),
    ...(filter.state && { state: { ...filter.state, isDefault: getKeyword(schema, 'default') === true } }),
  };
}

function getKind(types: readonly unknown[], isEnum: boolean): ParameterKind {
  const isOnly = (...known: readonly string[]) =>
    types.length > 0 && types.every((type) => known.includes(String(type)));
  if (isOnly('boolean')) return 'flag';
  if (isOnly('integer', 'number')) return 'number';
  return isOnly('string') && !isEnum ? 'text' : 'other';
}

/** Returns how a description changes the comparison with equal values. */
function readComparison(
  { property, comparison }: ListFilter,
  kind: ParameterKind,
  description: string,
  properties: readonly FilterProperty[],
): Partial<ListFilter> {
  const own = properties.find(({ name }) => name === property);
  if (comparison !== 'equal' || !own) return {};
  if (own.isList) return needsAll(description, own.name) ? { isAll: true } : {};
  if (kind === 'text' && own.isText && !own.values && saysContained(description))
    return { comparison: 'contains', isPhrase: true };
  return /case[- ]?insensitive|ignor\w+ case/i.test(description) ? { ignoresCase: true } : {};
}

/** Words that say that a text is part of a value. */
const CONTAINED = new RegExp(
  [
    '\\bcontain(?:s|ing|ed)?\\b',
    '\\bpartial(?:ly)?\\b',
    '\\bsub-?strings?\\b',
    '\\b(?:with|ha(?:s|ve|ving)|includ(?:es?|ing)) (?:this|the|the given|the specified|a given) (?:text|string|term|phrase|words?)\\b',
  ].join('|'),
);

/** Text about the form of a value, such as `must contain only letters`, or about the opposite: `no partial match`. */
const NOT_CONTAINED =
  /\bexact(?:ly)?\b|\b(?:must|may|can|cannot|should|shall|not|no)(?: \w+)? contain|\b(?:not|no|without)(?: \w+){0,3} (?:partial|sub-?string)|\bcontain(?:s|ing)? only\b|\b(?:string|text|list|value|values|array|object|json|token) (?:that )?contain(?:s|ing)\b/;

/** Returns whether a description says that the text is part of a value: `with this text in their title`. */
function saysContained(description: string): boolean {
  const text = description.toLowerCase().replaceAll(/\s+/g, ' ');
  return CONTAINED.test(text) && !NOT_CONTAINED.test(text);
}

/** Names of parameters that search entries only if their description says so, without separators. */
const FILTER_NAME = /^(?:filters?|find|match|contains)$/i;

/** Words about expressions in a language of their own. */
const EXPRESSION = /\b(?:expressions?|syntax|operators?|odata|rsql|fiql|json|query language|regex\w*)\b/i;

/** Returns the search of a parameter such as `filter`, whose description names the properties that it searches. */
function findDescribedSearch(
  labels: readonly string[],
  description: string,
  properties: readonly FilterProperty[],
  kind: ParameterKind,
): ListFilter | undefined {
  if (kind !== 'text' || !labels.some((label) => FILTER_NAME.test(label)) || EXPRESSION.test(description))
    return undefined;
  const isSearch = saysContained(description) || /\bsearch/i.test(description);
  return isSearch && findSearched(description, properties)
    ? { property: undefined, comparison: 'contains' }
    : undefined;
}

/** Returns the filter by the only property with the `enum` of a parameter: `type` for the `role` of users. */
function findSameValues(values: unknown, properties: readonly FilterProperty[]): ListFilter | undefined {
  if (!Array.isArray(values) || values.length < 2) return undefined;
  const [only, ...others] = properties.filter(
    (one) => one.values?.length === values.length && values.every((value) => one.values?.includes(value)),
  );
  return only && others.length === 0 ? { property: only.name, comparison: 'equal' } : undefined;
}

/** Returns whether an entry needs all values of a list by a description: `with all of these tags`, `AND condition`. */
function needsAll(description: string, property: string): boolean {
  const text = splitWords(description).join(' ');
  const plural = splitWords(property).join(' ');
  const names = [plural, toSingular(plural), 'values', 'items', 'of'].join('|');
  const adjectives = '(?: (?:the|these|those|its|given|specified|listed|provided|selected|comma separated))*';
  const whole = new RegExp(
    `\\b(?:with|ha(?:ve|s|ving)|contain\\w*|match\\w*|includ(?:es|ing)|carry\\w*) (?:all|every|each)${adjectives} (?:${names})\\b`,
  );
  const isJoined = /\b(?:logical and|and (?:condition|logic|semantics|operator))\b/.test(text);
  return (whole.test(text) || isJoined) && !/\b(?:any|at least one|one of|or)\b/.test(text);
}

import { joinWords, normalizeName, removeAccents, splitWords, toSingular } from '../../util/names.ts';
import {
  type FilterProperty,
  findDescribedTime,
  findFilter,
  type ListFilter,
  type ParameterKind,
} from './list-filters.ts';

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
  known: readonly FilterProperty[],
  getKeyword: GetKeyword,
): ListFilter | undefined {
  const isTime = TIME_FORMATS.includes(String(getKeyword(schema, 'format'))) || TIME_WORDS.test(description);
  const kind = getKind(types, getKeyword(schema, 'enum') !== undefined);
  const find = (properties: readonly FilterProperty[]) =>
    findDescribedText(labels, description, properties, kind) ??
    findFilter(labels, properties, kind) ??
    findDescribedTime(labels, description, properties, kind) ??
    findDescribedSearch(labels, description, properties, kind) ??
    findSameValues(getKeyword(schema, 'enum'), properties);
  const own = find(known);
  const fits = known.some(({ name, isTime: isOwn }) => isOwn && name === own?.property);
  const properties = isTime && !fits ? known.map(toTime) : known;
  const filter = properties === known ? own : find(properties);
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

/**
 * Returns the filter by the text whose name is the whole description of a parameter with the name of a limit:
 * `Departure city` of `from` is the `departureCity`.
 */
function findDescribedText(
  labels: readonly string[],
  description: string,
  properties: readonly FilterProperty[],
  kind: ParameterKind,
): ListFilter | undefined {
  const words = normalizeName(splitWords(description.replace(/^\s*(?:filters? by |the )+/i, '')).join(' '));
  const isLimit = labels.some((label) => ['from', 'to', 'since', 'until'].includes(normalizeName(label)));
  if (kind !== 'text' || !isLimit || words === '') return undefined;
  const own = properties.find(({ name, isText, isList }) => isText && !isList && normalizeName(name) === words);
  return own && { property: own.name, comparison: 'equal' };
}

/** The formats of dates and times, and words for them in a description. */
const TIME_FORMATS = ['date', 'date-time'];
const TIME_WORDS = /\brfc ?3339\b|\biso[- ]?8601\b|\byyyy-mm-dd\b/i;

/** Returns a text such as `date` without a format as a time, because a query parameter compares it with one. */
function toTime(property: FilterProperty): FilterProperty {
  const { name, isText, isList, values } = property;
  const isDate = isText && !isList && !values && /\bdate ?(?:time)?$/.test(joinWords(name));
  return isDate ? { ...property, isTime: true, isOrdered: true } : property;
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

/** Words of a description that says that a search also reads other properties than it names, in several languages. */
const OF_ALL = new RegExp(
  `\\b(?:${[
    'all|any|every|etc|e\\.?g|such as|like|including|full[- ]?text|fields?|properties',
    'tous|toutes?|tout|chaque|champs?|comme|notamment|exemple|ex|texte integral',
    'tod[oa]s? (?:el|l[oa]s|[oa]s?)|cualquier|campos?|como|ejemplo|qualquer|exemplo|incluindo|incluyendo',
    'alle[mnrs]?|jede[mnrs]?|felder\\w*|wie|usw|z\\.?\\s?b|volltext|tutt[ie]|ogni|campi|come|ecc|esempio',
  ].join('|')})\\b`,
);

/** Matches a search in the full text of properties, and the names behind it: `Full-text search on title and body`. */
const FULL_TEXT = /^full[- ]?text (?:search )?(?:query |term |string )?(?:for|in|on|over|across|of) ([^.;(\n]+)/;

/** Matches an operation that searches by properties, and their names: `Search for visible channels by name`. */
const SEARCHES_BY = /\bsearch(?:es|ing)?\b((?:(?! by )[^.,;:(\n])*) by ([^.;(\n]+)/;

/** Matches the end of a text before a `by` that is not about the search: `books written`, `books and sort`. */
const OTHER_BY =
  /[^e]ed$|\b(?:written|sent|made|taken|given|drawn|shown|held|led|run|built|bought|sold|sung|read|chosen)$|\b(?:sort|order|group|filter|rank)(?:ing)?$/;

/**
 * Returns the text properties that an operation searches by its summary and its description, if they are all that it
 * names, and no query parameter filters by one of them.
 * `filtered`: the properties by which query parameters filter.
 */
export function findOperationSearch(
  texts: readonly string[],
  properties: readonly FilterProperty[],
  filtered: readonly (string | undefined)[],
): readonly string[] | undefined {
  const found = texts.flatMap((text) => {
    const [, before = '', listed] = SEARCHES_BY.exec(text.toLowerCase().replaceAll(/\s+/g, ' ')) ?? [];
    return listed === undefined || OTHER_BY.test(before) ? [] : [readNames(listed, properties)];
  });
  const [first] = found;
  const paths = first?.map((name) => properties.find((one) => one.name === name)?.path ?? name);
  const isSure = found.every((names) => names?.join() === first?.join());
  return isSure && paths && !paths.some((path) => filtered.includes(path)) ? paths : undefined;
}

/**
 * Returns the text properties that the description of a search names: `title` and `author` for `Search term for title
 * or author`. Returns undefined if it names none, or other properties too.
 */
function findSearched(description: string, properties: readonly FilterProperty[]): readonly string[] | undefined {
  const [, listed] = FULL_TEXT.exec(description.toLowerCase()) ?? [];
  if (listed !== undefined) return readNames(listed, properties);
  if (OF_ALL.test(removeAccents(description).toLowerCase())) return undefined;
  const text = splitWords(description).join(' ');
  const [, after] = /\b(?:by|in|for|of|on|within|across|against|match\w*|contain\w*) (.+)$/.exec(text) ?? [];
  if (after === undefined) return findListed(description, properties);
  const names = properties.flatMap(({ name, isText, isList }) => {
    const words = splitWords(name).join(' ');
    const one = isList ? toSingular(words) : words;
    return isText && words !== '' && new RegExp(`\\b(?:${words}|${one})(?:s|es)?\\b`).test(after) ? [name] : [];
  });
  return names.length === 0 ? findListed(description, properties) : names;
}

/** Matches words before the properties that a search reads, in languages other than English. */
const BEFORE_NAMES =
  /(?:^|\s)(?:par|dans|sur|selon|por|en|sobre|segun|em|pel[oa]s?|nach|uber|in|per|su|op|naar)(?=\s)/g;

/** Matches what separates the names of properties: a comma, a slash, or a word for `or` or `and`. */
const SEPARATOR = /[,/|]|\s(?:ou|o|u|oder|und|et|e|y|or|and|of|en)\s/;

/** Matches words before the name of a property in a list of names. */
const ARTICLES =
  /^(?:(?:par|dans|sur|por|en|em|nach|in|per|the|le|la|les|l'|el|los|las|o|a|os|as|der|die|das|dem|den|il|lo|son|sa|su|seu|sua)\s+|l')+/;

/** Matches words after the name of a property, such as `de l'utilisateur`. */
const REST = /^(?:de|du|des|d'|del|do|da|dos|das|der|von|vom|di|dans|en|em|in)(?![a-z])/;

/**
 * Returns the text properties in a description in any language that lists only such properties after a preposition, as
 * in `Recherche par nom ou email`, or that consists of at least two of their names.
 */
function findListed(description: string, properties: readonly FilterProperty[]): readonly string[] | undefined {
  const [first = ''] = removeAccents(description)
    .toLowerCase()
    .split(/[.;(\n]/);
  const text = first.replaceAll('\u2019', "'").trim();
  const lists = [...text.matchAll(BEFORE_NAMES)].map((match) => text.slice(match.index + match[0].length));
  const named = lists.map((list) => readNames(list, properties)).find((names) => names !== undefined);
  if (named) return named;
  const all = readNames(text.slice(text.indexOf(':') + 1), properties);
  return all && all.length > 1 ? all : undefined;
}

/** Returns the text properties that a list of names consists of. Returns undefined if it has another word. */
function readNames(list: string, properties: readonly FilterProperty[]): readonly string[] | undefined {
  const parts = list.split(SEPARATOR).map((part) => part.trim().replace(ARTICLES, ''));
  const found = parts.map((part) => properties.find((property) => property.isText && startsWithName(part, property)));
  const names = found.flatMap((property) => property?.name ?? []);
  return names.length === parts.length ? [...new Set(names)] : undefined;
}

/** Returns whether a text is the name of a property, with nothing behind it but words such as `of the user`. */
function startsWithName(text: string, { name }: FilterProperty): boolean {
  const words = text.split(/\s+/);
  return words.some((_word, index) => {
    const start = normalizeName(words.slice(0, index + 1).join(' '));
    const rest = words.slice(index + 1).join(' ');
    return [normalizeName(name), `${normalizeName(name)}s`].includes(start) && (rest === '' || REST.test(rest));
  });
}

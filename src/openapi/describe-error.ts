import type { ErrorObject } from 'ajv';
import type { IssueParts } from '../util/issue.ts';
import { describeInexact, EXACT_REMEDY, isInexactInteger, TOO_DEEP, TOO_DEEP_REMEDY } from '../util/limits.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { suggestName } from '../util/names.ts';
import { listKeywordTypes } from './schema-parts.ts';
import { getUnknownName } from './schema-validator.ts';

/** The schema keywords that are used to tell how to correct a value, such as `use an integer from 1 to 10`. */
interface DescribedSchema
  extends Partial<
      Readonly<
        Record<
          'description' | 'type' | 'format' | 'pattern' | 'contentMediaType' | 'contentEncoding' | 'x-unit',
          string
        >
      >
    >,
    Partial<Readonly<Record<'minimum' | 'maximum' | 'multipleOf' | 'minLength' | 'maxLength', number>>>,
    Partial<Readonly<Record<'exclusiveMinimum' | 'exclusiveMaximum' | 'minItems' | 'maxItems', number>>> {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly required?: readonly string[];
  readonly not?: DescribedSchema;
  readonly anyOf?: readonly DescribedSchema[];
  readonly oneOf?: readonly DescribedSchema[];
}

/**
 * Describes a validation error: the violated rule, the problem and the remedy.
 * `error`: an error of an ajv instance with the option `verbose`.
 */
export function describeError(error: ErrorObject): IssueParts {
  return { rule: error.keyword, problem: getProblem(error), remedy: getRemedy(error) };
}

function getProblem(error: ErrorObject): string {
  const { keyword, params, data, message, propertyName } = error;
  if (keyword === 'unusable') return String(message);
  if (keyword === 'required' || keyword === 'dependentRequired') return 'is missing';
  if (getUnknownName(error) !== undefined) return 'is unknown';
  if (propertyName !== undefined) return 'is not a valid name';
  if (keyword === 'depth') return TOO_DEEP;
  if (keyword === 'exact') return describeInexact(data as string);
  if (typeof data === 'number' && !Number.isFinite(data)) return 'is a number too large to be represented';
  if (keyword === 'maximum') return `${data} is above the maximum of ${params.limit}`;
  if (keyword === 'minimum') return `${data} is below the minimum of ${params.limit}`;
  if (keyword === 'exclusiveMinimum') return `${data} is not greater than ${params.limit}`;
  if (keyword === 'exclusiveMaximum') return `${data} is not less than ${params.limit}`;
  return isRepeatedParameter(error) ? 'is sent more than once' : `is ${JSON.stringify(shorten(data))}`;
}

function getRemedy(error: ErrorObject): string {
  const { keyword, params, parentSchema } = error;
  const schema = (parentSchema ?? {}) as DescribedSchema;
  if (keyword === 'required') return `add ${describeMissing(schema.properties?.[params.missingProperty] ?? {})}`;
  if (keyword === 'dependentRequired') return `add it, because ${params.property} requires it`;
  const unknownName = getUnknownName(error);
  if (unknownName !== undefined) return suggestName(unknownName, getPropertyNames(schema));
  if (keyword === 'minProperties' || keyword === 'maxProperties') return describePropertyCount(error, schema);
  if (keyword === 'false schema') return 'remove it';
  if (keyword === 'depth') return TOO_DEEP_REMEDY;
  if (keyword === 'exact' || isInexactText(error)) return EXACT_REMEDY;
  if (keyword === 'style') return `begin it with ${params.prefix}`;
  if (keyword === 'finite') return `use a number of at most ${Number.MAX_VALUE}`;
  if (isRepeatedParameter(error)) return 'send it once';
  if (keyword === 'type' && Array.isArray(error.data) && isFile(schema)) return 'send only one file';
  const range = keyword === 'format' && typeof error.data === 'number' ? FORMAT_RANGES[params.format] : undefined;
  if (range !== undefined) return `use an integer ${range}`;
  return (
    getMatchesRemedy(error, schema) ??
    getArrayRemedy(error) ??
    getPropertyRuleRemedy(keyword, schema) ??
    `use ${describeExpected(schema)}`
  );
}

/** Tells how many properties an object must have. Lists the documented properties if one of them is enough. */
function describePropertyCount({ keyword, params }: ErrorObject, schema: DescribedSchema): string {
  const names = getPropertyNames(schema);
  const count = params.limit === 1 ? '1 property' : `${params.limit} properties`;
  if (keyword === 'maxProperties') return `use an object with at most ${count}`;
  return params.limit === 1 && names.length > 0
    ? `add at least one of ${joinWithOr(names)}`
    : `use an object with at least ${count}`;
}

/**
 * The ranges of the formats of integers (OpenAPI 3.0, section 4.4).
 * They are texts, because JavaScript can't represent all of the numbers.
 */
const FORMAT_RANGES: Readonly<Record<string, string>> = {
  int32: 'from -2147483648 to 2147483647',
  int64: 'from -9223372036854775808 to 9223372036854775807',
};

/** Tells which alternatives of a `oneOf` a value matches, if it matches several. Returns undefined for other errors. */
function getMatchesRemedy({ keyword, params }: ErrorObject, { oneOf = [] }: DescribedSchema): string | undefined {
  if (keyword !== 'oneOf' || !Array.isArray(params.passingSchemas)) return undefined;
  if (oneOf.length > 0 && oneOf.every(isOnlyRequired))
    return `use only ${joinAlternatives(oneOf.map(({ required = [] }) => required))}`;
  const [first, second] = params.passingSchemas.map((index: number) => index + 1);
  return `use a value that matches one alternative of oneOf, and not both number ${first} and number ${second}`;
}

function getPropertyNames({ properties = {} }: DescribedSchema): readonly string[] {
  return Object.keys(properties);
}

/** Returns whether a text was sent instead of a number, and the text is an integer that can't be represented. */
function isInexactText({ keyword, data, parentSchema }: ErrorObject): boolean {
  const { type, format } = (parentSchema ?? {}) as DescribedSchema;
  const isNumber = [type].flat().some((name) => name === 'integer' || name === 'number') || format === 'int64';
  return keyword === 'type' && isNumber && typeof data === 'string' && isInexactInteger(data);
}

function isRepeatedParameter({ keyword, data, instancePath, parentSchema }: ErrorObject): boolean {
  if (!Array.isArray(data) || !instancePath.startsWith('/query/')) return false;
  const { anyOf, oneOf } = (parentSchema ?? {}) as DescribedSchema;
  const alternatives = { anyOf, oneOf }[keyword] ?? [];
  return keyword === 'type' || (alternatives.length > 0 && alternatives.every(({ type }) => type !== 'array'));
}

/**
 * Tells how to correct an array that violates a keyword about its entries, such as `uniqueItems`.
 * Returns undefined for other keywords.
 */
function getArrayRemedy({ keyword, params }: ErrorObject): string | undefined {
  if (keyword === 'uniqueItems') return `use different entries: the entries ${params.i} and ${params.j} are equal`;
  // The schema has `items: false` after `prefixItems`, which limits the number of entries.
  if (keyword === 'items' || keyword === 'unevaluatedItems')
    return `use an array with at most ${countEntries(params.limit)}`;
  if (keyword !== 'contains') return undefined;
  const { minContains, maxContains } = params;
  const limit = maxContains === undefined ? `at least ${minContains}` : `${minContains} to ${maxContains}`;
  return `use an array in which ${limit} entries match the schema of contains`;
}

/**
 * Tells how to correct an object that violates a rule about combinations of properties, with `anyOf` or `not`.
 * Returns the description of the schema, else a list of the properties.
 * Returns undefined for other keywords.
 */
function getPropertyRuleRemedy(keyword: string, schema: DescribedSchema): string | undefined {
  const { description, type, not, anyOf = [] } = schema;
  const { oneOf = [] } = schema;
  const alternatives = keyword === 'oneOf' ? oneOf : anyOf;
  const isPropertyRule = keyword === 'not' || (keyword.endsWith('Of') && alternatives.some(isOnlyRequired));
  if (!isPropertyRule) return undefined;
  if (description !== undefined && type === undefined)
    return description.charAt(0).toLowerCase() + description.slice(1);
  if (not) return isOnlyRequired(not) ? `remove ${joinWithOr(not.required ?? [])}` : 'use another value';
  return alternatives.every(isOnlyRequired)
    ? `add ${joinAlternatives(alternatives.map(({ required = [] }) => required))}`
    : undefined;
}

function isOnlyRequired(schema: DescribedSchema): boolean {
  return Object.keys(schema).join() === 'required';
}

function joinAlternatives(alternatives: readonly (readonly string[])[]): string {
  if (alternatives.every(({ length }) => length === 1)) return joinWithOr(alternatives.flat());
  return alternatives.map((names) => names.join(' and ')).join(', or ');
}

/** Describes the values that a schema allows, such as `an integer from 1 to 10`. */
const describeExpected = memoizeByObject((schema: DescribedSchema) => describeSchema(schema));

/** Describes the values that a missing property can have. Returns `it` if the schema allows any value. */
const describeMissing = memoizeByObject((schema: DescribedSchema) => describeSchema(schema, 'it'));

function describeSchema(schema: DescribedSchema, fallback = 'another value'): string {
  const unit = schema['x-unit'];
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return describeValues(schema.enum);
  const types: unknown = schema.type;
  const alternatives = Array.isArray(types)
    ? types.map((type): DescribedSchema => ({ ...schema, type }))
    : (schema.anyOf ?? schema.oneOf);
  if (alternatives) return joinWithOr([...new Set(alternatives.map((alternative) => describeSchema(alternative)))]);
  // The schemas in `allOf`, and those of property names, often have no type.
  const [type] = schema.type === undefined ? (listKeywordTypes(schema) ?? []) : [schema.type];
  if (type === 'integer') return `an integer${describeRange(schema)}${unit ? ` (${unit})` : ''}`;
  if (type === 'number')
    return `a number${describeRange(schema)}${schema.format === 'float' ? ' with single precision' : ''}`;
  if (type === 'array') return `an array${describeCount(schema)}`;
  if (type === 'string') return isFile(schema) ? 'a file' : describeString(schema);
  return TYPE_NAMES[type ?? ''] ?? fallback;
}

/** Returns whether a field of a multipart form is a file. */
function isFile({ format, contentMediaType, contentEncoding }: DescribedSchema): boolean {
  return format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);
}

/**
 * The maximum number of allowed values in a message, and the maximum length of the text with these values, in
 * characters.
 */
const MAX_ALLOWED = { values: 100, characters: 1_000 };

/** Lists the allowed values of an `enum`. A response can have this text for each of 1,000 invalid values. */
function describeValues(values: readonly unknown[]): string {
  const listed: string[] = [];
  let characters = 0;
  for (const value of values) {
    const text = JSON.stringify(shorten(value));
    characters += text.length;
    if (listed.length === MAX_ALLOWED.values || (listed.length > 0 && characters > MAX_ALLOWED.characters)) break;
    listed.push(text);
  }
  const rest = values.length - listed.length;
  return joinWithOr(rest === 0 ? listed : [...listed, `one of ${rest} more values`]);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  null: 'null',
  boolean: 'true or false',
};

function describeCount({ minItems = 0, maxItems }: DescribedSchema): string {
  if (maxItems === undefined) return minItems > 0 ? ` with at least ${countEntries(minItems)}` : '';
  const range = minItems > 0 ? `${minItems} to` : 'at most';
  return ` with ${range} ${countEntries(maxItems)}`;
}

function countEntries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

/** Values of the formats that people write in several ways. */
const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: '2025-06-01',
  'date-time': '2025-06-01T12:00:00Z',
  time: '12:00:00Z',
};

function describeString({ format, pattern, minLength = 0, maxLength }: DescribedSchema): string {
  // The format `password` allows any string.
  if (format !== undefined && format !== 'password') {
    const example = FORMAT_EXAMPLES[format];
    return `a valid ${format}${example === undefined ? '' : ` such as ${example}`}`;
  }
  const length = maxLength === undefined ? `at least ${minLength}` : `${minLength} to ${maxLength}`;
  const hasLength = minLength > 0 || maxLength !== undefined;
  if (pattern !== undefined) return `a string that matches ${pattern}${hasLength ? `, of ${length} characters` : ''}`;
  if (maxLength !== undefined) return `a string of ${length} characters`;
  if (minLength > 1) return `a string of ${length} characters`;
  return minLength > 0 ? 'a string that is not empty' : 'a string';
}

function describeRange(schema: DescribedSchema): string {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const isAny = multipleOf === undefined || (type === 'integer' && multipleOf === 1);
  const step = isAny ? '' : ` in steps of ${multipleOf}`;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}${step}`;
  const limits = Object.entries({
    'greater than': exclusiveMinimum,
    'of at least': minimum,
    'less than': exclusiveMaximum,
    'of at most': maximum,
  }).flatMap(([text, limit]) => (limit === undefined ? [] : [`${text} ${limit}`]));
  return (limits.length > 0 ? ` ${limits.join(' and ')}` : '') + step;
}

function joinWithOr(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}

/** The limits of a shortened value: characters of a string, entries of an array or object, and levels of nesting. */
const SHORTENED_LIMITS = { characters: 200, entries: 10, levels: 3 };

/** Shortens a value for a message, in constant time. A body can be nested too deeply for JSON.stringify. */
export function shorten(value: unknown, levels = SHORTENED_LIMITS.levels): unknown {
  const { characters, entries: count } = SHORTENED_LIMITS;
  // The content of a file says nothing about it.
  if (typeof value === 'string' && /^data:[^,]{0,150},./.test(value))
    return `${value.slice(0, value.indexOf(',') + 1)}…`;
  if (typeof value === 'string') return value.length > characters ? `${value.slice(0, characters)}…` : value;
  // JSON.stringify turns Infinity into null.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, count).map((entry) => shorten(entry, levels - 1));
  const entries = Object.entries(value).slice(0, count);
  return Object.fromEntries(entries.map(([key, entry]) => [shorten(key), shorten(entry, levels - 1)]));
}

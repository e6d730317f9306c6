import { isNode, type Node } from '../openapi/document.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { Direction } from './change.ts';
import { EXTERNAL_REFERENCE, type Part, readSubschema, type Schema, toCanonicalText } from './schema-parts.ts';

/**
 * The types of JSON values.
 * An integer also has the type `number`.
 */
export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
export type Type = (typeof TYPES)[number];

/**
 * A lower or upper bound of a number.
 * `isExclusive`: whether the bound itself is invalid.
 */
export interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
}

/**
 * The combined constraints of a schema, including its `allOf` and the targets of references.
 * Undefined or an empty list means no constraint.
 */
export interface Constraints {
  readonly types: readonly Type[];
  readonly enumValues: readonly unknown[] | undefined;
  readonly lower: Bound | undefined;
  readonly upper: Bound | undefined;
  readonly multiples: readonly number[];
  /**
   * The limits of lengths and counts, by keyword: minLength, maxLength, minItems, maxItems, minProperties,
   * maxProperties.
   */
  readonly counts: Readonly<Record<string, number>>;
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  readonly hasUniqueItems: boolean;
  readonly items: Schema;
  /**
   * The properties that can occur: requests have no `readOnly` properties, and responses have no `writeOnly`
   * properties.
   */
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  readonly patternProperties: Readonly<Record<string, Schema>>;
  /** The schema of additional properties; undefined if they are not allowed. */
  readonly others: Schema | undefined;
  readonly not: readonly Schema[];
  readonly defaultValue: string | undefined;
  readonly isDeprecated: boolean;
  /** The values of rare keywords as texts, by the first keyword of their group. */
  readonly rareKeywords: Readonly<Record<string, string>>;
}

const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];

/**
 * Rare keywords, whose values are only compared for equality.
 * The keywords of a group have no effect without the first one.
 */
const RARE_KEYWORDS = [
  ...[['contains', 'minContains', 'maxContains'], ['if', 'then', 'else'], ['prefixItems'], ['propertyNames']],
  ...[['dependentRequired'], ['dependentSchemas'], ['unevaluatedProperties'], ['unevaluatedItems'], ['$dynamicRef']],
  ...[['contentEncoding'], ['contentMediaType'], [EXTERNAL_REFERENCE]],
];

/** Returns the combined constraints of a schema, for requests or for responses. */
export function getConstraints(schema: Schema, direction: Direction): Constraints {
  const all = (key: string) => schema.flatMap(({ node }) => (node[key] === undefined ? [] : [node[key]]));
  const types = getTypes(schema);
  const properties = getProperties(schema, 'properties');
  const hidden = Object.keys(properties).filter((name) => isHidden(properties[name] ?? [], direction));
  return {
    types,
    enumValues: getEnumValues(schema),
    lower: getStrictest(schema.flatMap(getLowerBounds), types, 1),
    upper: getStrictest(schema.flatMap(getUpperBounds), types, -1),
    multiples: all('multipleOf').filter((value): value is number => typeof value === 'number'),
    counts: getCounts(schema),
    patterns: removeDuplicates(all('pattern').map(String)),
    formats: removeDuplicates(all('format').map(String)),
    hasUniqueItems: all('uniqueItems').includes(true),
    items: schema.flatMap((part) => (part.node.items === undefined ? [] : readSubschema(part, 'items'))),
    properties: omitProperties(properties, hidden),
    required: removeDuplicates(all('required').flat().map(String)).filter((name) => !hidden.includes(name)),
    patternProperties: getProperties(schema, 'patternProperties'),
    others: getAdditionalProperties(schema),
    not: schema.flatMap((part) => (part.node.not === undefined ? [] : [readSubschema(part, 'not')])),
    defaultValue: all('default').map(toCanonicalText)[0],
    isDeprecated: all('deprecated').includes(true),
    rareKeywords: Object.fromEntries(
      RARE_KEYWORDS.flatMap(([first = '', ...others]) =>
        all(first).length === 0
          ? []
          : [[first, [first, ...others].map((key) => toCanonicalText(removeDescriptions(all(key)))).join()]],
      ),
    ),
  };
}

/**
 * Returns the types that all parts of a schema allow.
 * A part without `type` allows all types.
 */
function getTypes(schema: Schema): readonly Type[] {
  const lists = schema.map(({ node }) => {
    const { type, nullable } = node;
    const types = [type].flat().filter((one): one is Type => TYPES.includes(one as Type));
    return types.length > 0 ? [...types, ...(nullable === true ? (['null'] as const) : [])] : TYPES;
  });
  const allowed = TYPES.filter((type) => lists.every((list) => includesType(list, type)));
  const enumValues = getEnumValues(schema);
  if (enumValues === undefined) return allowed;
  return allowed.filter((type) => enumValues.some((enumValue) => hasType(enumValue, type)));
}

/**
 * Returns whether a list of types includes a type.
 * `number` includes `integer`.
 */
export function includesType(types: readonly Type[], type: Type): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function hasType(value: unknown, type: Type): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (typeof value === 'number')
    return type === 'number' ? !Number.isInteger(value) : type === 'integer' && Number.isInteger(value);
  return typeof value === type;
}

/** Returns whether a value has one of the types. */
export function hasAnyType(value: unknown, types: readonly Type[]): boolean {
  return TYPES.some((type) => hasType(value, type) && includesType(types, type));
}

/** Returns the values that all enumerations of a schema include; undefined if the schema has no enumeration. */
function getEnumValues(schema: Schema): readonly unknown[] | undefined {
  const lists = schema.flatMap(({ node }) => [
    ...(Array.isArray(node.enum) ? [[...node.enum, ...(node.nullable === true ? [null] : [])]] : []),
    ...('const' in node ? [[node.const]] : []),
  ]);
  const [first, ...rest] = lists;
  if (!first) return undefined;
  const common = first.filter((one) =>
    rest.every((list) => list.some((other) => toCanonicalText(other) === toCanonicalText(one))),
  );
  return [...new Map(common.map((value) => [toCanonicalText(value), value])).values()];
}

function getLowerBounds({ node }: Part): readonly Bound[] {
  return getBounds(node, 'minimum', 'exclusiveMinimum');
}

function getUpperBounds({ node }: Part): readonly Bound[] {
  return getBounds(node, 'maximum', 'exclusiveMaximum');
}

/**
 * Returns the bounds of a part.
 * In OpenAPI 3.0, `exclusiveMinimum` is a boolean beside `minimum`.
 * In OpenAPI 3.1, it is a number.
 */
function getBounds(node: Node, key: string, exclusiveKey: string): readonly Bound[] {
  const { [key]: value, [exclusiveKey]: exclusive } = node;
  const own = typeof value === 'number' ? [{ value, isExclusive: exclusive === true }] : [];
  return typeof exclusive === 'number' ? [...own, { value: exclusive, isExclusive: true }] : own;
}

/**
 * Returns the strictest bound.
 * `inwards`: 1 for lower bounds, -1 for upper bounds.
 * For integers, `> 0` becomes `≥ 1`.
 */
function getStrictest(bounds: readonly Bound[], types: readonly Type[], inwards: 1 | -1): Bound | undefined {
  const isWhole = !types.includes('number');
  const plain = bounds.map((bound) => (isWhole ? roundBound(bound, inwards) : bound));
  return plain.toSorted((one, other) => (isStricter(one, other, inwards) ? -1 : 1))[0];
}

function roundBound({ value, isExclusive }: Bound, inwards: 1 | -1): Bound {
  const nearest = inwards === 1 ? Math.ceil(value) : Math.floor(value);
  return { value: isExclusive && nearest === value ? value + inwards : nearest, isExclusive: false };
}

/**
 * Returns whether the bound `one` is stricter than the bound `other`.
 * `inwards`: 1 for lower bounds, -1 for upper bounds.
 */
export function isStricter(one: Bound | undefined, other: Bound | undefined, inwards: 1 | -1): boolean {
  if (!one) return false;
  if (!other) return true;
  const by = (one.value - other.value) * inwards;
  return by > 0 || (by === 0 && one.isExclusive && !other.isExclusive);
}

function getCounts(schema: Schema): Constraints['counts'] {
  const entries = COUNTS.flatMap((key) => {
    const values = schema.flatMap(({ node }) => (typeof node[key] === 'number' ? [node[key]] : []));
    const value = key.startsWith('min') ? Math.max(0, ...values) : Math.min(...values);
    // A minimum of 0 and an infinite maximum are no limits.
    return value > 0 && Number.isFinite(value)
      ? [[key, value]]
      : value === 0 && key.startsWith('max')
        ? [[key, 0]]
        : [];
  });
  return Object.fromEntries(entries);
}

function getProperties(schema: Schema, key: string): Record<string, Schema> {
  const found = new Map<string, Schema>();
  for (const part of schema) {
    for (const name of Object.keys(isNode(part.node[key]) ? part.node[key] : {})) {
      found.set(name, [...(found.get(name) ?? []), ...readSubschema(part, key, name)]);
    }
  }
  return Object.fromEntries(found);
}

function isHidden(property: Schema, direction: Direction): boolean {
  const only = direction === 'request' ? 'readOnly' : 'writeOnly';
  return property.some(({ node }) => node[only] === true);
}

function omitProperties<Value>(
  record: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function getAdditionalProperties(schema: Schema): Schema | undefined {
  const declaring = schema.filter(({ node }) => node.additionalProperties !== undefined);
  if (declaring.some(({ node }) => node.additionalProperties === false)) return undefined;
  return declaring.flatMap((part) => readSubschema(part, 'additionalProperties'));
}

function removeDuplicates(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}

/** Keywords that do not affect validation. */
const ANNOTATIONS = ['title', 'description', 'example', 'examples', 'summary', 'externalDocs', '$comment'];

function removeDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeDescriptions);
  if (!isNode(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (ANNOTATIONS.includes(key) ? [] : [[key, removeDescriptions(one)]])),
  );
}

/**
 * Returns the JSON Pointer of a keyword in the first part of a schema that has the keyword, else the JSON Pointer of
 * the schema.
 */
export function getKeywordPointer(schema: Schema, key: string): string {
  const part = schema.find(({ node }) => node[key] !== undefined);
  return part ? part.pointer + formatPointer(key) : (schema[0]?.pointer ?? '');
}

import { isDeepStrictEqual } from 'node:util';
import { type Document, getNode, isNode, type Node, parseReference, toNode } from '../openapi/document.ts';
import { createPattern, type Pattern } from '../openapi/patterns/pattern.ts';
import { isReadOrWriteOnly } from '../openapi/schema-validator.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { allowsType, createMerge, getReferences } from './merge-schema.ts';

/** A schema, merged with its references, its `allOf` and the chosen alternatives of `oneOf` and `anyOf`. */
export interface Shape {
  readonly schema: Node;
  readonly properties: Node;
  readonly required: ReadonlySet<string>;
  /** The patterns of documented property names. */
  readonly patterns: readonly Pattern[];
  /** The names of the properties that are `writeOnly`, so that responses do not have them. */
  readonly writeOnly: ReadonlySet<string>;
  /**
   * Whether undocumented properties are invalid.
   * This is the default for a schema with `properties`, unless `additionalProperties` or `unevaluatedProperties` allows
   * them.
   */
  readonly isClosed: boolean;
  /** The number of alternatives of a `oneOf` or `anyOf`; 0 if the schema has none. */
  readonly alternatives: number;
  /** The JSON Pointer of the chosen alternative, if it is a reference. */
  readonly chosen: string | undefined;
}

/**
 * Merges a schema with the alternatives of `oneOf` and `anyOf` that fit a value best.
 * `skipped`: the number of alternatives to skip; 1 selects the second best.
 */
export type GetShape = (schema: unknown, value: unknown, skipped?: number) => Shape;

/** The depth from which alternatives are no longer compared, because a schema can be an alternative of itself. */
const MAX_DEPTH = 4;

/**
 * The maximum number of alternatives that are compared to find the best one.
 * Alternatives inside alternatives are counted too.
 */
const MAX_COMPARISONS = 2_000;

/** The place of a schema inside alternatives, and the number of alternatives that were compared. */
interface Comparison {
  readonly depth: number;
  readonly counter: { comparisons: number };
}

/** Creates a function that merges a schema with the alternatives that fit a value best. */
export function createShapes(document: Document): GetShape {
  const merge = createMerge(document);
  const shapes = new WeakMap<Node, Shape>();
  const getShape = (node: unknown, value: unknown, skipped: number, { depth, counter }: Comparison): Shape => {
    const union = { alternatives: 0, chosen: undefined as string | undefined };
    const inner = { depth: depth + 1, counter };
    const rate = (alternative: unknown) =>
      ++counter.comparisons > MAX_COMPARISONS
        ? 0
        : rateFit((schema, part) => getShape(schema, part, 0, inner), alternative, value);
    const { schema, references } = merge(node, {
      choose(alternatives) {
        const best = depth < MAX_DEPTH ? chooseBest(alternatives, rate, skipped) : alternatives[0];
        union.alternatives = Math.max(union.alternatives, alternatives.length);
        union.chosen ??= getReferences(best)[0];
        return best;
      },
      applies: (condition) => depth < MAX_DEPTH && rate(condition) >= 0,
    });
    const subtype = depth < MAX_DEPTH ? findSubtype(document, schema, value) : undefined;
    if (subtype !== undefined && !references.includes(subtype))
      return getShape({ allOf: [node, { $ref: `#${subtype}` }] }, value, skipped, inner);
    const known = shapes.get(schema);
    if (known) return known;
    const shape = { ...toShape(document, schema), ...union };
    shapes.set(schema, shape);
    return shape;
  };
  return (schema, value, skipped = 0) => getShape(schema, value, skipped, { depth: 0, counter: { comparisons: 0 } });
}

function chooseBest(
  alternatives: readonly unknown[],
  rate: (alternative: unknown) => number,
  skipped: number,
): unknown {
  const ratings = alternatives.map((alternative) => ({ alternative, rating: rate(alternative) }));
  return ratings.sort((a, b) => b.rating - a.rating)[skipped % ratings.length]?.alternative;
}

function toShape(document: Document, schema: Node): Omit<Shape, 'alternatives' | 'chosen'> {
  const properties = toNode(schema.properties);
  const names = Object.keys(properties);
  const isWriteOnly = (property: unknown): boolean =>
    isReadOrWriteOnly(document, property, 'writeOnly') ||
    (isNode(property) && Array.isArray(property.allOf) && property.allOf.some(isWriteOnly));
  const rest = [schema.additionalProperties, schema.unevaluatedProperties];
  return {
    schema,
    properties,
    required: new Set(Array.isArray(schema.required) ? schema.required : []),
    patterns: Object.keys(toNode(schema.patternProperties)).map(createPattern),
    writeOnly: new Set(names.filter((name) => isWriteOnly(properties[name]))),
    isClosed: names.length > 0 && !rest.some((others) => others === true || isNode(others)),
  };
}

/** The rating of a value that differs from the `const` or `enum` of its schema. */
const OTHER_CONSTANT = -100;

/** The rating of a value whose type differs from the type of its schema. */
const OTHER_TYPE = -10;

/** The rating of a missing property that the schema requires. */
const MISSING_PROPERTY = -2;

/**
 * Rates how well a value fits a schema.
 * A higher number is better.
 * Each documented property of the value adds at most 1.
 * A value with a rating below 0 is invalid.
 */
function rateFit(getShape: GetShape, node: unknown, value: unknown): number {
  const { schema, properties, required, isClosed } = getShape(node, value);
  if (value === undefined) return schema.type === 'null' ? OTHER_TYPE : 0;
  if (!isPlausible(schema, value)) return OTHER_CONSTANT;
  if (!isNode(value)) return 0;
  let rating = 0;
  for (const name of required) if (!Object.hasOwn(value, name)) rating += MISSING_PROPERTY;
  for (const [name, own] of Object.entries(value)) {
    if (!Object.hasOwn(properties, name)) rating -= isClosed ? 1 : 0;
    else rating += rateProperty(getShape, properties[name], own);
  }
  return rating;
}

/** Rates how well a property fits its schema. The best rating is 1. */
function rateProperty(getShape: GetShape, node: unknown, value: unknown): number {
  const { schema } = getShape(node, value);
  if (isPlausible(schema, value)) return isNode(value) ? Math.min(1, 1 + rateFit(getShape, node, value)) : 1;
  return hasConstants(schema) ? OTHER_CONSTANT : OTHER_TYPE;
}

function hasConstants(schema: Node): boolean {
  return 'const' in schema || 'enum' in schema;
}

/** Returns whether a value satisfies the keywords `type`, `const` and `enum` of a schema. */
export function isPlausible(schema: Node, value: unknown): boolean {
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !allowsType(types, getType(value))) return false;
  if ('const' in schema && !isDeepStrictEqual(schema.const, value)) return false;
  return !Array.isArray(schema.enum) || schema.enum.some((choice) => isDeepStrictEqual(choice, value));
}

/** Returns whether a response may have a property with this name. */
export function isDocumented({ properties, required, patterns, writeOnly, isClosed }: Shape, name: string): boolean {
  if (Object.hasOwn(properties, name)) return !writeOnly.has(name);
  return !isClosed || required.has(name) || patterns.some((pattern) => pattern.test(name));
}

/** Returns the schema of a property; undefined if the schema of the object does not restrict the property. */
export function getPropertySchema({ schema, properties, patterns }: Shape, name: string): unknown {
  if (Object.hasOwn(properties, name)) return properties[name];
  const index = patterns.findIndex((pattern) => pattern.test(name));
  return index < 0 ? schema.additionalProperties : Object.values(toNode(schema.patternProperties))[index];
}

/** Returns the schema of the array entry at an index; undefined if the array schema does not restrict it. */
export function getEntrySchema({ schema }: Shape, index: number): unknown {
  const { items, prefixItems } = schema;
  return (Array.isArray(prefixItems) ? prefixItems[index] : undefined) ?? items;
}

/**
 * Returns a value without the properties that are `writeOnly`, at any depth.
 * Returns the value itself if it has none.
 */
export function omitWriteOnly(getShape: GetShape, node: unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || node === undefined) return value;
  const shape = getShape(node, value);
  if (Array.isArray(value)) {
    const entries = value.map((entry, index) => omitWriteOnly(getShape, getEntrySchema(shape, index), entry));
    return entries.every((entry, index) => entry === value[index]) ? value : entries;
  }
  const kept = Object.entries(value).filter(([name]) => !shape.writeOnly.has(name));
  const shown = kept.map(
    ([name, own]) => [name, omitWriteOnly(getShape, getPropertySchema(shape, name), own)] as const,
  );
  const isSame = kept.length === Object.keys(value).length && shown.every(([, own], index) => own === kept[index]?.[1]);
  return isSame ? value : Object.fromEntries(shown);
}

/** Returns the JSON Schema type of a value, such as `integer` for 5. */
function getType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const SCHEMAS = '/components/schemas';

/** Returns the name of the discriminator property of a schema; undefined if the schema has no discriminator. */
export function getDiscriminatorName({ discriminator }: Node): string | undefined {
  const name = isNode(discriminator) ? discriminator.propertyName : undefined;
  return typeof name === 'string' ? name : undefined;
}

/**
 * Returns the JSON Pointer of the schema that a value selects with its discriminator property; undefined if there is
 * none.
 */
function findSubtype(document: Document, schema: Node, value: unknown): string | undefined {
  const name = getDiscriminatorName(schema);
  if (name === undefined || !isNode(value)) return undefined;
  const type = value[name];
  const { defaultMapping } = toNode(schema.discriminator);
  const targets = [
    ...(typeof type === 'string' ? [getMapping(schema).find(([key]) => key === type)?.[1] ?? type] : []),
    ...(typeof defaultMapping === 'string' ? [defaultMapping] : []),
  ];
  return targets.map(toPointer).find((target) => isNode(getNode(document, target)));
}

/**
 * Returns the value of the discriminator for the schema at a JSON Pointer: a key of the mapping, else the name of the
 * schema.
 */
export function getDiscriminatorValue(schema: Node, pointer: string): string {
  const mapped = getMapping(schema).find(([, target]) => toPointer(target) === pointer);
  return mapped?.[0] ?? pointer.slice(pointer.lastIndexOf('/') + 1);
}

/** Returns the JSON Pointers of the component schemas that extend the component schema at `pointer` with `allOf`. */
export const getSubtypes = (document: Document, pointer: string): readonly string[] =>
  findExtensions(document).get(pointer) ?? [];

const findExtensions = memoizeByObject((document: Document): ReadonlyMap<string, readonly string[]> => {
  const subtypes = new Map<string, string[]>();
  for (const [name, schema] of Object.entries(toNode(getNode(document, SCHEMAS)))) {
    const parts = isNode(schema) && Array.isArray(schema.allOf) ? schema.allOf : [];
    for (const part of parts) {
      if (!isNode(part) || typeof part.$ref !== 'string') continue;
      const base = parseReference(part.$ref);
      subtypes.set(base, [...(subtypes.get(base) ?? []), SCHEMAS + formatPointer(name)]);
    }
  }
  return subtypes;
});

function getMapping({ discriminator }: Node): readonly (readonly [value: string, target: string])[] {
  const mapping = isNode(discriminator) ? Object.entries(toNode(discriminator.mapping)) : [];
  return mapping.flatMap(([value, target]) => (typeof target === 'string' ? [[value, target] as const] : []));
}

/**
 * Returns the JSON Pointer of a target in the `mapping` of a discriminator.
 * The target is a reference or the name of a component schema.
 */
function toPointer(target: string): string {
  return target.includes('#') ? parseReference(target.slice(target.indexOf('#'))) : SCHEMAS + formatPointer(target);
}

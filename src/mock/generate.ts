import { type Document, isNode, type Node, toNode } from '../openapi/document.ts';
import { isOneWay } from '../openapi/schema-validator.ts';
import type { Random } from '../util/random.ts';
import { mergeSchema } from './merge-schema.ts';
import { generateNumber } from './numbers.ts';
import { generateString } from './strings.ts';

/** Options of a generated value. */
export interface GeneratorOptions {
  readonly random: Random;
  /** Whether examples and defaults of schemas are used. */
  readonly usesExamples: boolean;
  /** Whether everything optional is left out. */
  readonly isBare: boolean;
  /** Whether everything optional is included, up to a depth. */
  readonly isFull?: boolean;
  /** The query of the request. A schema's `x-present-with` names, for a property, the query parameter and value with which it is present. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
}

/** How often a reference may lead to itself, and how deep values are nested, before everything optional is left out. */
const MAX_RECURSIONS = 1;
const MAX_OPTIONAL_DEPTH = 4;

/** The depth at which a schema counts as endless. */
const MAX_DEPTH = 100;

/** The probability of an optional property. */
const OPTIONAL_PROBABILITY = 0.8;

/** The probability of null among the values of an `enum`. */
const NULL_PROBABILITY = 0.05;

/** The number of entries of an array without bounds. */
const ENTRY_COUNT = { least: 1, most: 3 };

/** The number of attempts to generate an entry that an array of unique entries doesn't have yet. */
const MAX_ATTEMPTS = 60;

/** Thrown for a schema that requires values nested without end. */
export class EndlessSchemaError extends Error {
  override readonly name = 'EndlessSchemaError';
}

/** What the value of an object or an array is generated from. */
interface Target {
  readonly schema: Node;
  readonly name: string;
  readonly options: GeneratorOptions;
  /** Generates the value of a property or an entry. */
  readonly generate: (schema: unknown, name: string) => unknown;
}

/**
 * Creates a generator of values for the schemas of a document. Properties of the other direction are left out. A value may be invalid, since keywords can
 * depend on each other: the caller validates it.
 */
export function createGenerator(document: Document, otherDirection: 'readOnly' | 'writeOnly' = 'writeOnly') {
  const isExcluded = (property: unknown) => isOneWay(document, property, otherDirection);
  const generate = (node: unknown, name: string, options: GeneratorOptions, ancestors: readonly string[]): unknown => {
    const { random } = options;
    const canFollow = (reference: string) => ancestors.filter((other) => other === reference).length < MAX_RECURSIONS;
    const { schema, references } = mergeSchema({ document, random, canFollow }, node);
    const path = [...ancestors, ...(references.length > 0 ? references : [''])];
    if (path.length > MAX_DEPTH) throw new EndlessSchemaError();
    if ('const' in schema) return schema.const;
    if (options.usesExamples) {
      const [example] = Array.isArray(schema.examples) ? schema.examples : [schema.example ?? schema.default];
      if (example !== undefined) return example;
    }
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return chooseEnumValue(schema.enum, options);
    const isBare = options.isBare || path.length > MAX_OPTIONAL_DEPTH || !references.every(canFollow);
    const inner = { ...options, isBare };
    const target: Target = {
      schema,
      name,
      options: inner,
      generate: (child, key) => generate(child, key, inner, path),
    };
    switch (chooseType(schema, options)) {
      case 'object':
        return generateObject(target, isExcluded);
      case 'array':
        return generateArray(target);
      case 'integer':
        return generateNumber({ multipleOf: 1, ...schema }, name, random);
      case 'number':
        return generateNumber(schema, name, random);
      case 'boolean':
        return random.next() < 0.5;
      case 'null':
        return null;
      default:
        return generateString(schema, name, random);
    }
  };
  return (node: unknown, options: GeneratorOptions) => generate(node, '', options, []);
}

function generateObject({ schema, name, options, generate }: Target, isExcluded: (property: unknown) => boolean): Node {
  const { random, isBare } = options;
  const properties = toNode(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  // Not an object yet: a property may be called `__proto__`.
  const values = new Map<string, unknown>();
  const hasRoom = () => values.size < Number(schema.maxProperties ?? Number.POSITIVE_INFINITY);
  for (const key of required) {
    if (isExcluded(properties[key])) continue;
    values.set(key, generate(properties[key] ?? toNode(schema.additionalProperties), key));
  }
  for (const [key, property] of Object.entries(properties)) {
    if (values.has(key) || !hasRoom() || isExcluded(property)) continue;
    const isIncluded =
      isPresent(schema, key, options) ??
      (!isBare && (options.usesExamples || options.isFull || random.next() < OPTIONAL_PROBABILITY));
    if (isIncluded) values.set(key, generate(property, key));
  }
  const least = Math.max(Number(schema.minProperties ?? 0), isMap(schema, properties) && !isBare ? 2 : 0);
  for (let number = 1; values.size < least && hasRoom() && number <= MAX_ATTEMPTS; number++) {
    const [key, property] = createAdditionalProperty(schema, number, random);
    if (!values.has(key)) values.set(key, generate(property, name));
  }
  return Object.fromEntries(values);
}

function generateArray({ schema, name, options, generate }: Target): readonly unknown[] {
  const { random, isBare } = options;
  const { items = {}, contains } = schema;
  const least = Math.max(Number(schema.minItems ?? 0), contains === undefined ? 0 : 1);
  const most = Number(schema.maxItems ?? Number.POSITIVE_INFINITY);
  const count = isBare ? least : Math.max(least, random.integer(ENTRY_COUNT.least, ENTRY_COUNT.most));
  const entries: unknown[] = [];
  const seen = new Set<string>();
  for (let tries = MAX_ATTEMPTS + count; entries.length < Math.min(count, most) && tries > 0; tries--) {
    const isContained = contains !== undefined && entries.length === 0;
    const entry = generate(isContained ? { allOf: [items, contains] } : items, toSingular(name));
    const json = JSON.stringify(entry);
    if (schema.uniqueItems === true && seen.has(json)) continue;
    seen.add(json);
    entries.push(entry);
  }
  return entries;
}

/** Rarely chooses null if there are other values. */
function chooseEnumValue(values: readonly unknown[], { random, usesExamples }: GeneratorOptions): unknown {
  const others = values.filter((value) => value !== null);
  if (usesExamples) return others[0] ?? null;
  return random.pick(others.length > 0 && random.next() > NULL_PROBABILITY ? others : values);
}

/** Returns one of the types of a schema, or the type that its keywords suggest. */
function chooseType(schema: Node, { random }: GeneratorOptions): unknown {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null');
  if (types.length === 0) return 'null';
  const type = types.length > 1 ? random.pick(types) : types[0];
  if (type !== undefined) return type;
  const suggested = KEYWORDS_OF_TYPES.find(([, keywords]) => keywords.some((keyword) => keyword in schema));
  if (suggested) return suggested[0];
  const excluded = isNode(schema.not) && !('enum' in schema.not) ? [schema.not.type].flat() : [];
  return ['string', 'integer', 'boolean'].find((candidate) => !excluded.includes(candidate));
}

const KEYWORDS_OF_TYPES: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'additionalProperties', 'required', 'minProperties', 'patternProperties']],
  ['array', ['items', 'minItems', 'uniqueItems', 'contains']],
  ['number', ['minimum', 'maximum', 'multipleOf']],
];

/** Returns the name and the schema of an additional property. */
function createAdditionalProperty(schema: Node, number: number, random: Random): readonly [string, unknown] {
  const [[pattern, property] = []] = Object.entries(toNode(schema.patternProperties));
  if (pattern !== undefined) return [generateString({ pattern }, 'key', random), property];
  const key = isNode(schema.propertyNames) ? generateString(schema.propertyNames, 'key', random) : `key${number}`;
  return [key, toNode(schema.additionalProperties)];
}

function isMap({ additionalProperties, patternProperties }: Node, properties: Node): boolean {
  return (isNode(additionalProperties) || isNode(patternProperties)) && Object.keys(properties).length === 0;
}

/** Returns whether the query asks for a property; undefined if the schema has no `x-present-with` for it. */
function isPresent(schema: Node, property: string, { query }: GeneratorOptions): boolean | undefined {
  const conditions = schema['x-present-with'];
  const [name = '', value] = isNode(conditions) ? String(conditions[property] ?? '').split('=') : [];
  return value === undefined ? undefined : query[name] === value;
}

function toSingular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

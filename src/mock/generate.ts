import { type Document, isNode, type Node, toNode } from '../openapi/document.ts';
import { isOneWay } from '../openapi/schema-validator.ts';
import type { Random } from '../util/random.ts';
import { chooseAtRandom, mergeSchema } from './merge-schema.ts';
import { generateNumber, generateString } from './primitives.ts';

/** Options of a generated value. */
export interface GeneratorOptions {
  readonly random: Random;
  /** Whether the examples and defaults in schemas are used. */
  readonly usesExamples: boolean;
  /** Whether optional properties and entries are omitted. */
  readonly isBare: boolean;
  /** Whether all optional properties are included, up to the depth `MAX_OPTIONAL_DEPTH`. */
  readonly isFull?: boolean;
  /** The query of the request. With `x-present-with: { owner: expand=owner }`, a schema includes `owner` only for `?expand=owner`. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
}

/** The number of times that a reference is followed within its own target. */
const MAX_RECURSIONS = 1;

/** The depth below which optional properties and entries are omitted. */
const MAX_OPTIONAL_DEPTH = 4;

/** The maximum depth of a generated value. A deeper schema counts as endless. */
const MAX_DEPTH = 100;

/** The probability of an optional property. */
const OPTIONAL_PROBABILITY = 0.8;

/** The probability that null is chosen from an `enum` with other values. */
const NULL_PROBABILITY = 0.05;

/** The number of entries of an array without limits. */
const ENTRY_COUNT = { least: 1, most: 3 };

/** The maximum number of attempts to generate further unique entries or properties. */
const MAX_ATTEMPTS = 60;

/** Thrown for a schema that requires endlessly nested values. */
export class EndlessSchemaError extends Error {
  override readonly name = 'EndlessSchemaError';
}

/** The input for generating an object or an array. */
interface ContainerInput {
  readonly schema: Node;
  readonly name: string;
  readonly options: GeneratorOptions;
  /** Returns whether a property is omitted. */
  readonly isExcluded: (property: unknown) => boolean;
  /** Generates a property or an entry. */
  readonly generate: (schema: unknown, name: string) => unknown;
}

/**
 * Creates a generator of values for the schemas of a document. `excluded`: properties with this keyword are omitted. The caller must validate the value,
 * which can be invalid if keywords depend on each other.
 */
export function createGenerator(document: Document, excluded: 'readOnly' | 'writeOnly' = 'writeOnly') {
  const isExcluded = (property: unknown) => isOneWay(document, property, excluded);
  const generate = (node: unknown, name: string, options: GeneratorOptions, ancestors: readonly string[]): unknown => {
    const { random } = options;
    const canFollow = (reference: string) => ancestors.filter((other) => other === reference).length < MAX_RECURSIONS;
    // A value that satisfies both `if` and `then` is valid, so the condition applies.
    const context = { document, choose: chooseAtRandom.bind(undefined, random, canFollow), applies: () => true };
    const { schema, references } = mergeSchema(context, node);
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
    const generateInner: ContainerInput['generate'] = (child, key) => generate(child, key, inner, path);
    const input = { schema, name, options: inner, isExcluded, generate: generateInner };
    const generators: Readonly<Record<string, () => unknown>> = {
      object: () => generateObject(input),
      array: () => generateArray(input),
      integer: () => generateNumber({ multipleOf: 1, ...schema }, name, random),
      number: () => generateNumber(schema, name, random),
      boolean: () => random.next() < 0.5,
      null: () => null,
    };
    const generateType = generators[String(chooseType(schema, options))];
    return generateType ? generateType() : generateString(schema, name, random);
  };
  return (node: unknown, options: GeneratorOptions, name = '') => generate(node, name, options, []);
}

function generateObject({ schema, name, options, isExcluded, generate }: ContainerInput): Node {
  const { random, isBare } = options;
  const properties = toNode(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  // A Map, since a property can have the name `__proto__`.
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

function generateArray({ schema, name, options, generate }: ContainerInput): readonly unknown[] {
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

/** Chooses a value of an `enum`. If there are other values than null, rarely chooses null. */
function chooseEnumValue(values: readonly unknown[], { random, usesExamples }: GeneratorOptions): unknown {
  const others = values.filter((value) => value !== null);
  if (usesExamples) return others[0] ?? null;
  return random.pick(others.length > 0 && random.next() > NULL_PROBABILITY ? others : values);
}

/** Chooses one of the types of a schema. If the schema has no `type`, returns the type that other keywords suggest. */
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

/** Returns a name and the schema for an additional property. */
function createAdditionalProperty(schema: Node, number: number, random: Random): readonly [string, unknown] {
  const [[pattern, property] = []] = Object.entries(toNode(schema.patternProperties));
  if (pattern !== undefined) return [generateString({ pattern }, 'key', random), property];
  const key = isNode(schema.propertyNames) ? generateString(schema.propertyNames, 'key', random) : `key${number}`;
  return [key, toNode(schema.additionalProperties)];
}

function isMap({ additionalProperties, patternProperties }: Node, properties: Node): boolean {
  return (isNode(additionalProperties) || isNode(patternProperties)) && Object.keys(properties).length === 0;
}

/** Returns whether the query includes a property by `x-present-with`; undefined if the schema has no such rule for the property. */
function isPresent(schema: Node, property: string, { query }: GeneratorOptions): boolean | undefined {
  const conditions = schema['x-present-with'];
  const [name = '', value] = isNode(conditions) ? String(conditions[property] ?? '').split('=') : [];
  return value === undefined ? undefined : query[name] === value;
}

function toSingular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

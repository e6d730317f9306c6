import { isDeepStrictEqual } from 'node:util';
import type { MergedSchema } from '../openapi/close-schemas.ts';
import { type Document, getNode, isNode, type Node, toNode } from '../openapi/document.ts';
import { isReadOrWriteOnly } from '../openapi/schema-validator.ts';
import { joinWords, toSingular } from '../util/names.ts';
import { createRandom, mixSeed, type Random } from '../util/random.ts';
import { describePage } from './describe-page.ts';
import {
  createShapes,
  type GetShape,
  getDiscriminatorName,
  getDiscriminatorValue,
  getSubtypes,
  isPlausible,
  omitWriteOnly,
} from './fit-schema.ts';
import { generateObject } from './generate-object.ts';
import { createEndlessError, GenerationLimit } from './generation-limit.ts';
import { chooseAtRandom, createMerge, type Merge } from './merge-schema.ts';
import type { Children, ContainerInput, GeneratorOptions, LimitedOptions, Place } from './place.ts';
import { setKnownValues } from './place.ts';
import { generateNumber, generateString } from './primitives.ts';

/** The minimum and maximum number of generated entries, if the schema has no limits. */
const ENTRY_COUNT = { least: 1, most: 3 };

/** The maximum number of attempts to generate further unique entries. */
const MAX_ATTEMPTS = 60;

/** The number of generated values to reserve for each entry that is an object or an array. */
const ENTRY_BUDGET = 4;

/** Generates an array. Its entries have different ids, unless the schema allows fewer ids than entries. */
function generateArray(input: ContainerInput): readonly unknown[] {
  const { schema, place, options, generate } = input;
  const { items = {}, contains, minContains = 1 } = schema;
  const prefix = getPrefix(schema);
  const { least, count } = countEntries(input);
  options.limit.requireValues(count);
  const budget = place.budget / Math.max(1, count);
  const entries: unknown[] = [];
  const seen = new Set<string>();
  for (let index = 0; entries.length < count && index < MAX_ATTEMPTS + 3 * count; index++) {
    const isContained = contains !== undefined && entries.length < Number(minContains);
    const own = prefix[entries.length] ?? items;
    const isVaried = schema.uniqueItems === true && index >= count && !isContained;
    const entry = isVaried
      ? varyEntry(toNode(own), entries.at(-1), index - count)
      : generate(isContained ? { allOf: [own, contains] } : own, { ...getEntryPlace(place, index), budget });
    const canRepeatId = index >= MAX_ATTEMPTS && entries.length < least;
    const keys = getUniqueKeys(entry, schema.uniqueItems === true, canRepeatId);
    if (keys.some((key) => seen.has(key))) continue;
    // Each further entry would be the same example.
    const isEnough = entries.length >= Math.max(1, least, prefix.length);
    if (options.usesExamples && isEnough && isDeepStrictEqual(entry, entries[0])) break;
    for (const key of keys) seen.add(key);
    entries.push(entry);
  }
  return entries;
}

/**
 * Returns another value than a generated one for an entry that must be unique, because random values of a schema that
 * allows only few repeat.
 * `number`: the number of values before, from 0.
 */
function varyEntry(schema: Node, generated: unknown, number: number): unknown {
  const { enum: values, oneOf, anyOf } = schema;
  if (Array.isArray(values)) return values[number % values.length];
  const constants = [oneOf, anyOf].flat().flatMap((one) => {
    if (!isNode(one)) return [];
    return 'const' in one ? [one.const] : one.type === 'null' ? [null] : [];
  });
  if (constants.length > 0) return [...constants, generated][number % (constants.length + 1)];
  const types = [schema.type].flat();
  const simple = [...(types.includes('boolean') ? [true, false] : []), ...(types.includes('null') ? [null] : [])];
  if (simple.length > 0) return [...simple, generated][number % (simple.length + 1)];
  if (typeof generated === 'number' && types.includes('integer')) {
    const { minimum = 0, exclusiveMinimum, multipleOf = 1 } = schema as Readonly<Record<string, number>>;
    const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
    return (Math.ceil(least / multipleOf) + number) * multipleOf;
  }
  if (typeof generated !== 'string' || schema.pattern !== undefined || schema.format !== undefined) return generated;
  const maxLength = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  const suffix = String(number);
  return maxLength > suffix.length + 1
    ? `${generated.slice(0, maxLength - suffix.length - 1)} ${suffix}`
    : String.fromCodePoint(FIRST_LETTER + number).padEnd(Number(schema.minLength ?? 1), 'x');
}

/** The code point of the letter `a`, at which texts of one letter begin. */
const FIRST_LETTER = 0x61;

/** Returns the schemas of the first entries of a tuple. */
function getPrefix({ prefixItems }: Node): readonly unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : [];
}

function getEntryPlace(place: Place, index: number): Place {
  return {
    ...place,
    name: toSingular(place.name),
    subject: toSingular(place.subject),
    seed: mixSeed(place.seed, index),
    knownValues: isNode(place.knownValues) ? place.knownValues['*'] : undefined,
    isRepeated: index > 0,
  };
}

/** Returns the minimum number of entries (`least`) and the number of entries to generate (`count`). */
function countEntries({ schema, place, options, random, canRecur, isContainer }: ContainerInput) {
  const { items, contains, minContains = 1, minItems = 0 } = schema;
  const { length } = getPrefix(schema);
  const isFixed = length > 0 && (items === false || schema.unevaluatedItems === false);
  const least = Math.max(Number(minItems), contains === undefined ? 0 : Number(minContains));
  const most = Number(schema.maxItems ?? (isFixed ? length : Number.POSITIVE_INFINITY));
  if (options.omitsOptional || !canRecur(items)) return { least, count: Math.min(least, most) };
  const affordable = Math.floor(place.budget / (isContainer(items) ? ENTRY_BUDGET : 1));
  const wanted = Math.min(random.integer(ENTRY_COUNT.least, place.omitsContainers ? 1 : ENTRY_COUNT.most), affordable);
  return { least, count: Math.min(Math.max(least, length > 0 ? length : wanted), most) };
}

/**
 * Returns texts that must be different for each entry of an array: the `id` of the entry, and the whole entry if
 * `isUnique` is true.
 */
function getUniqueKeys(entry: unknown, isUnique: boolean, canRepeatId: boolean): readonly string[] {
  const id = !canRepeatId && isNode(entry) && Object.hasOwn(entry, 'id') ? entry.id : undefined;
  return [...(isUnique ? [JSON.stringify(entry)] : []), ...(id === undefined ? [] : [`id ${JSON.stringify(id)}`])];
}

/** The number of times that a reference is followed again inside the schema to which it refers. */
const MAX_RECURSIONS = 1;

/** The depth below which optional objects and arrays are omitted. */
const MAX_OPTIONAL_DEPTH = 4;

/** The maximum depth of a generated value. `createEndlessError` refuses a schema that requires a deeper value. */
const MAX_DEPTH = 100;

/** The maximum number of properties and entries of a generated value. This is about 100 kB of JSON. */
const BUDGET = 4_000;

/** The probability that null is chosen from an `enum` with other values. */
const NULL_PROBABILITY = 0.05;

/** The document, and the functions that read its schemas. */
interface Engine {
  readonly document: Document;
  readonly merge: Merge;
  readonly getShape: GetShape;
  readonly isExcluded: (property: unknown) => boolean;
  readonly excluded: 'readOnly' | 'writeOnly';
}

/**
 * Creates a generator of values for the schemas of a document.
 * Omits properties that have the keyword `excluded`.
 * The caller must validate each generated value: a value can be invalid if keywords of its schema depend on each other.
 */
export function createGenerator(document: Document, excluded: 'readOnly' | 'writeOnly' = 'writeOnly') {
  const isExcluded = (property: unknown) => isReadOrWriteOnly(document, property, excluded);
  const engine = { document, merge: createMerge(document), getShape: createShapes(document), isExcluded, excluded };
  return (node: unknown, options: GeneratorOptions) => {
    const { seed, name = '', knownValues, omitsOptional } = options;
    const place = {
      seed,
      name,
      subject: name,
      knownValues,
      ancestors: [],
      depth: 0,
      budget: BUDGET,
      isInEntity: false,
    };
    const limited = { ...options, limit: options.limit ?? new GenerationLimit() };
    return generate(engine, node, { ...place, omitsContainers: omitsOptional }, limited);
  };
}

/**
 * Generates a value for a schema.
 * Throws the error of `createEndlessError` if the schema requires endlessly nested values, or too many values.
 */
export type Generate = ReturnType<typeof createGenerator>;

function generate(engine: Engine, node: unknown, place: Place, options: LimitedOptions): unknown {
  const { ancestors, knownValues } = place;
  const { limit } = options;
  limit.addValue(ancestors.length);
  const random = createRandom(place.seed);
  const canFollow = (reference: string) => countReference(ancestors, reference) < MAX_RECURSIONS;
  const { schema, references } = mergeSubtype(engine, node, { random, canFollow, limit });
  const path = [...ancestors, ...(references.length > 0 ? references : [''])];
  if (path.length > MAX_DEPTH) throw createEndlessError();
  if (knownValues !== undefined && !isNode(knownValues) && isPlausible(schema, knownValues)) return knownValues;
  if ('const' in schema) return schema.const;
  const example = options.usesExamples ? getExample(schema) : undefined;
  if (example !== undefined && !isRepeatedId(place, example)) {
    // The example of a schema is one of requests and responses.
    const shown = engine.excluded === 'writeOnly' ? omitWriteOnly(engine.getShape, node, example) : example;
    return setKnownValues(shown, knownValues);
  }
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return chooseEnumValue(schema.enum, options, random);
  const described = listDescribedValues(schema, place.name);
  if (described.length > 0) return options.usesExamples ? described[0] : random.pick(described);
  const omitsContainers = place.omitsContainers || place.depth >= MAX_OPTIONAL_DEPTH || !references.every(canFollow);
  const subject = getSubject(references) ?? place.subject;
  return generateType(engine, {
    schema,
    place: { ...place, ancestors: path, omitsContainers, subject },
    options,
    random,
  });
}

/** Keywords of texts that are more than words. */
const TEXT_RULES = ['format', 'pattern', 'minLength', 'maxLength', 'const'];

/** Matches a description that only lists words: `available, reserved, sold`, `One of: small, large`. */
const WORD_LIST =
  /^((?:one of|(?:possible|allowed|valid) values)(?:\s*:|\s+are:?)?\s*)?((?:["'`]?[a-z][\w-]*["'`]?(?:\s*[,|/]\s*(?:or\s+)?|\s+or\s+))+["'`]?[a-z][\w-]*["'`]?)\.?$/i;

/** Matches the names of properties whose values are few words. Others need a lead such as `One of`, or quotes. */
const FEW_VALUES = /\b(?:status|state|type|kind|role|category|priority|level|gender|size|visibility|mode)$/;

/** Matches words that are the parts of a date format: `DD MM YYYY`. */
const DATE_FORMAT = /^(?=.*(?:dd|mm|yy|hh))[dmyhs _-]+$/i;

/** Returns the values of a text that its description lists, as an `enum` does: `available, reserved, sold`. */
function listDescribedValues(schema: Node, name: string): readonly string[] {
  const { type, description } = schema;
  if (type !== 'string' || typeof description !== 'string' || TEXT_RULES.some((rule) => rule in schema)) return [];
  const [, lead, list = ''] = WORD_LIST.exec(description.trim()) ?? [];
  const words = list.match(/[a-z][\w-]*/gi)?.filter((word) => word !== 'or') ?? [];
  const isQuoted = list.match(/(["'`])[a-z][\w-]*\1/gi)?.length === words.length;
  const own = joinWords(name);
  // `State, province, region` says what a state is.
  const isMeaning = words.some((word) => own.split(' ').includes(word.toLowerCase()));
  const isList = lead !== undefined || isQuoted || (FEW_VALUES.test(own) && !isMeaning);
  return isList && !DATE_FORMAT.test(words.join(' ')) && words.length > 1 ? words : [];
}

function countReference(ancestors: readonly string[], reference: string): number {
  let count = 0;
  for (const ancestor of ancestors) if (ancestor === reference) count++;
  return count;
}

/** Returns whether an example can't be used, because two entries of an array would have the same id. */
function isRepeatedId({ isRepeated, name }: Place, example: unknown): boolean {
  return isRepeated === true && (isNode(example) ? Object.hasOwn(example, 'id') : name === 'id');
}

interface MergeOptions {
  readonly random: Random;
  /** Returns whether a reference may be followed once more. */
  readonly canFollow: (reference: string) => boolean;
  readonly limit: GenerationLimit;
}

/**
 * Merges a schema with its references and chosen alternatives.
 * If the schema has a discriminator, and other schemas extend it, merges one of these instead.
 * Restricts the discriminator to the value that selects the merged schema.
 */
function mergeSubtype(
  { document, merge }: Engine,
  node: unknown,
  { random, canFollow, limit }: MergeOptions,
): MergedSchema {
  const choices = {
    choose: chooseAtRandom.bind(undefined, random, canFollow),
    // A value that satisfies both `if` and `then` is valid, so the condition applies.
    applies: () => true,
    addSteps: (count: number) => limit.addSteps(count),
  };
  const merged = merge(node, choices);
  const name = getDiscriminatorName(merged.schema);
  const [base] = merged.references;
  if (name === undefined || base === undefined) return merged;
  const { schema: property } = merge(toNode(merged.schema.properties)[name], choices);
  if ('enum' in property || 'const' in property) return merged;
  const subtypes = getSubtypes(document, base).filter(canFollow);
  if (subtypes.length === 0) return setDiscriminator(merged, name, base);
  const subtype = random.pick(subtypes);
  const { schema, references } = merge(getNode(document, subtype), choices);
  return setDiscriminator({ schema, references: [subtype, ...references] }, name, subtype);
}

/** Restricts the discriminator property `name` to the value that selects the schema `reference` (a JSON Pointer). */
function setDiscriminator({ schema, references }: MergedSchema, name: string, reference: string): MergedSchema {
  const properties = toNode(schema.properties);
  const property = { allOf: [properties[name] ?? {}, { enum: [getDiscriminatorValue(schema, reference)] }] };
  return { schema: { ...schema, properties: { ...properties, [name]: property } }, references };
}

/**
 * Returns the example of a schema, which can be null.
 * Without an example, returns the default; undefined if there is none.
 */
function getExample({ examples, example, default: initial }: Node): unknown {
  const [first = example] = Array.isArray(examples) ? examples : [];
  return first === undefined ? (initial ?? undefined) : first;
}

/** Returns the name of the component schema to which the first reference refers; undefined if there is none. */
function getSubject([reference]: readonly string[]): string | undefined {
  return reference === undefined ? undefined : /^\/components\/schemas\/([^/]+)$/.exec(reference)?.[1];
}

function generateType(engine: Engine, input: Omit<ContainerInput, keyof Children>): unknown {
  const { schema, place, options, random } = input;
  const container = { ...input, ...createChildren(engine, place, options) };
  const isOuter = place.depth === 0 && place.isRepeated === undefined;
  // A request body such as a book with tags is no page of a list.
  const describe = (value: unknown) =>
    engine.excluded === 'writeOnly'
      ? describePage(schema, value, engine.getShape, isOuter ? options.page : undefined)
      : value;
  switch (chooseType(schema, random)) {
    case 'object':
      return describe(generateObject(container));
    case 'array':
      return isOuter ? describe(generateArray(container)) : generateArray(container);
    case 'integer':
      return generateNumber({ multipleOf: 1, ...schema }, place.name, random);
    case 'number':
      return generateNumber(schema, place.name, random);
    case 'boolean':
      return random.next() < 0.5;
    case 'null':
      return null;
    default:
      return generateString(schema, { ...place, isSent: engine.excluded === 'readOnly' }, random, options.limit);
  }
}

/** Returns the functions that generate the properties of an object or the entries of an array. */
function createChildren(engine: Engine, { ancestors }: Place, options: LimitedOptions): Children {
  const addSteps = (count: number) => options.limit.addSteps(count);
  const mergeFirst = (node: unknown) =>
    engine.merge(node, { choose: ([first]) => first, applies: () => true, addSteps });
  return {
    isExcluded: engine.isExcluded,
    isContainer: (node) => CONTAINERS.includes(chooseType(mergeFirst(node).schema, FIRST)),
    canRecur: (node) =>
      mergeFirst(node).references.every((reference) => countReference(ancestors, reference) <= MAX_RECURSIONS),
    generate: (node, place) => generate(engine, node, place, options),
  };
}

const CONTAINERS: readonly unknown[] = ['object', 'array'];

/** Chooses a value of an `enum`. Rarely chooses null, if there are other values. */
function chooseEnumValue(values: readonly unknown[], { usesExamples }: GeneratorOptions, random: Random): unknown {
  const others = values.filter((value) => value !== null);
  if (usesExamples) return others[0] ?? null;
  return random.pick(others.length > 0 && random.next() > NULL_PROBABILITY ? others : values);
}

/** Chooses one of the types of a schema. If the schema has no `type`, returns the type that other keywords suggest. */
function chooseType(schema: Node, { pick }: Pick<Random, 'pick'>): unknown {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null');
  if (types.length === 0) return 'null';
  const type = types.length > 1 ? pick(types) : types[0];
  if (type !== undefined) return type;
  const suggested = KEYWORDS_OF_TYPES.find(([, keywords]) => keywords.some((keyword) => keyword in schema));
  if (suggested) return suggested[0];
  const excluded = isNode(schema.not) && !('enum' in schema.not) ? [schema.not.type].flat() : [];
  return ['string', 'integer', 'boolean'].find((candidate) => !excluded.includes(candidate));
}

/** Picks the first value. */
const FIRST: Pick<Random, 'pick'> = { pick: ([first]) => first as never };

const KEYWORDS_OF_TYPES: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'additionalProperties', 'required', 'minProperties', 'patternProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'uniqueItems', 'contains']],
  ['number', ['minimum', 'maximum', 'multipleOf']],
];

import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node } from '../openapi/document.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { mixSeed } from '../util/random.ts';
import { tryOrError } from '../util/try-or-undefined.ts';
import { findAlternatives } from './find-alternatives.ts';
import { findInvalid } from './find-invalid.ts';
import {
  createShapes,
  type GetShape,
  getEntrySchema,
  getPropertySchema,
  isDocumented,
  isPlausible,
  type Shape,
} from './fit-schema.ts';
import { createGenerator, EndlessSchemaError, type Generate } from './generate.ts';
import { getEntriesPointer, getOwn, getPartName, getPartPointer, getPlace, type Part } from './value-part.ts';

/** A value that has what its schema requires. */
export interface CompletedValue {
  readonly value: unknown;
  /** The JSON Pointers of the values that were generated, with `*` for all entries of an array. */
  readonly generated: readonly string[];
}

/**
 * Completes a value for the schema at a JSON Pointer, so that it is a valid response if possible. Generates required properties that are missing. Omits
 * undocumented and `writeOnly` properties. Replaces invalid values: a required one by a generated value, an optional one by nothing. A generated value depends
 * only on the seed and on its place: the path below the closest object with an `id`, and this `id`. Returns the value itself if it is complete.
 */
export type CompleteValue = (schema: string, value: unknown, seed: number) => CompletedValue;

/** The maximum number of times that invalid values are replaced. */
const MAX_ROUNDS = 24;

/** The number of times that a value is generated with its optional properties. Later, they are omitted. */
const MAX_FULL_TRIES = 4;

/** The maximum number of values that are generated for a schema with alternatives, until one is valid. */
const MAX_ALTERNATIVE_TRIES = 40;

/** The tries after which no valid value is expected. */
const MAX_TRIES = 250;

/** An invalid object first gets its optional properties, then loses them, and then is replaced. */
const MAX_OBJECT_TRIES = 2;

/** An invalid array first loses repeated entries, and then is replaced. */
const MAX_ARRAY_TRIES = 1;

/** Creates a function that completes values for the schemas of a contract. */
export function createCompleter(
  contract: Contract,
  generate: Generate = createGenerator(contract.normalized),
): CompleteValue {
  const { normalized, getErrors } = contract;
  const getShape = createShapes(normalized);
  return (schema, value, seed) => {
    const node = getNode(normalized, schema);
    const found = getErrors(schema, value);
    // Most values are complete, and this check is ten times faster. No value can be valid if the schema is not usable.
    if (found.length === 0 ? hasOnlyDocumented(getShape, node, value) : found.some(isUnusable))
      return { value, generated: [] };
    const tries = new Map<string, number>();
    const root = { node, value, parent: undefined, step: '', isRequired: true };
    for (let round = 0; ; round++) {
      const shared = { getShape, generate: generatePart.bind(undefined, contract, generate, seed), tries };
      const context = { ...shared, generated: new Set<string>(), shown: new Set<string>(), chosen: new Map() };
      const completed = complete(context, root);
      const errors = getErrors(schema, completed);
      const isLast = round === MAX_ROUNDS || [...tries.values()].some((count) => count > MAX_TRIES);
      if (errors.length === 0 || isLast) return { value: completed, generated: [...context.shown] };
      for (const { pointer, addedTries } of findInvalid(errors, { ...context, value: completed, getErrors }))
        tries.set(pointer, (tries.get(pointer) ?? 0) + addedTries);
    }
  };
}

/** Returns whether an error says that ajv can't use the schema. */
export function isUnusable({ keyword }: ReturnType<Contract['getErrors']>[number]): boolean {
  return keyword === 'unusable';
}

/** Returns whether a valid value has neither undocumented nor `writeOnly` properties. */
function hasOnlyDocumented(getShape: GetShape, node: unknown, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const shape = getShape(node, value);
  if (Array.isArray(value))
    return value.every((entry, index) => hasOnlyDocumented(getShape, getEntrySchema(shape, index), entry));
  return Object.entries(value).every(
    ([name, own]) => isDocumented(shape, name) && hasOnlyDocumented(getShape, getPropertySchema(shape, name), own),
  );
}

/** The context in which a value is completed, and its results. */
interface Context {
  readonly getShape: GetShape;
  /** Generates a value for a part. Returns undefined if the schema requires endless nesting. */
  readonly generate: (part: Part, tries: number) => unknown;
  /** How often the values at JSON Pointers were found invalid. Values that fit several alternatives count more. */
  readonly tries: ReadonlyMap<string, number>;
  /** The JSON Pointers of the generated values. */
  readonly generated: Set<string>;
  /** These pointers, with `*` for the entries of arrays. */
  readonly shown: Set<string>;
  /** The JSON Pointers of the alternatives that were chosen for values, by the JSON Pointer of the value. */
  readonly chosen: Map<string, string>;
}

function generatePart(contract: Contract, generate: Generate, seed: number, part: Part, tries: number): unknown {
  const generateTry = (number: number) => {
    const seeds = { seed: mixSeed(seed, `${getPlace(part)} ${number}`), entitySeed: seed + number };
    const options = { ...seeds, usesExamples: number === 0, isBare: number > MAX_FULL_TRIES, query: {} };
    const value = tryOrError(EndlessSchemaError, () => generate(part.node, { ...options, name: getPartName(part) }));
    return value instanceof EndlessSchemaError ? undefined : value;
  };
  const schema = tries === 0 ? undefined : findAlternatives(contract.normalized, part.node);
  if (schema === undefined) return generateTry(tries);
  // Alternatives that overlap need many tries, and a part is validated faster than the whole value.
  for (let number = 1; number < MAX_ALTERNATIVE_TRIES; number++) {
    const value = generateTry(number);
    if (value !== undefined && contract.isValid(schema, value)) return value;
  }
  return generateTry(tries);
}

/** Returns a completed copy of a part; undefined if the part is omitted. */
function complete(context: Context, part: Part): unknown {
  const { value, isRequired } = part;
  const tries = getTries(context, part);
  if (value === undefined) return replace(context, part, tries);
  const shape = context.getShape(part.node, value, tries);
  if (shape.chosen !== undefined) context.chosen.set(getPartPointer(part), shape.chosen);
  // The first tries use the other alternatives.
  const furtherTries = Math.max(0, tries - Math.max(0, shape.alternatives - 1));
  if (furtherTries > getMaxTries(value) || !isPlausible(shape.schema, value))
    return isRequired ? replace(context, part, tries) : undefined;
  if (Array.isArray(value)) return completeArray(context, { ...part, value }, shape, furtherTries);
  return isNode(value) ? completeObject(context, { ...part, value }, shape, furtherTries) : value;
}

function getTries({ tries }: Context, part: Part): number {
  return tries.size === 0 ? 0 : (tries.get(getPartPointer(part)) ?? 0);
}

function getMaxTries(value: unknown): number {
  if (Array.isArray(value)) return MAX_ARRAY_TRIES;
  return isNode(value) ? MAX_OBJECT_TRIES : 0;
}

function replace(context: Context, part: Part, tries: number): unknown {
  const value = context.generate(part, tries);
  if (value === undefined) return undefined;
  context.generated.add(getPartPointer(part));
  context.shown.add(getEntriesPointer(part));
  return value;
}

function completeObject(context: Context, part: Part<Node>, shape: Shape, tries: number): Node {
  const { value } = part;
  const { properties, required, writeOnly } = shape;
  const given = Object.keys(value).filter(
    (name) => isDocumented(shape, name) && (tries < MAX_OBJECT_TRIES || required.has(name)),
  );
  const others = tries === 1 ? Object.keys(properties) : findMissing(context, part, properties);
  const missing = [...required, ...others].filter((name) => getOwn(value, name) === undefined && !writeOnly.has(name));
  const entries = [...given, ...new Set(missing)].flatMap((name) => {
    const node = getPropertySchema(shape, name);
    const isRequired = required.has(name);
    const completed = complete(context, { node, value: getOwn(value, name), parent: part, step: name, isRequired });
    return completed === undefined ? [] : [[name, completed] as const];
  });
  const isSame = entries.length === Object.keys(value).length && entries.every(([name, own]) => value[name] === own);
  return isSame ? value : Object.fromEntries(entries);
}

/** Returns the names of missing properties that the validator requires, because of other properties. */
function findMissing({ tries }: Context, part: Part<Node>, properties: Node): readonly string[] {
  if (tries.size === 0) return [];
  const pointer = getPartPointer(part);
  return Object.keys(properties).filter((name) => tries.has(pointer + formatPointer(name)));
}

function completeArray(context: Context, part: Part<readonly unknown[]>, shape: Shape, tries: number) {
  const { value } = part;
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems } = shape.schema;
  const isRepeated = (entry: unknown, index: number) =>
    uniqueItems === true && value.findIndex((other) => isDeepStrictEqual(other, entry)) < index;
  const given = (tries === 0 ? value : value.filter((entry, index) => !isRepeated(entry, index))).slice(
    0,
    Number(maxItems),
  );
  const padded = [...given, ...Array.from({ length: Math.max(0, Number(minItems) - given.length) })];
  const completed = padded
    .map((entry, step) =>
      complete(context, { node: getEntrySchema(shape, step), value: entry, parent: part, step, isRequired: true }),
    )
    .filter((entry) => entry !== undefined);
  const isSame = completed.length === value.length && completed.every((entry, index) => entry === value[index]);
  return isSame ? value : completed;
}

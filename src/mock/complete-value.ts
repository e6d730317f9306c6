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
import { createGenerator, type Generate } from './generate.ts';
import { EndlessSchemaError, GenerationLimit } from './generation-limit.ts';
import { getEntriesPointer, getOwn, getPartName, getPartPointer, getPlace, type Part } from './value-part.ts';

/** A value that was changed to be a valid response, and the places of its generated parts. */
export interface CompletedValue {
  readonly value: unknown;
  /** The JSON Pointers of the values that were generated, with `*` for all entries of an array. */
  readonly generated: readonly string[];
}

/**
 * Changes a value until it is a valid response for the schema at a JSON Pointer, if possible. Generates missing required properties. Removes undocumented and
 * `writeOnly` properties. Replaces invalid required values, and removes invalid optional values. A generated value depends only on the seed, on the closest
 * `id` around it, and on the path from there. Returns a valid response unchanged. If the schema requires too many values, the result is not valid. `limit`:
 * limits the work (default: a limit for this value alone).
 */
export type CompleteValue = (schema: string, value: unknown, seed: number, limit?: GenerationLimit) => CompletedValue;

/** The maximum number of rounds. In each round, the value is validated and its invalid parts are replaced. */
const MAX_ROUNDS = 24;

/** The number of attempts to generate a value with its optional properties. Further attempts omit optional properties. */
const MAX_FULL_TRIES = 4;

/** The maximum number of values that are generated to find a valid value for a schema with a `oneOf` or `anyOf`. */
const MAX_ALTERNATIVE_TRIES = 40;

/** The maximum number of attempts to replace a part of a value. With more attempts, no valid value is expected. */
const MAX_TRIES = 250;

/**
 * The number of attempts to correct an invalid object before it is replaced. The first attempt adds all optional properties, and the second attempt removes
 * them.
 */
const MAX_OBJECT_TRIES = 2;

/** The number of attempts to correct an invalid array before it is replaced. The attempt removes repeated entries. */
const MAX_ARRAY_TRIES = 1;

/** Creates a function that changes values until they are valid responses for schemas of a contract. */
export function createCompleter(
  contract: Contract,
  generate: Generate = createGenerator(contract.normalized),
): CompleteValue {
  const { normalized, getErrorsOfComplete: getErrors } = contract;
  const getShape = createShapes(normalized);
  return (schema, value, seed, limit = new GenerationLimit()) => {
    const node = getNode(normalized, schema);
    const found = getErrors(schema, value);
    // Most values are already valid responses, and this check is ten times faster than a round. If ajv can't use the schema, no value is valid.
    if (found.length === 0 ? hasOnlyDocumented(getShape, node, value) : found.some(isUnusable))
      return { value, generated: [] };
    const tries = new Map<string, number>();
    const root = { node, value, parent: undefined, step: '', isRequired: true };
    for (let round = 0; ; round++) {
      const shared = {
        getShape,
        generate: generatePart.bind(undefined, contract, generate, { seed, limit }),
        tries,
        limit,
      };
      const context = { ...shared, generated: new Set<string>(), shown: new Set<string>(), chosen: new Map() };
      const completed = tryOrError(EndlessSchemaError, () => complete(context, root));
      if (completed instanceof EndlessSchemaError) return { value, generated: [] };
      const errors = getErrors(schema, completed);
      const isLast = round === MAX_ROUNDS || limit.isReached || [...tries.values()].some((count) => count > MAX_TRIES);
      if (errors.length === 0 || isLast) return { value: completed, generated: [...context.shown] };
      for (const { pointer, addedTries } of findInvalid(errors, { ...context, value: completed, getErrors }))
        tries.set(pointer, (tries.get(pointer) ?? 0) + addedTries);
    }
  };
}

/** Returns whether a validation error says that ajv, the validator, can't use the schema. */
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

/** The functions and results of one round. In each round, a value is validated and its invalid parts are replaced. */
interface Context {
  readonly getShape: GetShape;
  /**
   * Generates a value for one part, such as a property. Returns undefined if the schema requires endlessly nested values. `tries`: the number of earlier
   * attempts.
   */
  readonly generate: (part: Part, tries: number) => unknown;
  /** The number of earlier attempts to correct a value. The key is the JSON Pointer of the value. */
  readonly tries: ReadonlyMap<string, number>;
  /** The JSON Pointers of the generated values. */
  readonly generated: Set<string>;
  /** The JSON Pointers in `generated`, with `*` in place of array indexes. */
  readonly shown: Set<string>;
  /** For each value with a `oneOf` or `anyOf`: the JSON Pointer of the value (key), and the JSON Pointer of the chosen alternative. */
  readonly chosen: Map<string, string>;
  readonly limit: GenerationLimit;
}

/** The options of all generated parts of a value. */
type PartOptions = { readonly seed: number; readonly limit: GenerationLimit };

function generatePart(
  contract: Contract,
  generate: Generate,
  { seed, limit }: PartOptions,
  part: Part,
  tries: number,
): unknown {
  const generateTry = (number: number) => {
    const seeds = { seed: mixSeed(seed, `${getPlace(part)} ${number}`), entitySeed: seed + number };
    const options = { ...seeds, usesExamples: number === 0, omitsOptional: number > MAX_FULL_TRIES, query: {}, limit };
    const value = tryOrError(EndlessSchemaError, () => generate(part.node, { ...options, name: getPartName(part) }));
    return value instanceof EndlessSchemaError ? undefined : value;
  };
  const schema = tries === 0 ? undefined : findAlternatives(contract.normalized, part.node);
  if (schema === undefined) return generateTry(tries);
  // Overlapping alternatives need many attempts. Each attempt validates only the part, which is faster than a round for the whole value.
  for (let number = 1; number < MAX_ALTERNATIVE_TRIES; number++) {
    const value = generateTry(number);
    if (value !== undefined && contract.isValid(schema, value)) return value;
  }
  return generateTry(tries);
}

/** Returns a corrected copy of a part of the value, such as a property; undefined if the part is removed. */
function complete(context: Context, part: Part): unknown {
  const { value, isRequired } = part;
  const tries = getTries(context, part);
  if (value === undefined) return replace(context, part, tries);
  const shape = context.getShape(part.node, value, tries);
  if (shape.chosen !== undefined) context.chosen.set(getPartPointer(part), shape.chosen);
  // The first attempts use the other alternatives of the schema.
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
  const present = Object.keys(value).filter(
    (name) => isDocumented(shape, name) && (tries < MAX_OBJECT_TRIES || required.has(name)),
  );
  const others = tries === 1 ? Object.keys(properties) : findMissing(context, part, properties);
  const missing = [...required, ...others].filter((name) => getOwn(value, name) === undefined && !writeOnly.has(name));
  const entries = [...present, ...new Set(missing)].flatMap((name) => {
    const node = getPropertySchema(shape, name);
    const isRequired = required.has(name);
    const completed = complete(context, { node, value: getOwn(value, name), parent: part, step: name, isRequired });
    return completed === undefined ? [] : [[name, completed] as const];
  });
  const isSame = entries.length === Object.keys(value).length && entries.every(([name, own]) => value[name] === own);
  return isSame ? value : Object.fromEntries(entries);
}

/** Returns the names of missing properties that the validator has reported, for example because of `dependentRequired`. */
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
  const present = (tries === 0 ? value : value.filter((entry, index) => !isRepeated(entry, index))).slice(
    0,
    Number(maxItems),
  );
  context.limit.requireValues(Number(minItems));
  const padded = [...present, ...Array.from({ length: Math.max(0, Number(minItems) - present.length) })];
  const completed = padded
    .map((entry, step) =>
      complete(context, { node: getEntrySchema(shape, step), value: entry, parent: part, step, isRequired: true }),
    )
    .filter((entry) => entry !== undefined);
  const isSame = completed.length === value.length && completed.every((entry, index) => entry === value[index]);
  return isSame ? value : completed;
}

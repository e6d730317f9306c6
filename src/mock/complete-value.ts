import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../openapi/contract.ts';
import { type Document, getNode, isNode, type Node, parseReference } from '../openapi/document.ts';
import { groupByPointer } from '../openapi/schema-validator.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { toSingular } from '../util/names.ts';
import { mixSeed } from '../util/random.ts';
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
import { GenerationLimit, generateWithinLimit } from './generation-limit.ts';

/** A value after one round of corrections, and what the round has changed. */
interface Completed extends Pick<Contract, 'getErrors'> {
  readonly value: unknown;
  /** The JSON Pointers of the generated values. */
  readonly generated: ReadonlySet<string>;
  /**
   * For each value with a `oneOf` or `anyOf`: the JSON Pointer of the value (key), and the JSON Pointer of the chosen
   * alternative.
   */
  readonly chosen: ReadonlyMap<string, string>;
}

type Errors = ReturnType<Contract['getErrors']>;

/** An invalid value. */
interface InvalidValue {
  readonly pointer: string;
  /** How much to increase the number of attempts to correct this value. */
  readonly addedTries: number;
}

/**
 * How much to increase the number of attempts for a value that matches several alternatives of a `oneOf`.
 * The number is so high that the value is replaced at once, because choosing another alternative would not help.
 */
const OVERLAP_TRIES = 100;

/**
 * Returns the innermost invalid values.
 * If a part of a generated value is invalid, returns the whole generated value.
 */
function findInvalid(errors: Errors, completed: Completed): readonly InvalidValue[] {
  const invalid = findValues(errors, '', completed);
  const innermost = invalid.filter(({ pointer }) => !invalid.some((other) => isBelow(other.pointer, pointer)));
  const byPointer = new Map<string, InvalidValue>();
  for (const { pointer, addedTries } of innermost) {
    const place = findGenerated(pointer, completed.generated) ?? pointer;
    // A generated value is always generated again, so one attempt is enough.
    byPointer.set(place, { pointer: place, addedTries: place === pointer ? addedTries : 1 });
  }
  return [...byPointer.values()];
}

/**
 * Returns the values with errors.
 * If a value violates a `oneOf` or `anyOf`, returns its parts that violate the chosen alternative.
 * `base`: the JSON Pointer of the validated value.
 */
function findValues(errors: Errors, base: string, completed: Completed): readonly InvalidValue[] {
  const grouped = [...groupByPointer(errors)];
  const unions = grouped.flatMap(([pointer, { keyword }]) =>
    keyword === 'oneOf' || keyword === 'anyOf' ? pointer : [],
  );
  return grouped.flatMap(([pointer, { params }]) => {
    if (unions.some((union) => isBelow(pointer, union))) return [];
    const place = base + pointer;
    const chosen = unions.includes(pointer) ? completed.chosen.get(place) : undefined;
    const inner = chosen === undefined ? [] : completed.getErrors(chosen, getNode(completed.value, place));
    if (inner.length === 0)
      return [{ pointer: place, addedTries: Array.isArray(params.passingSchemas) ? OVERLAP_TRIES : 1 }];
    // Without this removal, a schema that is an alternative of itself would cause endless recursion.
    const others = new Map([...completed.chosen].filter(([key]) => key !== place));
    return findValues(inner, place, { ...completed, chosen: others });
  });
}

function isBelow(pointer: string, ancestor: string): boolean {
  return pointer.startsWith(`${ancestor}/`);
}

/** Returns the JSON Pointer of the generated value at or around `pointer`; undefined if there is none. */
function findGenerated(pointer: string, generated: ReadonlySet<string>): string | undefined {
  if (generated.has(pointer)) return pointer;
  const end = pointer.lastIndexOf('/');
  return end < 0 ? undefined : findGenerated(pointer.slice(0, end), generated);
}

/** A part of a value, such as a property, and the schema of this part. */
interface Part<Value = unknown> {
  readonly node: unknown;
  /** Undefined if the value is missing. */
  readonly value: Value;
  /** The object or array that has the part; undefined for the whole value. */
  readonly parent: Part | undefined;
  /** The name of the property, or the index of the array entry. */
  readonly step: string | number;
  readonly isRequired: boolean;
}

/** Returns the JSON Pointer of a part. */
function getPartPointer({ parent, step }: Part): string {
  return parent ? getPartPointer(parent) + formatPointer(step) : '';
}

/** Returns the JSON Pointer of a part with `*` for the entries of arrays. */
function getEntriesPointer({ parent, step }: Part): string {
  return parent ? getEntriesPointer(parent) + formatPointer(typeof step === 'number' ? '*' : step) : '';
}

/**
 * Returns the path to a part from the closest object with an `id`: `#7/address/city` in the object with the `id` 7.
 * So the path does not depend on the position of the object in a list.
 */
function getPlace({ parent, step }: Part): string {
  if (!parent) return '';
  const id = isNode(parent.value) ? getOwn(parent.value, 'id') : undefined;
  const isId = typeof id === 'string' || typeof id === 'number';
  return (isId ? `#${id}` : getPlace(parent)) + formatPointer(step);
}

/**
 * Returns the property name of a part.
 * For an array entry, returns the singular of the array's name: `pet` for an entry of `pets`.
 */
function getPartName({ parent, step }: Part): string {
  if (typeof step === 'string') return step;
  return parent ? toSingular(getPartName(parent)) : '';
}

/** Returns the value of an own property; undefined if the object does not have it. */
function getOwn(node: Node, name: string): unknown {
  return Object.hasOwn(node, name) ? node[name] : undefined;
}

/**
 * Returns the JSON Pointer of a schema that has a `oneOf` or `anyOf`.
 * For a reference, returns the JSON Pointer of its target.
 * Returns undefined for other schemas.
 */
function findAlternatives(document: Document, node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return typeof node.$ref === 'string' ? parseReference(node.$ref) : findPointers(document).get(node);
}

/** Returns the JSON Pointers of the objects in a document that have a `oneOf` or `anyOf`. */
const findPointers = memoizeByObject((document: Document): ReadonlyMap<unknown, string> => {
  const pointers = new Map<unknown, string>();
  const collect = (node: unknown, pointer: string): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray((node as Node).oneOf) || Array.isArray((node as Node).anyOf)) pointers.set(node, pointer);
    for (const [key, value] of Object.entries(node)) collect(value, pointer + formatPointer(key));
  };
  collect(document, '');
  return pointers;
});

/** A value that was changed to be a valid response, and the places of its generated parts. */
interface CompletedValue {
  readonly value: unknown;
  /** The JSON Pointers of the values that were generated, with `*` for all entries of an array. */
  readonly generated: readonly string[];
}

/**
 * Changes a value until it is a valid response for the schema at a JSON Pointer, if possible.
 * Generates missing required properties.
 * Removes undocumented and `writeOnly` properties.
 * Replaces invalid required values, and removes invalid optional values.
 * A generated value depends only on the seed, on the closest `id` around it, and on the path from there.
 * Returns a valid response unchanged.
 * If the schema requires too many values, the result is not valid.
 * `limit`: limits the work (default: a limit for this value alone).
 */
export type CompleteValue = (schema: string, value: unknown, seed: number, limit?: GenerationLimit) => CompletedValue;

/** The maximum number of rounds. In each round, the value is validated and its invalid parts are replaced. */
const MAX_ROUNDS = 24;

/**
 * The number of attempts to generate a value with its optional properties.
 * Further attempts omit optional properties.
 */
const MAX_FULL_TRIES = 4;

/** The maximum number of values that are generated to find a valid value for a schema with a `oneOf` or `anyOf`. */
const MAX_ALTERNATIVE_TRIES = 40;

/** The maximum number of attempts to replace a part of a value. With more attempts, no valid value is expected. */
const MAX_TRIES = 250;

/**
 * The number of attempts to correct an invalid object before it is replaced.
 * The first attempt adds all optional properties, and the second attempt removes them.
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
    // Most values are already valid responses, and this check is ten times faster than a round.
    // If ajv can't use the schema, no value is valid.
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
      const completed = generateWithinLimit(() => complete(context, root));
      if (!completed) return { value, generated: [] };
      const errors = getErrors(schema, completed.value);
      const isLast = round === MAX_ROUNDS || limit.isReached || [...tries.values()].some((count) => count > MAX_TRIES);
      if (errors.length === 0 || isLast) return { value: completed.value, generated: [...context.shown] };
      for (const { pointer, addedTries } of findInvalid(errors, { ...context, value: completed.value, getErrors }))
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
   * Generates a value for one part, such as a property.
   * Returns undefined if the schema requires endlessly nested values.
   * `tries`: the number of earlier attempts.
   */
  readonly generate: (part: Part, tries: number) => unknown;
  /** The number of earlier attempts to correct a value. The key is the JSON Pointer of the value. */
  readonly tries: ReadonlyMap<string, number>;
  /** The JSON Pointers of the generated values. */
  readonly generated: Set<string>;
  /** The JSON Pointers in `generated`, with `*` in place of array indexes. */
  readonly shown: Set<string>;
  /**
   * For each value with a `oneOf` or `anyOf`: the JSON Pointer of the value (key), and the JSON Pointer of the chosen
   * alternative.
   */
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
    return generateWithinLimit(() => generate(part.node, { ...options, name: getPartName(part) }))?.value;
  };
  const schema = tries === 0 ? undefined : findAlternatives(contract.normalized, part.node);
  if (schema === undefined) return generateTry(tries);
  // Overlapping alternatives need many attempts.
  // Each attempt validates only the part, which is faster than a round for the whole value.
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

/**
 * Returns the names of missing properties that the validator has reported, for example because of `dependentRequired`.
 */
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

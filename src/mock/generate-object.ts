import { isNode, type Node, omitKeys, toNode } from '../openapi/document.ts';
import { joinWords, normalizeName } from '../util/names.ts';
import { createRandom, mixSeed, type Random, toSeed } from '../util/random.ts';
import type { GenerationLimit } from './generation-limit.ts';
import type { ContainerInput, GeneratorOptions, Place } from './place.ts';
import { generateString } from './primitives.ts';

/** The probability that an optional property is generated. */
const OPTIONAL_PROBABILITY = 0.8;

/** The number of properties of an object with arbitrary property names, if the schema has no limits. */
const MAP_SIZE = 2;

/** The maximum number of attempts to generate further properties. */
const MAX_ATTEMPTS = 60;

/** The number of generated values to reserve for an optional object or array. */
const CONTAINER_BUDGET = 3;

/**
 * The maximum number of generated values in the outermost object with an `id`.
 * With this limit, the object has the same properties alone and as the entry of a list.
 */
const ENTITY_BUDGET = 400;

/** Matches the names of properties that name a person. */
const PERSON_NAMES =
  /^(?:(?:first|given|last|family|sur|full|display|user|nick|screen)?[-_]?name|e?mail(?:[-_]?address)?|log_?in|handle)$/i;

/** Generates an object. If it has an `id`, its other values depend only on this `id`. */
export function generateObject(input: ContainerInput): Node {
  const { schema, generate, options } = input;
  const properties = toNode(schema.properties);
  options.limit.requireValues(Math.max(countRequired(schema), Number(schema.minProperties ?? 0)));
  const { place, id } = enterEntity(input, properties);
  const names = chooseNames({ ...input, place }, properties);
  const containers = names.filter((name) => input.isContainer(properties[name]));
  const budget = (place.budget - names.length) / Math.max(1, containers.length);
  const isPerson = names.filter((name) => PERSON_NAMES.test(name)).length > 1;
  const createPlace = (name: string): Place => {
    // The names and the e-mail address of a person have the same seed, so that they fit each other.
    const seed = isPerson && PERSON_NAMES.test(name) ? { seed: mixSeed(place.seed, 'person') } : {};
    return { ...getInnerPlace(place, name), ...seed, budget };
  };
  // A Map, since a property can have the name `__proto__`.
  const values = new Map<string, unknown>();
  for (const name of names) {
    const node = Object.hasOwn(properties, name) ? properties[name] : toNode(schema.additionalProperties);
    values.set(name, name === 'id' && id !== undefined ? id : generate(node, createPlace(name)));
  }
  addProperties({ ...input, place }, values, createPlace);
  alignIds(input, properties, values);
  if (!isNode(place.knownValues)) orderRanges(properties, values);
  return Object.fromEntries(values);
}

/** Sets generated ids such as `seat_id` to the ids of the objects beside them, such as `seat`. */
function alignIds({ place, options }: ContainerInput, properties: Node, values: Map<string, unknown>): void {
  const known = toNode(place.knownValues);
  for (const [name, value] of values) {
    if (!isNode(value) || !Object.hasOwn(value, 'id')) continue;
    const [own, ...others] = [...values.keys()].filter((key) => normalizeName(key) === `${normalizeName(name)}id`);
    if (own === undefined || others.length > 0) continue;
    const node = toNode(properties[own]);
    const isFixed = ['enum', 'const', 'pattern'].some((key) => key in node) || Object.hasOwn(known, own);
    const isExample = options.usesExamples && ['example', 'examples', 'default'].some((key) => key in node);
    if (!isFixed && !isExample && haveSameForm(value.id, values.get(own))) values.set(own, value.id);
  }
}

/** Returns whether two ids are integers, or texts of the same length, such as two UUIDs. */
function haveSameForm(first: unknown, other: unknown): boolean {
  if (typeof first === 'string' && typeof other === 'string') return first.length === other.length;
  return Number.isInteger(first) && Number.isInteger(other);
}

/** Words for the start and the end of a range in the names of properties: `startsAt` and `endsAt`. */
const RANGES: readonly (readonly [start: string, end: string])[] = [
  ['start', 'end'],
  ['starts', 'ends'],
  ['from', 'to'],
  ['from', 'until'],
  ['begin', 'end'],
  ['checkin', 'checkout'],
  ['check in', 'check out'],
  ['departure', 'arrival'],
  ['opens', 'closes'],
  ['min', 'max'],
];

/** Exchanges the generated start and end of a range if the start is after the end, and both have the same schema. */
function orderRanges(properties: Node, values: Map<string, unknown>): void {
  const names = [...values].flatMap(([name, value]) => (isOrdered(value) ? [name] : []));
  if (names.length < 2) return;
  const byWords = new Map(names.map((name) => [` ${joinWords(name)} `, name]));
  for (const [words, first] of byWords)
    for (const [start, end] of RANGES) {
      const last = words.includes(` ${start} `) ? byWords.get(words.replace(` ${start} `, ` ${end} `)) : undefined;
      if (last === undefined || !haveSameSchema(properties[first], properties[last])) continue;
      const [low, high] = [values.get(first), values.get(last)];
      if (isOrdered(low) && isOrdered(high) && low > high) values.set(first, high).set(last, low);
    }
}

/** Returns whether a value is a number, a date or a time of day. */
function isOrdered(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && /^(?:\d{4}-\d\d-\d\d|\d\d:\d\d)/.test(value));
}

/** Returns whether two schemas allow the same values, and neither names values. */
function haveSameSchema(first: unknown, last: unknown): boolean {
  const [one, other] = [first, last].map((schema) =>
    JSON.stringify(omitKeys(toNode(schema), ['title', 'description'])),
  );
  return one === other && !['example', 'examples', 'enum', 'default', 'const'].some((key) => key in toNode(first));
}

function countRequired({ required }: Node): number {
  return Array.isArray(required) ? required.length : 0;
}

/**
 * Generates the `id` of an object.
 * Returns the `id`, and the place of the object with a seed that depends on the `id`.
 * Returns the place unchanged if the object has no `id`.
 */
function enterEntity(input: ContainerInput, properties: Node): { readonly place: Place; readonly id?: unknown } {
  const { place, options, generate, isContainer, isExcluded } = input;
  const node = Object.hasOwn(properties, 'id') ? properties.id : undefined;
  if (node === undefined || isContainer(node) || isExcluded(node)) return { place };
  const id = generate(node, getInnerPlace(place, 'id'));
  const seed = toSeed(`${options.entitySeed ?? options.seed}#${id}`);
  const budget = place.isInEntity ? place.budget : Math.min(place.budget, ENTITY_BUDGET);
  return { place: { ...place, seed, budget, isInEntity: true }, id };
}

function getInnerPlace(place: Place, name: string): Place {
  return {
    ...place,
    name,
    seed: mixSeed(place.seed, name),
    knownValues:
      isNode(place.knownValues) && Object.hasOwn(place.knownValues, name) ? place.knownValues[name] : undefined,
    depth: place.depth + 1,
    isRepeated: place.isRepeated === true && name === 'id',
  };
}

/** Chooses the properties of a generated object. Returns their names in the order of the schema. */
function chooseNames(input: ContainerInput, properties: Node): readonly string[] {
  const { schema, place, isContainer, isExcluded } = input;
  const required = new Set<string>(Array.isArray(schema.required) ? schema.required : []);
  const names = [...new Set([...Object.keys(properties), ...required])].filter((name) => !isExcluded(properties[name]));
  const isRequired = (name: string) => required.has(name);
  const wanted = names.filter((name) => isRequired(name) || isWanted(input, name));
  const containers = wanted.filter((name) => isContainer(properties[name]));
  const hasBudget = place.budget - wanted.length >= containers.length * CONTAINER_BUDGET;
  const affordable = hasBudget ? wanted : wanted.filter((name) => isRequired(name) || !containers.includes(name));
  let room = Number(schema.maxProperties ?? Number.POSITIVE_INFINITY) - names.filter(isRequired).length;
  return affordable.filter((name) => isRequired(name) || room-- > 0);
}

/** Decides whether to generate an optional property. */
function isWanted({ schema, place, options, isContainer }: ContainerInput, name: string): boolean {
  const isPresentByQuery = isPresent(schema, name, options);
  if (isPresentByQuery !== undefined) return isPresentByQuery;
  const node = toNode(schema.properties)[name];
  if (options.omitsOptional || (place.omitsContainers && isContainer(node))) return false;
  if (options.usesExamples || options.includesOptional || name === 'id') return true;
  if (isNode(place.knownValues) && Object.hasOwn(place.knownValues, name)) return true;
  return createRandom(mixSeed(place.seed, `${name}?`)).next() < OPTIONAL_PROBABILITY;
}

/**
 * Returns whether the request asks for a property by the extension `x-present-with`: with `{ owner: expand=owner }`,
 * the query `?expand=owner` asks for `owner`.
 * Returns undefined if the extension does not name the property.
 */
function isPresent(schema: Node, property: string, { query }: GeneratorOptions): boolean | undefined {
  const conditions = schema['x-present-with'];
  const [name = '', value] = isNode(conditions) ? String(conditions[property] ?? '').split('=') : [];
  return value === undefined ? undefined : query[name] === value;
}

/**
 * Adds properties whose names the schema does not list.
 * An object with arbitrary property names gets some, and `minProperties` can require more.
 */
function addProperties(input: ContainerInput, values: Map<string, unknown>, createPlace: (name: string) => Place) {
  const { schema, place, options, generate, canRecur } = input;
  const isFilled =
    isMap(schema) && !options.omitsOptional && !place.omitsContainers && canRecur(schema.additionalProperties);
  const least = Math.max(Number(schema.minProperties ?? 0), isFilled ? MAP_SIZE : 0);
  const most = Number(schema.maxProperties ?? Number.POSITIVE_INFINITY);
  for (let number = 1; values.size < Math.min(least, most) && number <= MAX_ATTEMPTS; number++) {
    const inner = { ...createPlace(`key${number}`), name: place.name };
    const [key, node] = createAdditionalProperty(schema, number, createRandom(inner.seed), options.limit);
    if (!values.has(key)) values.set(key, generate(node, inner));
  }
}

/** Returns the name and the schema of a new property that the object schema does not list. */
function createAdditionalProperty(
  schema: Node,
  number: number,
  random: Random,
  limit: GenerationLimit,
): readonly [string, unknown] {
  const place = { name: 'key', subject: '' };
  const [[pattern, property] = []] = Object.entries(toNode(schema.patternProperties));
  if (pattern !== undefined) return [generateString({ pattern }, place, random, limit), property];
  const names = schema.propertyNames;
  const key = isNode(names) ? generateString(names, place, random, limit) : `key${number}`;
  return [key, toNode(schema.additionalProperties)];
}

function isMap({ properties, additionalProperties, patternProperties }: Node): boolean {
  return (isNode(additionalProperties) || isNode(patternProperties)) && Object.keys(toNode(properties)).length === 0;
}

import { isNode, type Node, toNode } from '../openapi/document.ts';
import { createRandom, mixSeed, type Random, toSeed } from '../util/random.ts';
import { describeList } from './describe-list.ts';
import type { ContainerInput, GeneratorOptions, Place } from './place.ts';
import { generateString } from './primitives.ts';

/** The probability of an optional property. */
const OPTIONAL_PROBABILITY = 0.8;

/** The number of properties of a map without limits. */
const MAP_SIZE = 2;

/** The maximum number of attempts to generate further properties. */
const MAX_ATTEMPTS = 60;

/** The budget that an optional object or array needs. */
const CONTAINER_BUDGET = 3;

/** The maximum budget of an object with an `id` that is not in another one. It has the same properties alone and in a list. */
const ENTITY_BUDGET = 400;

/** Generates an object. If it has an `id`, its other values depend only on this `id`. */
export function generateObject(input: ContainerInput): Node {
  const { schema, generate } = input;
  const properties = toNode(schema.properties);
  const { place, id } = enterEntity(input, properties);
  const names = chooseNames({ ...input, place }, properties);
  const containers = names.filter((name) => input.isContainer(properties[name]));
  const budget = (place.budget - names.length) / Math.max(1, containers.length);
  const createPlace = (name: string): Place => ({ ...getInnerPlace(place, name), budget });
  // A Map, since a property can have the name `__proto__`.
  const values = new Map<string, unknown>();
  for (const name of names) {
    const node = Object.hasOwn(properties, name) ? properties[name] : toNode(schema.additionalProperties);
    values.set(name, name === 'id' && id !== undefined ? id : generate(node, createPlace(name)));
  }
  addProperties({ ...input, place }, values, createPlace);
  return describeList(schema, Object.fromEntries(values));
}

/** Returns the place of an object whose seed depends on its `id`, and the `id`. Returns the place itself if the object has no `id`. */
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
    given: isNode(place.given) && Object.hasOwn(place.given, name) ? place.given[name] : undefined,
    depth: place.depth + 1,
    isRepeated: place.isRepeated === true && name === 'id',
  };
}

/** Returns the names of the properties of an object, in the order of the schema. */
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

/** Returns whether an optional property is included. */
function isWanted({ schema, place, options, isContainer }: ContainerInput, name: string): boolean {
  const isPresentByQuery = isPresent(schema, name, options);
  if (isPresentByQuery !== undefined) return isPresentByQuery;
  const node = toNode(schema.properties)[name];
  if (options.isBare || (place.isLean && isContainer(node))) return false;
  if (options.usesExamples || options.isFull || name === 'id') return true;
  if (isNode(place.given) && Object.hasOwn(place.given, name)) return true;
  return createRandom(mixSeed(place.seed, `${name}?`)).next() < OPTIONAL_PROBABILITY;
}

/** Returns whether the query includes a property by `x-present-with`; undefined if the schema has no such rule for the property. */
function isPresent(schema: Node, property: string, { query }: GeneratorOptions): boolean | undefined {
  const conditions = schema['x-present-with'];
  const [name = '', value] = isNode(conditions) ? String(conditions[property] ?? '').split('=') : [];
  return value === undefined ? undefined : query[name] === value;
}

/** Adds the properties that the schema requires by number only, and the properties of a map. */
function addProperties(input: ContainerInput, values: Map<string, unknown>, createPlace: (name: string) => Place) {
  const { schema, place, options, generate, canRecur } = input;
  const isFilled = isMap(schema) && !options.isBare && !place.isLean && canRecur(schema.additionalProperties);
  const least = Math.max(Number(schema.minProperties ?? 0), isFilled ? MAP_SIZE : 0);
  const most = Number(schema.maxProperties ?? Number.POSITIVE_INFINITY);
  for (let number = 1; values.size < Math.min(least, most) && number <= MAX_ATTEMPTS; number++) {
    const inner = { ...createPlace(`key${number}`), name: place.name };
    const [key, node] = createAdditionalProperty(schema, number, createRandom(inner.seed));
    if (!values.has(key)) values.set(key, generate(node, inner));
  }
}

/** Returns a name and the schema for an additional property. */
function createAdditionalProperty(schema: Node, number: number, random: Random): readonly [string, unknown] {
  const place = { name: 'key', subject: '' };
  const [[pattern, property] = []] = Object.entries(toNode(schema.patternProperties));
  if (pattern !== undefined) return [generateString({ pattern }, place, random), property];
  const names = schema.propertyNames;
  const key = isNode(names) ? generateString(names, place, random) : `key${number}`;
  return [key, toNode(schema.additionalProperties)];
}

function isMap({ properties, additionalProperties, patternProperties }: Node): boolean {
  return (isNode(additionalProperties) || isNode(patternProperties)) && Object.keys(toNode(properties)).length === 0;
}

import { isDeepStrictEqual } from 'node:util';
import { isNode, type Node } from '../openapi/document.ts';
import { mixSeed } from '../util/random.ts';
import { toSingular } from '../util/singular.ts';
import type { ContainerInput, Place } from './place.ts';

/** The minimum and maximum number of generated entries, if the schema has no limits. */
const ENTRY_COUNT = { least: 1, most: 3 };

/** The maximum number of attempts to generate further unique entries. */
const MAX_ATTEMPTS = 60;

/** The number of generated values to reserve for each entry that is an object or an array. */
const ENTRY_BUDGET = 4;

/** Generates an array. Its entries have different ids, unless the schema allows fewer ids than entries. */
export function generateArray(input: ContainerInput): readonly unknown[] {
  const { schema, place, options, generate } = input;
  const { items = {}, contains, minContains = 1 } = schema;
  const prefix = getPrefix(schema);
  const { least, count } = countEntries(input);
  options.limit.requireValues(count);
  const budget = place.budget / Math.max(1, count);
  const entries: unknown[] = [];
  const seen = new Set<string>();
  for (let index = 0; entries.length < count && index < MAX_ATTEMPTS + count; index++) {
    const isContained = contains !== undefined && entries.length < Number(minContains);
    const own = prefix[entries.length] ?? items;
    const entry = generate(isContained ? { allOf: [own, contains] } : own, { ...getEntryPlace(place, index), budget });
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

/** Returns texts that must be different for each entry of an array: the `id` of the entry, and the whole entry if `isUnique` is true. */
function getUniqueKeys(entry: unknown, isUnique: boolean, canRepeatId: boolean): readonly string[] {
  const id = !canRepeatId && isNode(entry) && Object.hasOwn(entry, 'id') ? entry.id : undefined;
  return [...(isUnique ? [JSON.stringify(entry)] : []), ...(id === undefined ? [] : [`id ${JSON.stringify(id)}`])];
}

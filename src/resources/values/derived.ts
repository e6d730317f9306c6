import { isNode } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { getParentPath, getPathForm } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntries, getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { createPropertyKey, getKeyValue, getProperty } from '../entries/entry-values.ts';
import { findLinked } from '../entries/linked-entries.ts';
import type { Children, Derived, Resource, View } from '../resource.ts';

/** The resources by the paths of their parents, and by properties with ids of other entries, such as `projectid`. */
interface ChildIndex {
  readonly byPath: ReadonlyMap<string, readonly Children[]>;
  /** By the path directly above the list: `/basket` for `/basket/items`. */
  readonly bySingleton: ReadonlyMap<string, readonly Children[]>;
  readonly byProperty: ReadonlyMap<string, readonly Children[]>;
}

/** Returns the index of resources. It is created once, because a document can have thousands of resources. */
const indexChildren = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject((resources: readonly Resource[]): ChildIndex => {
    const [byPath, bySingleton] = [new Map<string, Children[]>(), new Map<string, Children[]>()];
    const byProperty = new Map<string, Children[]>();
    for (const resource of resources) {
      if (resource.kind !== 'collection') continue;
      for (const { parents, collection } of resource.mounts) {
        const key = parents.at(-1);
        addToGroup(bySingleton, getParentPath(getPathForm(collection)), { resource, key });
        if (key) addToGroup(byPath, getPathForm(key.path), { resource, key });
      }
      for (const [property, schema] of resource.schema === '' ? [] : reader.getProperties(resource.schema)) {
        const name = normalizeName(property);
        if (!name.endsWith('id') || !reader.isScalar(schema)) continue;
        addToGroup(byProperty, name, { resource, key: createPropertyKey(property, schema) });
      }
    }
    return { byPath, bySingleton, byProperty };
  }),
);

/** Returns the resources whose entries belong to an entry, by their paths or by a property such as `projectId`. */
export function findChildren(
  reader: SchemaReader,
  resources: readonly Resource[],
  parent: Resource,
): readonly Children[] {
  const { byPath, bySingleton, byProperty } = indexChildren(reader)(resources);
  const items = parent.mounts.flatMap(({ item }) => (item === undefined ? [] : getPathForm(item)));
  if (parent.kind === 'singleton') return items.flatMap((item) => bySingleton.get(item) ?? []);
  const inPath = items.flatMap((item) => byPath.get(item) ?? []);
  const found = [...inPath, ...(byProperty.get(`${normalizeName(parent.singular)}id`) ?? [])];
  const others = found.filter(({ resource }) => resource !== parent);
  return others.filter((one, index) => others.findIndex(({ resource }) => resource === one.resource) === index);
}

/**
 * Returns the name of the numbers whose average a property has: `rating` for `averageRating` and `ratingAverage`.
 * Returns undefined for other properties.
 */
export function getAveraged(property: string): string | undefined {
  const [, ...names] = /^(?:average|avg|mean)(.+)$|^(.{2,}?)(?:average|avg|mean)$/.exec(normalizeName(property)) ?? [];
  return names.find((name) => name !== undefined);
}

/** Describes a derived property: `taskCount`, or `doneCount (tasks with status "done")`. */
export function describeDerived({
  property,
  children: { resource, link, named },
  only,
  texts,
  shown,
  group,
  inside,
  whole,
  average,
  view,
  ranking,
  ids,
  isWithout,
}: Derived): string {
  if (ranking) return `${property === '' ? '' : `${property}: `}${resource.name} by ${ranking.by}`;
  if (isWithout) return `${property} (${resource.name} without ${only?.property})`;
  if (average?.per) return `${property} (${resource.name} for each ${average.per.singular})`;
  if (average) return `${property} (average ${average.property} of ${resource.name})`;
  if (group) return `${property} (${resource.name} by ${group.property})`;
  if (inside) return inside.map((one) => `${property}.${describeDerived(one)}`).join(', ');
  if (view) return `${property} (${resource.name} with ${describeConditions(view).join(' and ')})`;
  if (shown) return ['', resource.name].includes(property) ? resource.name : `${property} (${resource.name})`;
  if (texts !== undefined) return `the ${texts} of all ${resource.name}`;
  const share = whole === undefined ? '' : whole === 100 ? 'percentage of ' : 'share of ';
  if (ids !== undefined) return `${property} (ids of ${resource.name}${named ? ` by ${named.property}` : ''})`;
  if (!only) return link ? `${property} (${resource.name} by ${link.ids ?? link.property})` : property;
  const state = `${only.property} ${only.not ? 'not ' : ''}${(only.not ?? [only.value]).map((value) => JSON.stringify(value)).join(' or ')}`;
  return `${property} (${share}${resource.name} with ${state}${link ? ` by ${link.ids ?? link.property}` : ''})`;
}

/** Describes a boolean that depends on the time: `isOverdue (status not "done" and dueDate before now)`. */
export function describeTimed({ property, view }: { readonly property: string; readonly view: View }): string {
  return `${property} (${describeConditions(view).join(' and ')})`;
}

/** Describes the values and times of the entries that a view shows: `status not "done"` and `dueDate before now`. */
export function describeConditions({ values, times }: Pick<View, 'values' | 'times'>): readonly string[] {
  return [
    ...values.map(({ property, value, isEqual }) => `${property} ${isEqual ? '' : 'not '}${JSON.stringify(value)}`),
    ...times.map(({ property, comparison }) => `${property} ${comparison === 'below' ? 'before' : 'after'} now`),
  ];
}

/** The number of entries, and the latest of their times. */
interface Summary {
  readonly count: number;
  readonly latest: unknown;
}

/** Returns an entry of a resource as responses show it, with generated values. */
type Complete = (resource: Resource, entry: Entry) => Entry;

/** How the entries are read that a property counts. */
export interface EntryReading {
  readonly complete: Complete;
  readonly isValid: (pointer: string, value: unknown) => boolean;
  /** Adds the booleans that depend on the time, such as `isOverdue`. */
  readonly addTimed: (resource: Resource, entries: readonly Entry[]) => readonly Entry[];
  /** Returns the entries that a view such as `overdue` shows. Undefined if the time is unknown. */
  readonly select: ((view: View, resource: Resource, entries: readonly Entry[]) => readonly Entry[]) | undefined;
}

/** Returns a value of an entry as responses show it. */
function getShown({ children: { resource } }: Derived, entry: Entry, property: string, complete: Complete): unknown {
  return getProperty(entry, property) ?? getProperty(complete(resource, entry), property);
}

function summarize(derived: Derived, entries: readonly Entry[], complete: Complete): Summary {
  const { only, time, isWithout } = derived;
  let [count, latest]: [number, unknown] = [0, undefined];
  for (const entry of entries) {
    const state = only && getShown(derived, entry, only.property, complete);
    if (only && isWithout && (getProperty(entry, only.property) ?? null) !== null) continue;
    if (only && !isWithout && (only.not ? only.not.includes(state) : state !== only.value)) continue;
    count++;
    const own = time === undefined ? undefined : getShown(derived, entry, time, complete);
    if (own !== undefined && (latest === undefined || String(own) > String(latest))) latest = own;
  }
  return { count, latest };
}

/** Summarizes all entries of a list, once for each list. */
const summarizeAll = memoizeByObject((derived: Derived) =>
  memoizeByObject((entries: readonly Entry[]) =>
    memoizeByObject((complete: Complete) => summarize(derived, entries, complete)),
  ),
);

/**
 * Returns the values of derived properties.
 * `id`: the id of the parent. Properties of all entries do not need it.
 */
export function computeDerived(
  properties: readonly Derived[],
  state: State,
  id: string | undefined,
  reading: EntryReading,
): Entry {
  return Object.fromEntries(
    properties.flatMap((derived): readonly (readonly [string, unknown])[] => {
      const value = computeValue(derived, state, id, reading);
      return value === undefined ? [] : [[derived.property, value]];
    }),
  );
}

/** Adds to objects with computed numbers, such as `stats`, the other properties of the objects that an entry has. */
export function mergeInside(entry: Entry, values: Entry): Entry {
  const merged = Object.entries(values).map(([name, value]) => {
    const known = entry[name];
    return [name, isNode(known) && isNode(value) ? { ...known, ...value } : value] as const;
  });
  return Object.fromEntries(merged);
}

/** Returns the value of a property. Returns undefined for one that shows entries. */
function computeValue(derived: Derived, state: State, id: string | undefined, reading: EntryReading): unknown {
  if (derived.shown || derived.ranking) return undefined;
  if (derived.texts !== undefined) return listTexts(derived.texts, state, derived);
  if (derived.inside) return computeDerived(derived.inside, state, id, reading);
  const { complete, addTimed, select } = reading;
  const { resource, key, link } = derived.children;
  const list = getEntryList(state, resource);
  const { named } = derived.children;
  const all = link ? findLinked(link, list.entries, id) : key ? findByKeys(list, [key], [id]) : list.entries;
  const found = named ? listNamed(named, all, state, id) : all;
  if (derived.ids !== undefined) return listIds(derived, found, reading);
  if (derived.view) return select?.(derived.view, resource, found).length;
  const entries = addTimed(resource, found);
  if (derived.group) return countGroups(derived, entries, complete);
  if (derived.average?.per)
    return divide(entries.length, getEntryList(state, derived.average.per).entries.length, derived);
  if (derived.average) return computeAverage(derived, entries, complete);
  const { count, latest } =
    key || link ? summarize(derived, entries, complete) : summarizeAll(derived)(entries)(complete);
  if (derived.whole !== undefined)
    return entries.length === 0
      ? 0
      : round((count / entries.length) * derived.whole, derived.isInteger ? 0 : MAX_DECIMALS);
  return derived.time === undefined ? count : latest;
}

/** Returns how many entries there are for each other one; 0 if there is no other one. */
function divide(count: number, others: number, { isInteger = false }: Derived): number {
  return others === 0 ? 0 : round(count / others, isInteger ? 0 : 2);
}

/** Returns the entries that name another one by its id or by its name. */
function listNamed(
  { property, parent, name }: NonNullable<Children['named']>,
  entries: readonly Entry[],
  state: State,
  id: string | undefined,
): readonly Entry[] {
  const [own] = findByKeys(getEntryList(state, parent), [parent.id], [id]);
  const names = [id, name === undefined ? undefined : own?.[name]];
  const isNamed = (value: unknown) =>
    (typeof value === 'string' || typeof value === 'number') && names.includes(String(value));
  return entries.filter((entry) => isNamed(entry[property]));
}

/** Returns the ids of entries in the form that the schema of the ids allows; undefined if it allows none. */
function listIds(
  { ids = '', children: { resource } }: Derived,
  entries: readonly Entry[],
  { isValid }: EntryReading,
): readonly unknown[] | undefined {
  const values = entries.map((entry) => {
    const id = getKeyValue(entry, resource.id);
    return [getProperty(entry, resource.id.property ?? ''), id, Number(id)].find((one) => isValid(ids, one));
  });
  return values.includes(undefined) ? undefined : values;
}

/** The number of decimals of averages and shares. */
const MAX_DECIMALS = 4;

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

/**
 * Returns the average for a property such as `averageRating` beside a list; undefined for another property.
 * `items`: the JSON Pointer of the schema of an entry; empty if there is none.
 * `isAllowed`: returns whether the property can have a value. No entries have the average null or 0.
 * `read`: returns the values of all entries.
 */
export function averageEntries(
  reader: SchemaReader,
  items: string,
  { name, pointer }: { readonly name: string; readonly pointer: string },
  { isAllowed, read }: { isAllowed(value: unknown): boolean; read(property: string): readonly unknown[] },
): unknown {
  const base = getAveraged(name);
  if (base === undefined || items === '' || !reader.allowsNumber(pointer)) return undefined;
  const [property] =
    [...reader.getProperties(items)].find(
      ([own, place]) => normalizeName(own) === base && reader.allowsNumber(place),
    ) ?? [];
  if (property === undefined) return undefined;
  const numbers = read(property).filter((value) => typeof value === 'number');
  return numbers.length === 0
    ? [null, 0].find(isAllowed)
    : roundAverage(numbers, reader.getTypes(pointer).includes('number'));
}

/** Returns the average of numbers. `hasDecimals`: whether it need not be an integer. */
function roundAverage(values: readonly number[], hasDecimals: boolean): number {
  return round(values.reduce((total, value) => total + value, 0) / values.length, hasDecimals ? 2 : 0);
}

function computeAverage(derived: Derived, entries: readonly Entry[], complete: Complete): number | null | undefined {
  const { isInteger = false, average: { property = '', none } = {} } = derived;
  const values = entries
    .map((entry) => getShown(derived, entry, property, complete))
    .filter((value) => typeof value === 'number');
  if (values.length === 0) return none;
  return roundAverage(values, !isInteger);
}

/** Returns the number of entries with each value of a property, by the names of the numbers. */
function countGroups(derived: Derived, entries: readonly Entry[], complete: Complete): Entry {
  const { property = '', names = [] } = derived.group ?? {};
  const counts = new Map<unknown, number>();
  for (const entry of entries) {
    const value = getShown(derived, entry, property, complete);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return Object.fromEntries([...names].map(([name, value]) => [name, counts.get(value) ?? 0]));
}

/** Returns the different texts in a property of all entries, in their order. */
function listTexts(property: string, state: State, { children }: Derived): readonly unknown[] {
  const lists = getEntries(state, children.resource).map((entry) => getProperty(entry, property));
  return [...new Set(lists.flatMap((list) => (Array.isArray(list) ? list : [])))];
}

/** Returns the entries that a property of a response shows. `id`: the id of the parent; undefined for all entries. */
export function listShown(
  { children: { resource, key } }: Derived,
  state: State,
  id: string | undefined,
): readonly Entry[] {
  const list = getEntryList(state, resource);
  return key && id !== undefined ? findByKeys(list, [key], [id]) : list.entries;
}

import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import {
  findExactState,
  findOpen,
  findStateTime,
  findStateValue,
  removeNegation,
  STATE_PROPERTIES,
} from '../actions/states.ts';
import { listEntryProperties, normalizeProperty } from '../document/entry-properties.ts';
import { findMixed } from '../document/mixed-lists.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findRanking } from '../lists/rankings.ts';
import { findView } from '../lists/view-words.ts';
import { isPartOf } from '../lists/views.ts';
import type { Children, Derived, Resource } from '../resource.ts';
import { findCounted, getShare, indexNames, MAX_STATES } from './counted-properties.ts';
import { findChildren } from './derived.ts';

/** Returns all entries of each resource, as if they belonged to one parent. */
const listAll = memoizeByObject((resources: readonly Resource[]): readonly Children[] =>
  resources.filter(({ kind }) => kind === 'collection').map((resource) => ({ resource, key: undefined })),
);

/** Where the numbers of a response are from. */
interface CountPlace {
  /** The last segment of the path. */
  readonly name: string;
  /** The resource in the path whose children are counted. Undefined if all entries are counted. */
  readonly parent: Resource | undefined;
  /** The resource whose list is directly above the path: `tasks` for `/tasks/stats`. */
  readonly own: Resource | undefined;
  readonly users: Resource | undefined;
}

/**
 * Returns the properties of a response that count entries, such as `taskCount` and `doneCount` in `GET /statistics`.
 * A list of texts such as `GET /tags` shows the different texts in the properties `tags` of all entries.
 * `schema`: the JSON Pointer of the schema of the response.
 */
export function findCounts(
  reader: SchemaReader,
  resources: readonly Resource[],
  schema: string,
  { name, parent, own, users }: CountPlace,
): readonly Derived[] {
  const items = reader.getItems(schema);
  const all = listAll(resources);
  if (items !== undefined) {
    const mixed = findMixed(reader, '', items, all);
    if (mixed.length > 0) return mixed;
    const ranked = findRanking(reader, { resources, users }, { property: name, items }, all);
    return isText(reader, items) ? findTexts(reader, name, resources) : ranked ? [{ ...PLAIN, ...ranked }] : [];
  }
  const texts = parent
    ? []
    : [...reader.getProperties(schema)].flatMap(([property, pointer]) => {
        const inner = reader.getItems(pointer);
        const found = inner !== undefined && isText(reader, inner) ? findTexts(reader, property, resources) : [];
        return found.map((derived) => ({ ...derived, property }));
      });
  const children = parent ? findChildren(reader, resources, parent) : all;
  const counted = findCounted(reader, schema, children);
  const known = new Set(counted.map(({ property }) => property));
  const only = own && (parent ? children : all).find(({ resource }) => resource === own);
  const single = only ? findSingleCount(reader, schema, name, only) : [];
  const states = findStateCounts(reader, schema, children, only).filter(({ property }) => !known.has(property));
  const rankings = [...reader.getProperties(schema)].flatMap(([property, pointer]): readonly Derived[] => {
    const inner = reader.getItems(pointer);
    const found = inner && findRanking(reader, { resources, users }, { property, items: inner }, children);
    return found ? [{ ...PLAIN, ...found, property }] : [];
  });
  const ranked = new Set(rankings.map(({ property }) => property));
  const shown = findShown(reader, schema, children).filter(({ property }) => !ranked.has(property));
  return [...counted, ...(single.length > 0 ? single : states), ...texts, ...rankings, ...shown];
}

/** The parts of a `Derived` that most numbers lack. */
export const PLAIN = { property: '', only: undefined, time: undefined };

/** Finds the number in the response of a path such as `/notifications/unread-count`. */
function findSingleCount(reader: SchemaReader, schema: string, name: string, own: Children): readonly Derived[] {
  const [, state] = /^(.*?)[_-]?count$/i.exec(name) ?? [];
  if (state === undefined) return [];
  const only = state === '' ? undefined : findStateValue(reader, own.resource.schema, state);
  const without = only || state === '' ? undefined : findWithoutTime(reader, own.resource.schema, state);
  if (state !== '' && !only && !without) return [];
  const names = [normalizeName(name), 'count', 'total', normalizeName(state)];
  const numbers = [...reader.getProperties(schema)].filter(
    ([property, pointer]) => reader.getTypes(pointer).includes('integer') && names.includes(normalizeName(property)),
  );
  const property = numbers.length === 1 ? numbers[0]?.[0] : undefined;
  return property === undefined ? [] : [{ property, children: own, only, time: undefined, ...without }];
}

/** Returns the entries that lack the time of a state: those without `readAt` for `unread`. */
function findWithoutTime(
  reader: SchemaReader,
  schema: string,
  state: string,
): Pick<Derived, 'only' | 'isWithout'> | undefined {
  const word = removeNegation(state);
  const property = word === undefined ? undefined : findStateTime(reader, schema, word);
  return property === undefined ? undefined : { only: { property, value: null }, isWithout: true };
}

/** Names of the number of all entries beside those of each state, without uppercase letters and separators. */
const ALL_NAMES = ['total', 'count', 'all', 'totalcount'];

/**
 * Finds the numbers of entries in each state: `todo` and `done`, also in an object such as `byStatus`, and in one with
 * the name of a resource.
 * `own`: the entries that the path is about. If undefined, at least two numbers must be named like states of one
 * resource.
 */
export function findStateCounts(
  reader: SchemaReader,
  schema: string,
  children: readonly Children[],
  own: Children | undefined,
): readonly Derived[] {
  if (children.length > MAX_STATES && !own) return [];
  const properties = [...reader.getProperties(schema)];
  const states = own ? [own] : children;
  const isNumber = (pointer: string) =>
    reader.getTypes(pointer).length > 0 &&
    reader.getTypes(pointer).every((type) => type === 'integer' || type === 'number');
  const byResource = states.map((child) => ({
    child,
    found: properties.flatMap(([property, pointer]): readonly Derived[] => {
      const only = isNumber(pointer) ? findExactState(reader, child.resource.schema, property) : undefined;
      return only ? [{ property, children: child, only, time: undefined }] : [];
    }),
  }));
  const counted = byResource.filter(({ found }) => found.length > (own ? 0 : 1));
  const [only, ...others] = counted;
  const flat = only && others.length === 0 ? only : undefined;
  const grouped = own || flat ? undefined : findOnlyGrouped(reader, properties, children);
  const subject = own ?? flat?.child ?? grouped;
  const groups = properties.flatMap(([property, pointer]): readonly Derived[] => {
    if (subject && ALL_NAMES.includes(normalizeName(property)) && isNumber(pointer))
      return [{ property, children: subject, only: undefined, time: undefined }];
    const isExact = flat?.found.some((one) => one.property === property) ?? false;
    const open = isNumber(pointer) && subject && !isExact && findOpen(reader, subject.resource.schema, property);
    if (open && subject) return [{ property, children: subject, only: open, time: undefined }];
    const without = isNumber(pointer) && subject ? findWithout(reader, property, subject) : undefined;
    if (without) return [without];
    const timed = isNumber(pointer) ? findTimed(reader, property, children, subject) : undefined;
    const share = isNumber(pointer) && subject ? findShare(reader, property, pointer, subject) : undefined;
    if (timed ?? share) return [timed ?? share].filter((one) => one !== undefined);
    return reader.isObject(pointer) ? findInside(reader, property, pointer, { children, subject }) : [];
  });
  return [...(flat?.found ?? []), ...groups];
}

/** Returns the only entries whose states, such as those of `status`, objects such as `byStatus` count. */
function findOnlyGrouped(
  reader: SchemaReader,
  properties: readonly (readonly [name: string, pointer: string])[],
  children: readonly Children[],
): Children | undefined {
  const found = properties.flatMap(([property, pointer]) => {
    const isGroup = /by.+$/.test(normalizeName(property)) && reader.isObject(pointer);
    return isGroup ? findInside(reader, property, pointer, { children, subject: undefined }) : [];
  });
  const [only, ...others] = new Set(found.map((one) => one.children));
  return others.length === 0 ? only : undefined;
}

/** Finds what a number such as `unassigned` or `unassignedTasks` counts: the entries without an assignee. */
function findWithout(reader: SchemaReader, property: string, own: Children): Derived | undefined {
  const { schema, name, singular } = own.resource;
  const names = ['', name, singular].map((one) => `unassigned${normalizeName(one)}`);
  if (schema === '' || !names.includes(normalizeName(property).replace(/count$/, ''))) return undefined;
  const assignees = ['assigneeid', 'assignedtoid', 'assigneduserid', 'assignedto', 'assignee'];
  const known = [...reader.getProperties(schema).keys()];
  const found = assignees.flatMap((one) => known.find((own) => normalizeName(own) === one) ?? [])[0];
  return found === undefined
    ? undefined
    : { property, children: own, only: { property: found, value: null }, time: undefined, isWithout: true };
}

/** Finds the entries that a number such as `overdue` or `overdueTasks` counts, if it depends on the time. */
function findTimed(
  reader: SchemaReader,
  property: string,
  children: readonly Children[],
  subject: Children | undefined,
): Derived | undefined {
  const name = normalizeName(property).replace(/count$/, '');
  const named = children.find(({ resource }) =>
    [resource.name, resource.singular].some((one) => name.length > one.length && name.endsWith(normalizeName(one))),
  );
  const own = named ?? subject;
  const found = (own ? [own] : children).flatMap((child): readonly Derived[] => {
    if (child.resource.schema === '') return [];
    const ends = [child.resource.name, child.resource.singular].map(normalizeName);
    const end = ends.find((one) => name.endsWith(one)) ?? '';
    const view = findView(reader, child.resource, `/${name.slice(0, name.length - end.length)}`);
    return view && view.times.length > 0 ? [{ property, children: child, only: undefined, time: undefined, view }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Finds the state whose share a number such as `completionRate` or `donePercentage` is. */
function findShare(reader: SchemaReader, property: string, pointer: string, own: Children): Derived | undefined {
  const [, state = '', kind = ''] = /^(.+?)(rate|ratio|share|percent|percentage)$/.exec(normalizeName(property)) ?? [];
  const { schema } = own.resource;
  const only =
    state === '' || schema === ''
      ? undefined
      : findStateValue(reader, schema, state.replace(/^completion$/, 'complete'));
  return kind === '' || !only
    ? undefined
    : { property, children: own, only, time: undefined, ...getShare(reader, property, pointer) };
}

/** Finds the numbers in an object of a response: `byStatus: { todo, done }`, or `tasks: { total, done }`. */
export function findInside(
  reader: SchemaReader,
  property: string,
  schema: string,
  { children, subject }: { readonly children: readonly Children[]; readonly subject: Children | undefined },
): readonly Derived[] {
  const name = normalizeName(property);
  const named = indexNames(children).get(name);
  if (named?.length === 1 && named[0]) {
    const inside = findStateCounts(reader, schema, children, named[0]).filter(({ group }) => !group);
    return inside.length > 0 ? [{ property, children: named[0], only: undefined, time: undefined, inside }] : [];
  }
  const [, what = '', by = ''] = /^(.*?)(?:count)?by(.+)$/.exec(name) ?? [];
  const child =
    what === '' ? (subject ?? findGrouped(reader, schema, by, children)) : indexNames(children).get(what)?.[0];
  const isNumber = (pointer: string) =>
    reader.getTypes(pointer).every((type) => type === 'integer' || type === 'number');
  if (!child || child.resource.schema === '' || ![...reader.getProperties(schema).values()].every(isNumber)) return [];
  const own = [...listEntryProperties(reader, child.resource.schema)].find(([one]) => normalizeProperty(one) === by);
  const values = own && reader.getKeyword(own[1], 'enum');
  if (!own || !Array.isArray(values)) return [];
  const names = [...reader.getProperties(schema).keys()];
  const shown = (value: unknown) =>
    names.length === 0 ? [String(value)] : names.filter((one) => normalizeName(one) === normalizeName(String(value)));
  const entries = values.flatMap((value) => shown(value).map((one) => [one, value] as const));
  if (entries.length === 0) return [];
  return [
    {
      property,
      children: child,
      only: undefined,
      time: undefined,
      group: { property: own[0], names: new Map(entries) },
    },
  ];
}

/** Returns the only entries whose states, such as those of `status`, have the names of all numbers in an object. */
function findGrouped(
  reader: SchemaReader,
  schema: string,
  by: string,
  children: readonly Children[],
): Children | undefined {
  const names = [...reader.getProperties(schema).keys()].map(normalizeName);
  const found = children.filter(({ resource }) => {
    const properties = [...listEntryProperties(reader, resource.schema)];
    const [, pointer] = properties.find(([one]) => normalizeProperty(one) === by) ?? [];
    const values = pointer === undefined ? undefined : reader.getKeyword(pointer, 'enum');
    const known = Array.isArray(values) ? values.map((value) => normalizeName(String(value))) : [];
    return STATE_PROPERTIES.includes(by) && names.length > 0 && names.every((name) => known.includes(name));
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Returns children by the JSON Pointers of their schemas. A document can have thousands. */
const indexSchemas = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject((children: readonly Children[]): ReadonlyMap<string, readonly Children[]> => {
    const index = new Map<string, Children[]>();
    for (const child of children) {
      const { schema } = child.resource;
      const pointer = schema === '' ? '' : reader.resolve(schema);
      if (pointer !== '') addToGroup(index, pointer, child);
    }
    return index;
  }),
);

/**
 * Returns the entries that a property with a schema shows: those of the resource with the name of the property, else
 * of the only one with the schema.
 */
function findChildrenOf(
  reader: SchemaReader,
  children: readonly Children[],
  property: string,
  schema: string,
): Children | undefined {
  const name = normalizeName(property);
  const shown = [...reader.getProperties(schema).keys()];
  const exact = children.find(({ resource }) => normalizeName(resource.name) === name);
  const known = reader.getProperties(exact?.resource.schema ?? '');
  const same = indexSchemas(reader)(children).get(reader.resolve(schema)) ?? [];
  if (exact && same.length > 0) return shown.every((one) => known.has(one)) ? exact : undefined;
  if (exact && isPartOf(reader, schema, exact.resource)) return exact;
  const named = same.filter(({ resource }) => name.endsWith(normalizeName(resource.name)));
  const [only, ...others] = named.length > 0 ? named : same;
  return others.length === 0 ? only : undefined;
}

/** Returns the properties of a response with entries of a resource: `recentTasks`, or `latestTask`. */
function findShown(reader: SchemaReader, schema: string, children: readonly Children[]): readonly Derived[] {
  return [...reader.getProperties(schema)].flatMap(([property, pointer]): readonly Derived[] => {
    const items = reader.getItems(pointer);
    const mixed = items === undefined ? [] : findMixed(reader, property, items, children);
    if (mixed.length > 0) return mixed;
    const shown = items ?? pointer;
    const own = findChildrenOf(reader, children, property, shown);
    if (!own) return [];
    return [
      {
        property,
        children: own,
        only: undefined,
        time: undefined,
        shown: { schema: shown, isList: items !== undefined },
      },
    ];
  });
}

function isText(reader: SchemaReader, schema: string): boolean {
  const types = reader.getTypes(schema);
  return types.length === 1 && types[0] === 'string';
}

/** Finds the only property with a list of texts that has a name, such as `tags` or `tagList` for `tags`. */
function findTexts(reader: SchemaReader, name: string, resources: readonly Resource[]): readonly Derived[] {
  const singular = toSingular(normalizeName(name));
  const names = [normalizeName(name), `${singular}list`, `${singular}names`];
  const found = names.flatMap((one) => indexTexts(reader)(resources).get(one) ?? []);
  return found.length === 1 ? found : [];
}

/** Returns the properties with lists of texts, by their names without uppercase letters and separators. */
const indexTexts = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject((resources: readonly Resource[]): ReadonlyMap<string, readonly Derived[]> => {
    const index = new Map<string, Derived[]>();
    for (const children of listAll(resources)) {
      const { schema } = children.resource;
      for (const [texts, pointer] of schema === '' ? [] : reader.getProperties(schema)) {
        const items = reader.getItems(pointer);
        if (items === undefined || !isText(reader, items)) continue;
        const name = normalizeName(texts);
        const derived = { property: '', children, only: undefined, time: undefined, texts };
        addToGroup(index, name, derived);
      }
    }
    return index;
  }),
);

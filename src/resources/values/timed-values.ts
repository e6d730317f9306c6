import type { Input } from '../../application.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { findStateValue } from '../actions/states.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { ListParameters } from '../lists/list-query.ts';
import { createOverdueView, findDue, isOverdueWord } from '../lists/view-words.ts';
import { selectViewed } from '../lists/views.ts';
import type { Inference, Resource, View } from '../resource.ts';
import type { EntryReading } from './derived.ts';

/** A boolean of an entry that depends on the time, such as `isOverdue`, and which entries have it. */
export interface TimedFlag {
  readonly property: string;
  readonly view: View;
}

/**
 * Finds the booleans of entries with a due date that say whether it has passed, such as `isOverdue`. Booleans that
 * requests or actions set are left out.
 * `sent`: the properties that a request can have.
 */
export function findTimedFlags(
  reader: SchemaReader,
  { plans }: Pick<Inference, 'plans'>,
  resource: Resource,
  sent: ReadonlySet<string>,
): readonly TimedFlag[] {
  const { schema } = resource;
  const due = findDue(reader, schema);
  if (due === undefined) return [];
  const effects = [...plans.values()].flatMap((plan) => (plan.resource === resource ? (plan.effect ?? []) : []));
  const set = effects.flatMap(({ values, toggles }) => [...values.map(({ property }) => property), toggles]);
  return [...reader.getProperties(schema)].flatMap(([property, pointer]): readonly TimedFlag[] => {
    const word = normalizeName(property).replace(/^is/, '');
    if (!isOverdueWord(word) || !reader.getTypes(pointer).includes('boolean')) return [];
    if (sent.has(property) || set.includes(property)) return [];
    // A status `overdue` says more than a date.
    const isStatus = typeof (findStateValue(reader, schema, word)?.value ?? true) !== 'boolean';
    return isStatus ? [] : [{ property, view: createOverdueView(reader, schema, due) }];
  });
}

/**
 * Returns how the entries are read that counts depend on.
 * `getNow`: returns the current time. Undefined if values that depend on it are left out.
 */
export function createReading(
  { complete, isValid }: Pick<EntryReading, 'complete' | 'isValid'>,
  getFlags: (resource: Resource) => readonly TimedFlag[],
  getNow: Input['getNow'],
): EntryReading {
  if (!getNow) return { complete, isValid, select: undefined, addTimed: (_, entries) => entries };
  const select = (view: View, resource: Resource, entries: readonly Entry[]) =>
    selectViewed(view, entries, (entry) => complete(resource, entry), getNow);
  const addTimed = (resource: Resource, entries: readonly Entry[]) => {
    const flags = getFlags(resource);
    const compute = (entry: Entry) =>
      flags.map(({ property, view }) => [property, select(view, resource, [entry]).length > 0] as const);
    return flags.length === 0 ? entries : entries.map((entry) => ({ ...entry, ...Object.fromEntries(compute(entry)) }));
  };
  return { complete, isValid, select, addTimed };
}

/** Returns the entries that a query such as `?overdue=true` selects by their due date. */
export function selectOverdue(
  { overdue }: Pick<ListParameters, 'overdue'>,
  query: Input['query'],
  entries: readonly Entry[],
  { complete, getNow }: { readonly complete: (entry: Entry) => Entry; readonly getNow: () => number },
): readonly Entry[] {
  const value = overdue && String(query[overdue.name] ?? '');
  if (!overdue || !(value === 'true' || value === 'false')) return entries;
  const late = new Set(selectViewed(overdue.view, entries, complete, getNow));
  return entries.filter((entry) => late.has(entry) === (value === 'true'));
}

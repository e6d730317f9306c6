import type { StateView } from '../application.ts';
import { isNode, type Node, omitKeys } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { MAX_JSON_DEPTH } from '../util/limits.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getEntryKey, getOwn } from './entries/entry-values.ts';
import { listComputed } from './entries/nested-defaults.ts';
import type { Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { listFlagNames } from './users/sender-flags.ts';

/**
 * The generated properties in an object that a user's handler sees.
 * `isOwner`: returns whether an object is still the entry for which they were generated.
 */
interface Generated {
  readonly values: Node;
  readonly isOwner: (value: Node) => boolean;
}

/**
 * The key under which an object has its generated properties.
 * It is a symbol, because `{ ...entry }` copies symbols, and JSON omits them.
 */
const GENERATED = Symbol('generated');

type Shown = Node & { readonly [GENERATED]?: Generated };

/** Maps each object that handlers see to the stored entry or list that it shows. */
const storedValues = new WeakMap<object, unknown>();

/**
 * Creates the view of the state that a user's handlers see.
 * In this view, entries also have the generated properties of responses, but none that responses compute.
 */
export function createStateView(model: ResourceModel): StateView {
  const { inference, responses } = model;
  const views = new Map(
    [...inference.resources, ...inference.trashes].flatMap((resource) =>
      resource.schema === '' ? [] : [[resource.name, createListView(resource)] as const],
    ),
  );
  return {
    show: (state) => mapLists(state, (entries, name) => views.get(name)?.(entries) ?? entries),
    toStored: (state) => mapLists(state, (entries) => removeGenerated(entries) as readonly Entry[]),
  };

  function createListView(resource: Resource) {
    const showEntry = memoizeByObject((entry: Entry) => {
      const key = getEntryKey(resource, entry);
      const isOwner = (value: Node) => getEntryKey(resource, value) === key;
      const { value } = responses.completeEntry(resource, resource.schema, entry);
      return addGenerated(entry, omitComputed(model, resource, value), isOwner) as Entry;
    });
    return memoizeByObject((entries: readonly Entry[]) => keepStored(entries, entries.map(showEntry)));
  }
}

/**
 * Returns the names of the properties that responses compute, such as `taskCount`, `isOverdue` and `author`, but for
 * those that requests send.
 */
export const listUnsent = memoizeByObject(({ derived, reader, inference }: ResourceModel) =>
  memoizeByObject((resource: Resource): ReadonlySet<string> => {
    const sent = derived.getEmbedded(resource).flatMap(({ property, isSent }) => (isSent ? property : []));
    const names = [...listComputed(derived, resource), ...listFlagNames(reader, inference, resource)];
    return new Set(names.filter((name) => !sent.includes(name)));
  }),
);

/** Returns a completed entry without the properties that responses compute, also in the entries that it shows. */
function omitComputed(model: ResourceModel, resource: Resource, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => omitComputed(model, resource, one));
  if (!isNode(value)) return value;
  const shown = model.derived.getEmbedded(resource).flatMap(({ property, resource: other }) => {
    const inner = getOwn(value, property);
    return typeof inner === 'object' ? [[property, omitComputed(model, other, inner)] as const] : [];
  });
  return omitKeys({ ...value, ...Object.fromEntries(shown) }, [...listUnsent(model)(resource)]);
}

function mapLists(state: State, change: (entries: readonly Entry[], name: string) => readonly Entry[]): State {
  return Object.fromEntries(Object.entries(state).map(([name, entries]) => [name, change(entries, name)]));
}

/**
 * Records that a handler sees `shown` instead of the stored object `value`, and returns `shown`.
 * If both have equal properties, returns `value`.
 */
function keepStored<Value extends object>(value: Value, shown: Value): Value {
  if (isSame(value, shown)) return value;
  storedValues.set(shown, value);
  return shown;
}

export function isSame(one: object, other: object): boolean {
  const names = Object.keys(one);
  const hasSame = (name: string) => (one as Node)[name] === (other as Node)[name];
  return names.length === Object.keys(other).length && names.every(hasSame);
}

/**
 * Returns a copy of the stored `value`, with the properties of `completed` that `value` lacks.
 * Returns `value` itself if it lacks none.
 */
function addGenerated(value: unknown, completed: unknown, isOwner: Generated['isOwner'] = () => true): unknown {
  if (Array.isArray(value) && Array.isArray(completed) && value.length === completed.length)
    return keepStored(
      value,
      value.map((entry, index) => addGenerated(entry, completed[index])),
    );
  if (!isNode(value) || !isNode(completed)) return value;
  const own = Object.entries(value).map(([name, inner]) => [name, addGenerated(inner, completed[name])]);
  const values = Object.fromEntries(Object.entries(completed).filter(([name]) => !Object.hasOwn(value, name)));
  const note = Object.keys(values).length === 0 ? {} : { [GENERATED]: { values, isOwner } };
  return keepStored(value, { ...Object.fromEntries(own), ...values, ...note });
}

/**
 * Returns a copy of a value from a user's handler, without the generated properties that the handler has not changed.
 * Returns `value` itself if there are none.
 */
export function removeGenerated(value: unknown, known = new Map<object, unknown>(), depth = 0): unknown {
  if (!isPlain(value) || depth > MAX_JSON_DEPTH) return value;
  const found = storedValues.get(value) ?? known.get(value);
  if (found !== undefined) return found;
  // An object from a user's handler can contain itself.
  known.set(value, value);
  const remove = (inner: unknown) => removeGenerated(inner, known, depth + 1);
  const removed = Array.isArray(value) ? value.map(remove) : removeFromObject(value as Shown, remove);
  const result = isSame(value, removed) && !(GENERATED in value) ? value : removed;
  known.set(value, result);
  return result;
}

/** Returns whether a value is an array or a plain object, and not a class instance. */
export function isPlain(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  return isNode(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function removeFromObject(shown: Shown, remove: (inner: unknown) => unknown): Node {
  const { [GENERATED]: generated, ...value } = shown;
  if (generated && !generated.isOwner(value)) return value;
  const kept = Object.entries(value).filter(([name, inner]) => !generated || !isGenerated(generated, name, inner));
  return Object.fromEntries(kept.map(([name, inner]) => [name, remove(inner)]));
}

function isGenerated({ values }: Generated, name: string, value: unknown): boolean {
  return Object.hasOwn(values, name) && values[name] === value;
}

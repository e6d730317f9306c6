import type { HandlerResponse, StateView } from '../application.ts';
import { isNode, type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry, State } from '../store/state.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { MAX_JSON_DEPTH } from '../util/limits.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { toSeed } from '../util/random.ts';
import { getEntryKey, getInner, removePathValues, setInner } from './entries/entry-values.ts';
import { getRouteKey, type Plan, type Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

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
 * In this view, entries also have the generated properties of responses.
 */
export function createStateView({ inference, responses }: ResourceModel): StateView {
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
      return addGenerated(entry, value, isOwner) as Entry;
    });
    return memoizeByObject((entries: readonly Entry[]) => keepStored(entries, entries.map(showEntry)));
  }
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

function isSame(one: object, other: object): boolean {
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
function removeGenerated(value: unknown, known = new Map<object, unknown>(), depth = 0): unknown {
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
function isPlain(value: unknown): value is object {
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

/**
 * Completes the response of a user's handler.
 * Adds required properties that are missing, because stored entries can lack them.
 * Removes the path parameters that are stored with entries.
 * Does not change other values: an invalid value stays invalid.
 */
export function completeUserResponse(model: ResourceModel, route: Route, response: HandlerResponse): HandlerResponse {
  const { status = route.successStatus } = response;
  const body = removeGenerated(response.body);
  const schema = body === undefined ? undefined : model.reader.getResponseSchema(route, status);
  // A file is not changed.
  if (schema === undefined || body instanceof Uint8Array) return response;
  const key = getRouteKey(route);
  const plan = model.inference.plans.get(key) ?? model.inference.mockedPlans.get(key)?.entry;
  const value = mapEntries(body, plan?.responsePath ?? [], removePathValues);
  const entries = plan ? completeEntries(model, plan, schema, value) : value;
  const completed = model.completeValue(schema, entries, toSeed(route.operationId));
  const added = new Set<string>();
  return { ...response, body: addMissingProperties(value, completed.value, '', added), generated: [...added] };
}

/**
 * Adds generated properties to the entries of a body.
 * Their values are the same as in other responses.
 * Returns a copy of the body.
 */
function completeEntries({ reader, responses }: ResourceModel, plan: Plan, schema: string, body: unknown): unknown {
  const inner = reader.getInner(schema, plan.responsePath);
  if (inner === undefined) return body;
  const place = reader.getItems(inner) ?? inner;
  // Completed entries are cached by object.
  // Only the objects of the state are frozen.
  // The handler can change any other object later, so a copy of it is completed.
  const copy = (entry: Entry) => (Object.isFrozen(entry) ? entry : { ...entry });
  const complete = (entry: Entry) => responses.completeEntry(plan.resource, place, copy(entry)).value as Entry;
  return mapEntries(body, plan.responsePath, complete);
}

/**
 * Applies `change` to the entry at a path in a body, or to each entry of the list at the path.
 * Returns a copy of the body.
 */
function mapEntries(body: unknown, path: readonly string[], change: (entry: Entry) => Entry): unknown {
  const changeNode = (value: unknown) => (isNode(value) ? change(value) : value);
  const inner = getInner(body, path);
  if (inner === undefined) return body;
  const changed = Array.isArray(inner) ? inner.map(changeNode) : changeNode(inner);
  return path.length === 0 ? changed : setInner(toNode(body), path, changed);
}

/**
 * Returns a copy of a value with the additional properties that `completed` has.
 * Adds the JSON Pointers of these properties to `added`, with `*` instead of array indexes.
 */
function addMissingProperties(value: unknown, completed: unknown, pointer: string, added: Set<string>): unknown {
  if (Array.isArray(value) && Array.isArray(completed) && value.length === completed.length)
    return value.map((entry, index) => addMissingProperties(entry, completed[index], `${pointer}/*`, added));
  if (!isNode(value) || !isNode(completed)) return value;
  const entries = Object.entries(completed).map(([name, own]) => {
    const place = pointer + formatPointer(name);
    if (Object.hasOwn(value, name)) return [name, addMissingProperties(value[name], own, place, added)];
    added.add(place);
    return [name, own];
  });
  return { ...value, ...Object.fromEntries(entries) };
}

import type { HandlerResponse, Input } from '../application.ts';
import { createShapes, omitWriteOnly } from '../mock/fit-schema.ts';
import { getNode, isNode, type Node, omitKeys, pickKeys, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry, State } from '../store/state.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { MAX_JSON_DEPTH } from '../util/limits.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { toSeed } from '../util/random.ts';
import { getEntryList } from './entries/entries.ts';
import { findByKeys } from './entries/entry-lists.ts';
import { getInner, getKeyValue, getOwn, removePathValues, setInner } from './entries/entry-values.ts';
import { indexEntrySchemas } from './inference/references.ts';
import { getRouteKey, PATH_VALUES, type Plan, type Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { isPlain, isSame, listUnsent, removeGenerated } from './state-view.ts';
import { getGeneratedInside, isSameValue, pickPointers } from './values/completed.ts';

/** The request of a user's handler, and the state after it. */
interface UserRequest {
  readonly input: Input;
  readonly state: State;
}

/**
 * Completes the response of a user's handler.
 * Adds required properties that are missing, because stored entries can lack them: computes values such as
 * `taskCount`, and generates the others.
 * Removes what no response shows: `writeOnly` properties, and the path parameters that are stored with entries.
 * Does not change other values: an invalid value stays invalid.
 */
export function completeUserResponse(
  model: ResourceModel,
  route: Route,
  response: HandlerResponse,
  request: UserRequest,
): HandlerResponse {
  const { status = route.successStatus } = response;
  const body = removeGenerated(response.body);
  // A file is not changed.
  if (body === undefined || body instanceof Uint8Array) return response;
  const schema = model.reader.getResponseSchema(route, status);
  if (schema === undefined) return { ...response, body: removeAllPathValues(response.body) };
  const key = getRouteKey(route);
  const plan = model.inference.plans.get(key) ?? model.inference.mockedPlans.get(key)?.entry;
  const added = new Set<string>();
  const show = createEntryView(model, request, { resources: findResources(model, plan, schema), generated: added });
  const own = show(schema, body, '', 0);
  const entries = plan ? completeEntries(model, plan, schema, own) : own;
  const completed = model.completeValue(schema, removeAllPathValues(entries), toSeed(route.operationId));
  const complete = addMissingProperties(own, completed.value, '', added);
  const shown = omitWriteOnly(
    getShape(model),
    getNode(model.contract.normalized, schema),
    removeAllPathValues(complete),
  );
  return { ...response, body: shown, generated: [...added] };
}

/**
 * Returns the resources of the entries in a response, by the JSON Pointers of their schemas.
 * `schema`: the JSON Pointer of the schema of the body.
 */
function findResources(
  { reader, inference }: ResourceModel,
  plan: Plan | undefined,
  schema: string,
): ReadonlyMap<string, Resource> {
  const { resources } = inference;
  const inner = plan && reader.getInner(schema, plan.responsePath);
  const own = inner === undefined ? [] : [[reader.resolve(reader.getItems(inner) ?? inner), plan?.resource] as const];
  const found = [...own, ...indexEntrySchemas(reader)(resources)];
  // The members of a parent are shown as entries of another resource.
  const follow = (resource: Resource) => resources.find(({ name }) => name === resource.memberOf) ?? resource;
  return new Map(found.flatMap(([place, resource]) => (resource ? [[place, follow(resource)] as const] : [])));
}

/** An entry in the response of a user's handler, and the stored entry with its id. */
interface UserEntry {
  readonly value: Node;
  readonly stored: Entry | undefined;
}

/** Where a response has entries of a resource. `pointer`: the JSON Pointer of the entry in the body. */
interface EntryPlace {
  readonly resource: Resource;
  readonly schema: string;
  readonly pointer: string;
}

/** The maximum number of objects around each other in which entries are searched. */
const MAX_DEPTH = 6;

/**
 * Creates a function that shows the entries in a value as other responses show them: with the required properties that
 * responses compute, and without stored properties that no response has.
 * An entry is an object with the schema of a resource, and with an id.
 * Adds the JSON Pointers of values that are generated, such as those of an author, to `generated`.
 */
function createEntryView(
  model: ResourceModel,
  { state, input }: UserRequest,
  { resources, generated }: { readonly resources: ReadonlyMap<string, Resource>; readonly generated: Set<string> },
) {
  const { reader, derived } = model;
  const show = (schema: string, value: unknown, pointer: string, depth: number): unknown => {
    if (!isPlain(value) || depth > MAX_DEPTH) return value;
    if (!Array.isArray(value)) return showAll(schema, [value as Node], pointer, depth)[0];
    const items = reader.getItems(schema);
    const isList = items !== undefined && value.every(isPlain);
    return isList ? showAll(items, value as readonly Node[], `${pointer}/*`, depth) : value;
  };
  const showAll = (schema: string, values: readonly Node[], pointer: string, depth: number): readonly Node[] => {
    const properties = [...reader.getProperties(schema)];
    const inner = values.map((value) => {
      const changes = properties.flatMap(([name, place]) => {
        const own = getOwn(value, name);
        const shown = show(place, own, pointer + formatPointer(name), depth + 1);
        return shown === own ? [] : [[name, shown] as const];
      });
      return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
    });
    const resource = resources.get(reader.resolve(schema));
    const isKnown = (value: Node) => resource?.kind === 'singleton' || getId(resource, value) !== undefined;
    if (!resource || !inner.every(isKnown)) return inner;
    const required = reader.getRequired(schema);
    const entries = inner.map((value): UserEntry => {
      const [stored, ...others] = findByKeys(getEntryList(state, resource), [resource.id], [getId(resource, value)]);
      const known = stored && others.length === 0 ? stored : undefined;
      return { value: addStored(required, value, known), stored: known };
    });
    const computed = showComputed({ resource, schema, pointer }, entries);
    return computed.map((value, index) => {
      const { value: own = value, stored } = entries[index] ?? {};
      const shown = omitHidden(model, { resource, schema }, value, stored);
      return own === stored ? keepShown(stored, schema, shown) : shown;
    });
  };
  const showComputed = ({ resource, schema, pointer }: EntryPlace, entries: readonly UserEntry[]): readonly Node[] => {
    const names = [...listUnsent(model)(resource)];
    const required = reader.getRequired(schema);
    // A value that the handler has not changed can be old, such as the name of an author.
    const listOpen = ({ value, stored = {} }: UserEntry) =>
      names.filter((name) =>
        Object.hasOwn(value, name) ? isSameValue(value[name], getOwn(stored, name)) : required.includes(name),
      );
    const open = entries.map(listOpen);
    const values = entries.map(({ value }) => value);
    const only = new Set(open.flat());
    if (only.size === 0) return values;
    const sender = derived.getSender(resource, state, input);
    const shown = derived.add(state, resource, values, { sender, getNow: input.getNow, schema, only });
    return values.map((value, index) => {
      const { [index]: other = value } = shown;
      const own = open[index] ?? [];
      const changes = pickKeys(other, own);
      for (const inside of pickPointers(getGeneratedInside(other), changes)) generated.add(pointer + inside);
      const gone = own.filter((name) => !Object.hasOwn(changes, name));
      return own.length === 0 ? value : omitKeys({ ...value, ...changes }, gone);
    });
  };
  return show;
}

function getId(resource: Resource | undefined, value: Node): string | undefined {
  return resource && getKeyValue(value, resource.id);
}

/** Returns an object with the required properties that it lacks, and that the entry with its id has. */
function addStored(required: readonly string[], value: Node, stored: Entry = {}): Node {
  const missing = required.filter((name) => !Object.hasOwn(value, name) && Object.hasOwn(stored, name));
  return missing.length === 0 ? value : { ...value, ...pickKeys(stored, missing) };
}

/** The last shown copy of each stored entry, by the JSON Pointer of its schema. */
const shownCopies = new WeakMap<Entry, Map<string, Node>>();

/** Returns an unchanged stored entry as it is shown: the same object as long as its values are the same. */
function keepShown(stored: Entry, schema: string, shown: Node): Node {
  const copies = shownCopies.get(stored) ?? new Map<string, Node>();
  const known = copies.get(schema);
  if (known && isSameValue(known, shown)) return known;
  shownCopies.set(stored, copies.set(schema, Object.freeze(shown)));
  return shown;
}

/** Returns an entry without the unchanged stored properties that no response with a schema has. */
function omitHidden(
  { responses }: ResourceModel,
  { resource, schema }: { readonly resource: Resource; readonly schema: string },
  value: Node,
  stored: Entry | undefined,
): Node {
  if (!stored) return value;
  const completed = toNode(responses.completeEntry(resource, schema, stored).value);
  const isHidden = (name: string) =>
    name !== PATH_VALUES && !Object.hasOwn(completed, name) && getOwn(stored, name) === value[name];
  const hidden = Object.keys(value).filter(isHidden);
  return hidden.length === 0 ? value : omitKeys(value, hidden);
}

const getShape = memoizeByObject(({ contract }: ResourceModel) => createShapes(contract.normalized));

/** Returns a value without the path parameters that are stored with entries, at any depth. */
export function removeAllPathValues(value: unknown, known = new Map<object, unknown>(), depth = 0): unknown {
  if (!isPlain(value) || depth > MAX_JSON_DEPTH) return value;
  const found = known.get(value);
  if (found !== undefined) return found;
  // An object from a user's handler can contain itself.
  known.set(value, value);
  const remove = (inner: unknown) => removeAllPathValues(inner, known, depth + 1);
  const removed = Array.isArray(value)
    ? value.map(remove)
    : Object.fromEntries(Object.entries(removePathValues(value as Entry)).map(([name, own]) => [name, remove(own)]));
  const result = isSame(value, removed) ? value : removed;
  known.set(value, result);
  return result;
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

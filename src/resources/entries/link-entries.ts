import type { Input } from '../../application.ts';
import { isNode, type Node, pickKeys, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { addRequestTimes } from '../actions/request-times.ts';
import { getEnvelopeValues } from '../document/envelopes.ts';
import { getLastSegment, getParentPath } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findReferences, indexEntrySchemas, indexReferences, toReferenceValue } from '../inference/references.ts';
import { getRouteKey, type Inference, type Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { findSender } from '../users/tokens.ts';
import { getEchoes } from '../values/echoes.ts';
import { getEntries, getEntryList } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { getOwn, removePathValues } from './entry-values.ts';

/** A request to an operation that is mocked. `nowMs`: the time of the sandbox. */
interface MockedRequest {
  readonly input: Input;
  readonly state: State;
  readonly nowMs: number;
}

/** The maximum number of objects around each other in which entries are searched. */
const MAX_DEPTH = 6;

/**
 * Puts stored entries into the generated body of a mocked operation: an object with the schema of a resource becomes an
 * entry, and a property such as `taskId` the id of one.
 * It is the entry that the path, the query or the body names, the user who sends the request, or the first entry.
 * A property such as `taskId` has the value of the path or query parameter with this name.
 * Without entries, the generated value stays.
 * Properties such as `success` say that the request succeeded, and times such as `cancelledAt` when it was handled.
 */
export function linkEntries(
  model: ResourceModel,
  route: Route,
  { input, state, nowMs }: MockedRequest,
  body: unknown,
): unknown {
  const { reader, inference, contract } = model;
  const { schema, envelope, showsEntries } = getLinkPlan(model)(route);
  if (schema === undefined) return body;
  const bodies = [schema, ...listInner(reader, schema)];
  const complete = (pointer: string, value: Node): Node => ({
    ...addRequestTimes(model, route, pointer, value, nowMs),
    ...pickKeys(bodies.includes(pointer) ? getEchoes(model, route, pointer, input) : {}, Object.keys(value)),
  });
  const sent = listSentIds(model, route, input);
  if (!showsEntries && bodies.length === 1) {
    if (!isNode(body)) return body;
    const ids = Object.fromEntries(pickSentIds(model, sent, schema, body));
    return { ...complete(schema, body), ...ids, ...envelope };
  }
  const bySchema = indexEntrySchemas(reader)(inference.resources);
  const find = createFinder(model, route, { input, state });
  const link = (pointer: string, value: unknown, depth: number, position?: number): unknown => {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) {
      const items = reader.getItems(pointer);
      if (items === undefined) return value;
      const target = bySchema.get(reader.resolve(items));
      const least = Number(reader.getKeyword(pointer, 'minItems') ?? 0);
      const hasEntry = (_one: unknown, index: number) => !target || index < least || find(target, index) !== undefined;
      const isEmpty = target !== undefined && getEntries(state, target).length === 0;
      const kept = isEmpty ? value : value.filter(hasEntry);
      return kept.map((one, index) => link(items, one, depth + 1, index));
    }
    if (!isNode(value)) return value;
    const target = bySchema.get(reader.resolve(pointer));
    const entry = target && find(target, position);
    const shown = target && entry && showEntry(model, { state, input, schema: pointer }, target, entry);
    if (shown !== undefined && contract.isValid(pointer, shown)) return shown;
    return linkProperties(pointer, value, depth, position);
  };
  const linkProperties = (pointer: string, generated: Node, depth: number, position?: number): Node => {
    const value = complete(pointer, generated);
    const own = pickSentIds(model, sent, pointer, value);
    const known = own.map(([name]) => name);
    const ids = findReferences(reader, inference, pointer).flatMap((reference) => {
      const { property } = reference;
      const isShown = typeof getOwn(value, property) !== 'object' && Object.hasOwn(value, property);
      const id =
        isShown && !known.includes(property)
          ? toReferenceValue(contract.isValid, reference, find(reference.target, position))
          : undefined;
      return id === undefined ? [] : [[reference.property, id] as const];
    });
    const inner = [...reader.getProperties(pointer)].flatMap(([name, place]) => {
      const own = getOwn(value, name);
      return typeof own === 'object' && own !== null ? [[name, link(place, own, depth + 1)] as const] : [];
    });
    const changes = [...own, ...ids, ...inner];
    return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
  };
  const linked = link(schema, body, 0);
  return isNode(linked) ? { ...linked, ...envelope } : linked;
}

/** Returns the JSON Pointers of the schemas of the objects with the content of a body such as `{ data, status }`. */
function listInner(reader: SchemaReader, schema: string): readonly string[] {
  return [...reader.getProperties(schema)].flatMap(([name, pointer]) =>
    /^(?:data|result|payload|response)$/i.test(name) && reader.isObject(pointer) ? [pointer] : [],
  );
}

/** Creates the function that returns the entry of a resource that a mocked response shows. */
function createFinder(model: ResourceModel, route: Route, { input, state }: Pick<MockedRequest, 'input' | 'state'>) {
  const named = listNamedIds(model, route, input);
  // The entries of a list are different ones, and not the one that the request names.
  return (target: Resource, position?: number): Entry | undefined => {
    const id = named.get(target);
    const own = id === undefined ? undefined : findByKeys(getEntryList(state, target), [target.id], [id])[0];
    const entries = getEntries(state, target);
    if (position !== undefined) return (own ? entries.filter((entry) => entry !== own) : entries)[position];
    const sender = target === model.inference.users ? findSender(target, state, input) : undefined;
    return own ?? sender ?? entries[0];
  };
}

/** Returns an entry as a response shows it. `schema`: the JSON Pointer of its schema in the response. */
function showEntry(
  model: ResourceModel,
  { state, input, schema }: { readonly state: State; readonly input: Input; readonly schema: string },
  target: Resource,
  entry: Entry,
): unknown {
  const sender = model.derived.getSender(target, state, input);
  const [shown = entry] = model.derived.add(state, target, [entry], { sender, getNow: input.getNow, schema });
  return removePathValues(model.responses.completeEntry(target, schema, shown).value as Entry);
}

/** What the document says about the body of a mocked operation. */
interface LinkPlan {
  /** The JSON Pointer of the schema of the body. */
  readonly schema: string | undefined;
  /** The properties that say that the request succeeded. */
  readonly envelope: Entry;
  /** Whether the body can have entries of a resource, or their ids. */
  readonly showsEntries: boolean;
}

const getLinkPlan = memoizeByObject(({ reader, inference, contract }: ResourceModel) =>
  memoizeByObject((route: Route): LinkPlan => {
    const schema = reader.getResponseSchema(route, route.successStatus);
    const bySchema = indexEntrySchemas(reader)(inference.resources);
    const visited = new Set<string>();
    const query = route.parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []));
    const names = new Set([
      ...listPathIds(inference, route).keys(),
      ...[...route.pathNames, ...query].map(normalizeName),
    ]);
    const hasIds = (pointer: string) =>
      [...reader.getProperties(pointer).keys()].map(normalizeName).some((name) => isIdName(name) && names.has(name));
    const hasEntries = (pointer: string): boolean => {
      if (visited.has(pointer)) return false;
      visited.add(pointer);
      if (bySchema.has(reader.resolve(pointer)) || hasIds(pointer)) return true;
      if (findReferences(reader, inference, pointer).length > 0) return true;
      const items = reader.getItems(pointer);
      return [...(items === undefined ? [] : [items]), ...reader.getProperties(pointer).values()].some(hasEntries);
    };
    return {
      schema,
      envelope: getEnvelopeValues(reader, contract.isValid, route, route.successStatus),
      showsEntries: schema !== undefined && hasEntries(schema),
    };
  }),
);

/** Returns whether a normalized name is that of an id of another entry, such as `taskid`. */
function isIdName(name: string): boolean {
  return /.id$/.test(name);
}

/** Returns the parameters in the path of an operation by the ids that they have: `taskid` for `/tasks/{number}`. */
function listPathIds({ mockedPlans }: Inference, route: Route): ReadonlyMap<string, string> {
  const parents = mockedPlans.get(getRouteKey(route))?.mount.parents ?? [];
  return new Map(
    parents.map(({ path: item, parameter }) => {
      const singular = toSingular(normalizeName(getLastSegment(getParentPath(item))));
      return [`${singular}id`, parameter] as const;
    }),
  );
}

/** Returns the ids in the path, the query and the body of a request, by their normalized names. */
function listSentIds({ inference }: ResourceModel, route: Route, input: Input): ReadonlyMap<string, string> {
  const { path, query } = input;
  const references = indexReferences(inference);
  // An id that names no entry, such as that of an option, is only repeated.
  const inBody = Object.entries(toNode(input.body)).filter(([name]) => !references.has(normalizeName(name)));
  const inPath = [...listPathIds(inference, route)].map(([name, parameter]) => [name, path[parameter]] as const);
  const sent = [...inBody, ...Object.entries(query), ...inPath, ...Object.entries(path)].flatMap(([name, value]) => {
    const own = normalizeName(name);
    return isIdName(own) && typeof value === 'string' ? [[own, value] as const] : [];
  });
  return new Map(sent);
}

/** Returns the ids that a request has in its path or query, and that an object has with the same names. */
function pickSentIds(
  { reader, contract }: ResourceModel,
  sent: ReadonlyMap<string, string>,
  pointer: string,
  value: Node,
): readonly (readonly [name: string, id: unknown])[] {
  return [...reader.getProperties(pointer)].flatMap(([name, place]) => {
    const text = Object.hasOwn(value, name) ? sent.get(normalizeName(name)) : undefined;
    const id = text === undefined ? undefined : [text, Number(text)].find((one) => contract.isValid(place, one));
    return id === undefined ? [] : [[name, id] as const];
  });
}

/** Returns the ids of entries that a request names in its path, its query or its body. */
function listNamedIds({ inference }: ResourceModel, route: Route, { path, query, body }: Input) {
  const index = indexReferences(inference);
  const inPath = [...listPathIds(inference, route)].map(([name, parameter]) => [name, path[parameter]] as const);
  const named = new Map<Resource, string>();
  for (const [name, value] of [
    ...Object.entries(isNode(body) ? body : {}),
    ...Object.entries(query),
    ...Object.entries(path),
    ...inPath,
  ]) {
    const target = index.get(normalizeName(name));
    if (target && (typeof value === 'string' || typeof value === 'number')) named.set(target, String(value));
  }
  return named;
}

import type { Input } from '../application.ts';
import type { CompleteValue } from '../mock/complete-value.ts';
import type { Mock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { omitKeys, pickKeys } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { toSeed } from '../util/random.ts';
import { isPathSegment } from '../util/request-target.ts';
import { listInitialValues } from './actions/initial-values.ts';
import { listSentInside } from './actions/take-parts.ts';
import { getPropertyPath, getPropertySchema } from './document/entry-properties.ts';
import { getEnvelopeValues } from './document/envelopes.ts';
import { listRequestNames } from './document/locate.ts';
import { hasOwnId } from './document/query-ids.ts';
import { SchemaReader } from './document/schema-reader.ts';
import { createParentFinder } from './entries/entries.ts';
import { EntryValidator } from './entries/entry-validator.ts';
import {
  copyKeyValue,
  getKeyValue,
  getPathSchemas,
  keepKeys,
  omitInner,
  type PathInput,
  setInner,
  setKeyValue,
  setParent,
} from './entries/entry-values.ts';
import { createDescriptions } from './entries/named-objects.ts';
import { addInitial, createEmptyValues, createFittingNames, createNestedDefaults } from './entries/nested-defaults.ts';
import {
  addExpiry,
  createNoFreeId,
  createServerValues,
  formatTimes,
  isLifetime,
  SAMPLE_TIME_MS,
  type ServerValues,
  type TimeKind,
  type UsedIds,
} from './entries/server-values.ts';
import { describeUpload, setFile } from './entries/uploads.ts';
import { inferResources } from './inference/infer.ts';
import { findListParameters } from './lists/list-parameters.ts';
import type { ListParameters } from './lists/list-query.ts';
import { describeIgnored, listIgnored } from './lists/sort-entries.ts';
import {
  type Action,
  type Inference,
  type KnownLists,
  type Mount,
  PATH_VALUES,
  type Plan,
  type Resource,
} from './resource.ts';
import { ResponseFactory } from './responses.ts';
import { planStreams, type StreamPlan } from './stream-plans.ts';
import { DerivedValues } from './values/derived-values.ts';

/** The values from which a new entry is created. */
interface NewEntryInput extends UsedIds {
  readonly body: Entry;
  /** Whether the server has set the id in the body, which is that of a user. */
  readonly ownId?: boolean | undefined;
  readonly path: PathInput;
  readonly nowMs: number;
  /** Returns a new UUID. */
  readonly newId: () => string;
}

const NO_LISTS: KnownLists = { names: [], paths: new Set(), routes: [] };

/** The times that each action sets: `create` sets the creation time and the time of the last change. */
const SET_TIMES: Readonly<Partial<Record<Action, readonly TimeKind[]>>> = {
  create: ['created', 'updated'],
  copy: ['created', 'updated'],
  replace: ['updated', 'edited'],
  replaceById: ['updated', 'edited'],
  update: ['updated', 'edited'],
  updateById: ['updated', 'edited'],
};

/** The actions that create entries. */
const CREATING_ACTIONS: readonly Action[] = ['create', 'replace', 'replaceById'];

/** The actions that change entries by a request body. */
const CHANGING_ACTIONS: readonly Action[] = [...CREATING_ACTIONS, 'update', 'updateById'];

/** The resources of a contract, and the functions with which handlers read and change entries. */
export class ResourceModel {
  readonly contract: Contract;
  readonly inference: Inference;
  readonly reader: SchemaReader;
  readonly validator: EntryValidator;
  readonly responses: ResponseFactory;
  readonly derived: DerivedValues;
  /** Returns the resources named as parents in a path, such as `owners` in `/owners/{ownerId}/pets`. */
  readonly findParents: ReturnType<typeof createParentFinder>;
  readonly generate: (schema: string, seed: number) => unknown;
  readonly completeValue: CompleteValue;
  /** The streams of the changes of resources, by the key of the route. */
  readonly streams: ReadonlyMap<string, StreamPlan>;
  readonly #values: ServerValues;
  /** Adds default values to the objects in an entry. */
  readonly addNestedDefaults: ReturnType<typeof createNestedDefaults>;
  readonly listFitting: ReturnType<typeof createFittingNames>;
  /** The resources with an operation that creates entries. */
  readonly #created: ReadonlySet<Resource>;

  constructor(contract: Contract, mock: Mock, lists: KnownLists = NO_LISTS) {
    const { completeValue, generateField } = mock;
    this.contract = contract;
    this.reader = new SchemaReader(contract.normalized);
    this.inference = inferResources(this.reader, [...contract.routes, ...lists.routes], lists);
    this.streams = planStreams(this.reader, this.inference, contract.routes);
    const creating = [...this.inference.plans.values()].filter(({ action }) => CREATING_ACTIONS.includes(action));
    this.#created = new Set(creating.map(({ resource }) => resource));
    this.findParents = createParentFinder(this.inference);
    this.validator = new EntryValidator(contract, this.reader, createDescriptions(this.reader, this.inference));
    this.responses = new ResponseFactory(contract, this.reader, this.inference, completeValue);
    this.addNestedDefaults = createNestedDefaults(contract.normalized);
    this.listFitting = createFittingNames(contract.normalized);
    this.generate = generateField;
    this.completeValue = completeValue;
    this.#values = createServerValues(contract, this.reader, this.inference, generateField);
    const getSent = memoizeByObject((resource: Resource) => new Set(this.#listSentNames(resource)));
    this.derived = new DerivedValues(this, this.inference, this.responses, getSent);
  }

  /**
   * Returns the JSON Pointer of the schema in which an operation shows entries: for a user, it can be a public profile.
   * For other entries, it is the schema of the resource.
   */
  readonly getShownSchema = memoizeByObject(({ route, resource, mount, responsePath }: Plan): string => {
    const { users } = this.inference;
    const response = this.reader.getResponseSchema(route, route.successStatus);
    if (mount.shown !== undefined || resource !== users || response === undefined)
      return mount.shown ?? resource.schema;
    const inner = this.reader.getInner(response, responsePath) ?? '';
    const shown = this.reader.getItems(inner) ?? inner;
    return shown !== '' && this.reader.sharesProperties(shown, resource.schema) ? shown : resource.schema;
  });

  /** Returns how the query parameters of a list operation filter, sort and page. */
  readonly getListParameters = memoizeByObject(
    (plan: Plan): ListParameters =>
      findListParameters(this.reader, this.inference, this.derived.getEmbedded(plan.resource), plan),
  );

  /** For each operation, the ineffective query parameters that were already reported. */
  readonly #getReported = memoizeByObject((_plan: Plan) => new Set<string>());

  /**
   * Returns a message for each query parameter without effect.
   * Reports a parameter only once, because clients can send it with every request.
   */
  takeNotes(plan: Plan, query: Input['query'], parameters = this.getListParameters(plan)): readonly string[] {
    const names = listIgnored(parameters, query).filter((name) => !this.#getReported(plan).has(name));
    for (const name of names) this.#getReported(plan).add(name);
    return names.map((name) => describeIgnored(plan.route, name));
  }

  /** Returns the default values of an entry's properties, except the id. */
  readonly getDefaults = memoizeByObject(({ schema, id }: Resource) =>
    this.addNestedDefaults(schema, omitKeys(this.#values.getDefaults(schema), [id.property ?? ''])),
  );

  /**
   * Returns the names of the properties that an operation sets to the current time of the sandbox, such as `createdAt`.
   */
  getTimeNames({ action, resource }: Plan): readonly string[] {
    return Object.keys(this.#values.getTimes(resource, {}, { nowMs: SAMPLE_TIME_MS, kinds: SET_TIMES[action] ?? [] }));
  }

  /** Returns an entry with default values for missing properties. Returns the entry itself if it has all of them. */
  addDefaults(resource: Resource, entry: Entry): Entry {
    const defaults = this.getDefaults(resource);
    const missing = Object.keys(defaults).filter((name) => !Object.hasOwn(entry, name));
    return missing.length === 0 ? entry : { ...entry, ...pickKeys(defaults, missing) };
  }

  /**
   * Returns the default values in the schema of a request body.
   * Omits the id, and properties that entries do not have, except those that say how long an entry is valid.
   */
  readonly getRequestDefaults = memoizeByObject(({ route, resource, requestPath, entryPath }: Plan): Entry => {
    const inner = this.reader.getRequestInner(route, requestPath);
    const own = resource.schema === '' ? undefined : this.reader.getInner(resource.schema, entryPath);
    if (inner === undefined || own === undefined) return {};
    const known = this.reader.getProperties(own);
    const defaults = Object.entries(this.addNestedDefaults(inner, this.#values.getDefaults(inner)));
    const isUsed = (name: string) => known.has(name) || isLifetime(name, known.keys());
    return Object.fromEntries(defaults.filter(([name]) => isUsed(name) && name !== resource.id.property));
  });

  /**
   * Returns the part of a request body that has the entry with the default values of its schema, also in objects.
   * Alternatives that do not fit the body have no effect.
   */
  addRequestDefaults(plan: Plan, body: Entry): Entry {
    const { route, requestPath } = plan;
    const inner = this.reader.getRequestInner(route, requestPath);
    const place = inner === undefined ? undefined : (this.reader.getItems(inner) ?? inner);
    const defaults = this.getRequestDefaults(plan);
    if (place === undefined) return { ...defaults, ...body };
    const names = this.listFitting(place, body);
    return { ...pickKeys(defaults, names), ...this.addNestedDefaults(place, body) };
  }

  /**
   * Returns the values of a new entry that actions change later: the first value of a state, false, and the number 0.
   * A generated value could be that of an entry for which the action was already done.
   */
  readonly getInitialValues = memoizeByObject(
    (resource: Resource): Entry => listInitialValues(this.reader, this.inference, resource, this.contract.isValid),
  );

  /** Returns the empty lists and the nulls that a new entry has without its request. */
  readonly getEmptyValues = memoizeByObject((plan: Plan) =>
    createEmptyValues(this, plan.resource, this.#getRequestNames(plan)),
  );

  /**
   * Creates an entry from a request body.
   * Adds the id, the ids of the parents, the default values, and times such as `createdAt`.
   */
  createEntry(plan: Plan, { list, lastId, body, path, nowMs, newId, ownId }: NewEntryInput): Entry {
    const { resource, mount, route } = plan;
    const file = describeUpload(this.reader, resource, route, body, this.contract.isValid);
    const sent = { ...file, ...(ownId === true ? body : this.#omitUnknownId(plan, body)) };
    const known = this.addNestedDefaults(resource.schema, this.validator.removeInvalid(resource, sent));
    const values = addInitial(this.getInitialValues(resource), { ...this.getDefaults(resource), ...known });
    // The values of the request are first, and keep their order.
    const given = addExpiry(this, resource, { ...values, ...this.getEmptyValues(plan), ...values }, nowMs);
    const timed = { ...given, ...this.#values.getTimes(resource, given, { nowMs, kinds: ['created', 'updated'] }) };
    const withFile = setFile(route, timed, body);
    const withParents = this.#setParents(mount, path, withFile, true);
    if (resource.kind === 'singleton') return withParents;
    const { id } = resource;
    if (hasOwnId(plan, path))
      return setKeyValue(withParents, id, this.#values.toTyped(id.schema, path[id.parameter] as string));
    // Some clients send an empty id for a new entry. An empty id is replaced by a new id.
    if (id.property !== undefined && isPathSegment(getKeyValue(withParents, id) ?? '')) return withParents;
    const free = this.#values.createId(resource, { list, lastId }, withParents, newId());
    if (free === undefined) throw createNoFreeId(resource);
    return setKeyValue(withParents, id, free);
  }

  /**
   * Creates an entry of the default data.
   * `body`: an example or a generated value.
   * Adds default values, the ids of the parents, and a missing id.
   * Returns undefined if the schema of the id allows no other one.
   */
  createSeed({ resource, mount }: Plan, { list, body, path, newId }: NewEntryInput): Entry | undefined {
    const isValid = this.validator.findIssues(resource, body).length === 0;
    const valid = isValid
      ? body
      : this.validator.removeInvalid(resource, this.completeValue(resource.schema, body, 0).value as Entry);
    const entry = this.#setParents(mount, path, this.addDefaults(resource, valid));
    if (resource.kind === 'singleton' || isPathSegment(getKeyValue(entry, resource.id) ?? '')) return entry;
    const free = this.#values.createId(resource, { list }, entry, newId());
    return free === undefined ? undefined : setKeyValue(entry, resource.id, free);
  }

  /** Returns what a list such as a wish list stores of an existing entry: its id, and the ids of the parents. */
  createMember({ resource, mount }: Plan, target: Entry, path: PathInput): Entry {
    return this.#setParents(mount, path, copyKeyValue(target, {}, resource.id));
  }

  /** Converts path parameters to the form in which entries store them: `01` becomes `1` for an integer. */
  toStoredPath({ mount }: Pick<Plan, 'mount'>, path: PathInput): PathInput {
    const schemas = getPathSchemas(mount);
    // The object has no prototype, so that a parameter with a name such as `constructor` has no inherited value.
    const stored: Record<string, string> = Object.create(null);
    for (const [name, text] of Object.entries(path))
      stored[name] = String(this.#values.toTyped(schemas.get(name) ?? '', text));
    return stored;
  }

  /** Returns whether the id in a request path is valid against the schema of the id. */
  isValidId({ id }: Resource, path: PathInput): boolean {
    const value = path[id.parameter];
    return (
      id.schema === '' ||
      value === undefined ||
      this.contract.isValid(id.schema, this.#values.toTyped(id.schema, value))
    );
  }

  /** Returns the properties of an entry that a request body can have; an empty array if it can have any property. */
  #getRequestNames({ route, requestPath, entryPath }: Plan): readonly string[] {
    if (entryPath.length > 0) return entryPath.slice(0, 1);
    return listRequestNames(this.reader, route, requestPath);
  }

  /** Removes the id from a request body if the schema of the body does not have the id. */
  #omitUnknownId(plan: Plan, body: Entry): Entry {
    const [name = ''] = plan.resource.id.property?.split('.') ?? [];
    const known = this.#getRequestNames(plan);
    return known.length === 0 || known.includes(name) ? body : omitKeys(body, [name]);
  }

  /**
   * Replaces the stored entry `current` by a request body.
   * Properties that the schema of the body does not have keep their stored values.
   */
  replaceEntry(plan: Plan, current: Entry, body: Entry, nowMs: number): Entry {
    const known = this.#getRequestNames(plan);
    const isKept = (name: string) => known.length > 0 && !known.includes(name);
    const kept = Object.fromEntries(Object.entries(current).filter(([name]) => isKept(name)));
    const defaults = Object.entries(this.getDefaults(plan.resource)).filter(([name]) => known.includes(name));
    const given = this.addNestedDefaults(plan.resource.schema, body);
    const values = { ...kept, ...Object.fromEntries(defaults), ...given };
    const replaced = { ...values, ...this.getEmptyValues(plan), ...values };
    return this.updateEntry(plan, current, () => replaced, given, nowMs);
  }

  /**
   * Changes the stored entry `current`.
   * Keeps its id, the ids of its parents unless the request can change them, and its `readOnly` properties.
   * `sent`: the properties in the request.
   */
  updateEntry(plan: Plan, current: Entry, change: (old: Entry) => Entry, sent: Entry, nowMs: number): Entry {
    const { resource } = plan;
    const changed = this.validator.restoreInvalidSent(
      resource,
      current,
      this.validator.setNulls(resource, current, change(current), sent),
      sent,
    );
    const created = Object.keys(this.#values.getTimes(resource, changed, { nowMs, kinds: ['created'] }));
    const kept = [PATH_VALUES, ...created].filter((name) => current[name] !== undefined);
    // Clients often send the whole entry back, with the time of the previous change.
    const isRepeated = (name: string) => sent[name] === current[name];
    const chosen = this.#values.removeReadOnly(resource, omitKeys(sent, Object.keys(sent).filter(isRepeated)));
    const next: Entry = {
      ...this.#values.removeReadOnly(resource, changed),
      ...this.#values.pickReadOnly(resource, current),
      ...Object.fromEntries(kept.map((name) => [name, current[name]])),
      ...this.#values.getTimes(resource, chosen, { nowMs, kinds: ['updated', 'edited'] }),
    };
    const keyed = keepKeys(this.reader, plan, { current, sent }, next);
    const order = Object.keys(current).filter((name) => Object.hasOwn(keyed, name));
    return { ...Object.fromEntries(order.map((name) => [name, keyed[name]])), ...keyed };
  }

  /** Returns the names of the properties that requests can have, and that are not `readOnly`. */
  #listSentNames(resource: Resource): readonly string[] {
    const { of = resource, property } = resource.part ?? {};
    const plans = [...this.inference.plans.values()].filter(
      (plan) => plan.resource === of && CHANGING_ACTIONS.includes(plan.action),
    );
    if (property !== undefined) return listSentInside(this.reader, plans, property);
    const sent = plans.flatMap((plan) => this.#getRequestNames(plan).map((name) => [name, true] as const));
    const own = Object.keys(this.#values.removeReadOnly(resource, Object.fromEntries(sent)));
    // An action counts some properties, such as `likes` of `POST /posts/{postId}/like`.
    const effects = [...this.inference.plans.values()].filter((plan) => plan.resource === resource);
    return [...own, ...effects.flatMap(({ effect }) => (effect?.counter ? [effect.counter.property] : []))];
  }

  /** Returns an entry in a request body without the properties that only the server sets. */
  removeReadOnly(resource: Resource, entry: Entry): Entry {
    return this.#values.removeReadOnly(resource, entry);
  }

  /** Completes the body of a response that is no entry. */
  completeResponse(route: Route, body: Entry): ReturnType<CompleteValue> {
    const schema = this.reader.getResponseSchema(route, route.successStatus) ?? '';
    const envelope = getEnvelopeValues(this.reader, this.contract.isValid, route, route.successStatus);
    return this.completeValue(schema, { ...envelope, ...body }, toSeed(route.operationId));
  }

  /** Returns the current time in the form that a property allows. Returns undefined without a property. */
  formatTime({ schema }: Resource, property: string | undefined, nowMs: number): unknown {
    const pointer = property === undefined ? undefined : getPropertySchema(this.reader, schema, property);
    return pointer === undefined ? undefined : formatTimes(nowMs).find((time) => this.contract.isValid(pointer, time));
  }

  /** Returns a copy of an entry with other properties. A property that is null, and can't be null, is removed. */
  setOrRemove({ schema }: Resource, entry: Entry, changes: Entry): Entry {
    return Object.entries(changes).reduce((next, [name, value]) => {
      const path = getPropertyPath(this.reader, schema, name);
      const isRemoved = value === null && !this.contract.isValid(this.reader.getInner(schema, path) ?? '', null);
      return isRemoved ? omitInner(next, path) : setInner(next, path, value);
    }, entry);
  }

  /**
   * Returns the first value of a singleton: its default values.
   * Returns undefined for a collection, or if a request must create the singleton.
   */
  getInitialSingleton(resource: Resource, mount: Mount, path: PathInput): Entry | undefined {
    if (resource.kind !== 'singleton' || (resource.canDelete && this.#created.has(resource))) return undefined;
    return this.#setParents(mount, path, this.getDefaults(resource));
  }

  /**
   * Returns whether an operation creates entries.
   * Returns false if the POST of a collection is mocked, for example because its body has no property of an entry, and
   * no PUT creates entries: then the list would be empty for ever.
   */
  canCreate(resource: Resource): boolean {
    if (!resource.canCreate || resource.kind === 'singleton' || !resource.canPost) return resource.canCreate;
    return [...this.inference.plans.values()].some(
      (plan) => plan.resource === resource && (plan.action === 'create' || canCreateByPut(plan)),
    );
  }

  /**
   * Returns the changes in a query, such as `?name=Rex`.
   * Returns an empty object for an operation with a request body.
   */
  getQueryChanges({ resource, route }: Plan, query: Input['query']): Entry {
    if (Object.keys(route.bodyMedia).length > 0 || resource.schema === '') return {};
    const properties = this.reader.getProperties(resource.schema);
    const values = Object.entries(query).flatMap(([name, text]) => {
      const schema = properties.get(name);
      return schema === undefined ? [] : [[name, Array.isArray(text) ? text : this.#values.toTyped(schema, text)]];
    });
    return Object.fromEntries(values);
  }

  #setParents({ parents }: Mount, path: PathInput, entry: Entry, isNew = false): Entry {
    return parents.reduce((next, parent) => {
      const known = getKeyValue(next, parent);
      const value = path[parent.parameter];
      const isSent = isNew && parent.isDescribed && known !== undefined;
      return isSent || value === undefined || known === value
        ? next
        : setParent(next, parent, this.#values.toTyped(parent.schema, value));
    }, entry);
  }
}

/**
 * Returns whether a PUT creates missing entries, although a POST creates entries too: if 201 is documented, or if the
 * PUT has no body.
 */
function canCreateByPut({ action, route }: Plan): boolean {
  if (action !== 'replace' && action !== 'replaceById') return false;
  return route.responses.some(({ name }) => name === '201') || Object.keys(route.bodyMedia).length === 0;
}

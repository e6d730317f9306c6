import { isNode, omitKeys, pickKeys } from '../openapi/document.ts';
import { EntryList } from '../store/entry-list.ts';
import type { Entry, State } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { normalizeName } from '../util/names.ts';
import { toSeed } from '../util/random.ts';
import { STATE_PROPERTIES } from './actions/states.ts';
import { moveDeleted } from './entries/deletions.ts';
import { findEqual, getEntries, getEntryList, hasParents, listParentPaths, setEntries } from './entries/entries.ts';
import { appendEntry, findByKeys } from './entries/entry-lists.ts';
import { getKeyValue, getOwn, type PathInput } from './entries/entry-values.ts';
import { createUuidFrom, SAMPLE_TIME_MS } from './entries/server-values.ts';
import { findReferences, toReferenceValue } from './inference/references.ts';
import { arrangeLeaderboard } from './lists/leaderboards.ts';
import { isTopLevel, OWNER, type Plan, type Resource, SENDER } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { createDefaultAccount } from './users/accounts.ts';
import { addFirstUser } from './users/ownership.ts';
import { isSameValue } from './values/completed.ts';
import { type Embedded, linkUsers } from './values/embedded.ts';
import { listExamples } from './values/example-entries.ts';

/**
 * The number of entries to generate for each parent, or for a resource without parents.
 * Used if there are no examples, and no operation creates entries.
 */
const GENERATED_SEEDS = 3;

/** The maximum number of parents for which child entries are generated. */
const MAX_PARENTS = 5;

/**
 * Creates the default data of a contract from the examples in the document.
 * Generates entries for a resource without examples, unless an operation creates its entries.
 * `lists`: lists from the user, by resource name.
 * They replace the examples and get the default values of the contract.
 */
export function createSeeds(model: ResourceModel, lists: State): State {
  const { resources } = model.inference;
  const byDepth = [...resources].sort((a, b) => getDepth(a) - getDepth(b));
  const names = [...resources, ...model.inference.trashes].map(({ name }) => name);
  let state: State = { ...Object.fromEntries(names.map((name) => [name, []])), ...lists };
  const generated: Resource[] = [];
  for (const resource of byDepth) {
    if (Object.hasOwn(lists, resource.name)) {
      state = { ...state, [resource.name]: addDefaults(model, resource, lists) };
      continue;
    }
    const examples = findExamples(model)(resource);
    const isGenerated = examples.length === 0 && resource.kind === 'collection' && !model.canCreate(resource);
    const values = isGenerated ? Array.from({ length: GENERATED_SEEDS }, () => undefined) : examples;
    state = addSeeds(model, resource, state, values);
    if (isGenerated) generated.push(resource);
  }
  const owned = resources.reduce((next, resource) => addFirstUser(model, resource, next), state);
  const referring = generated.reduce((next, resource) => {
    const entries = getEntries(next, resource).map(createReferrer(model, resource, next));
    return setEntries(next, resource, EntryList.of(arrangeLeaderboard(model, resource, next, entries)));
  }, owned);
  const linked = resources.map((resource) => {
    const link = (entry: Entry) =>
      createDefaultAccount(
        model.inference,
        resource,
        linkUsers(model.reader, model.inference, resource, referring, linkShown(model, resource, referring, entry)),
      );
    return [resource.name, getEntries(referring, resource).map(link)] as const;
  });
  return moveDeleted(model, { ...referring, ...Object.fromEntries(linked) });
}

/**
 * Adds the ids that an entry of the default data lacks, if it has the objects that they name: the `assigneeId` of a
 * task with an `assignee`.
 * An optional id can be removed later. The entry does not keep the object beside it, if the other entry exists.
 */
function linkShown(
  { reader, contract, derived }: ResourceModel,
  resource: Resource,
  state: State,
  entry: Entry,
): Entry {
  const properties = resource.schema === '' ? new Map<string, string>() : reader.getProperties(resource.schema);
  return derived
    .getEmbedded(resource)
    .reduce((next, { property, ids = '', isList, isSent, value, resource: target }) => {
      const schema = properties.get(ids);
      const shown = getOwn(next, property);
      if (schema === undefined || isList || isSent || value !== undefined || !isNode(shown) || Object.hasOwn(next, ids))
        return next;
      const id = toReferenceValue(contract.isValid, { property: ids, schema, target }, shown);
      if (id === undefined) return next;
      const isKnown = findByKeys(getEntryList(state, target), [target.id], [String(id)]).length > 0;
      const isKept = !isKnown || reader.getRequired(resource.schema).includes(ids);
      return { ...(isKept ? next : omitKeys(next, [property])), [ids]: id };
    }, entry);
}

/** Changes a generated entry. `index`: the place of the entry in its list. */
type ChangeSeed = (entry: Entry, index: number) => Entry;

/** Returns the objects in entries that show entries of other resources only by the ids inside them, such as `play`. */
function listObjects({ derived }: ResourceModel, resource: Resource): readonly Embedded[] {
  return derived
    .getEmbedded(resource)
    .filter(
      ({ ids, isSent, isList, children, members, parent, value, shows, resource: target }) =>
        ![ids, isSent, children, members, parent, value, shows].some((one) => one !== undefined) &&
        !isList &&
        target !== resource &&
        target.id.property !== undefined,
    );
}

/**
 * Returns the function that sets ids such as `authorId`, and objects such as `play`, in a generated entry of a resource
 * to those of other entries. It removes those of resources without entries.
 */
function createReferrer(model: ResourceModel, resource: Resource, state: State): ChangeSeed {
  const change = createObjectReferrer(model, resource, state);
  const refer = createIdReferrer(model, resource, state);
  return (entry, index) => change(refer(entry, index), index);
}

function createObjectReferrer(model: ResourceModel, resource: Resource, state: State): ChangeSeed {
  const required = model.reader.getRequired(resource.schema);
  const objects = listObjects(model, resource);
  return (entry, index) => {
    const own = objects.filter(({ property }) => isNode(getOwn(entry, property)));
    const shown = own.flatMap(({ property, resource: target }) => {
      const targets = getEntries(state, target);
      const one = targets[index % Math.max(targets.length, 1)];
      return one ? [[property, pickKeys(one, [target.id.property ?? ''])] as const] : [];
    });
    const unknown = own.map(({ property }) => property).filter((name) => !required.includes(name));
    return own.length === 0 ? entry : { ...omitKeys(entry, unknown), ...Object.fromEntries(shown) };
  };
}

function createIdReferrer(
  { reader, inference, contract }: ResourceModel,
  resource: Resource,
  state: State,
): ChangeSeed {
  const references = findReferences(reader, inference, resource.schema, resource).map((reference) => ({
    reference,
    targets: getEntries(state, reference.target),
  }));
  const unknown = references.filter(({ reference, targets }) => reference.target !== resource && targets.length === 0);
  const unknownNames = unknown.map(({ reference }) => reference.property);
  return (entry, index) => {
    const ids = references.flatMap(({ reference, targets }) => {
      const { property, schema, target } = reference;
      // A generated object `user` without a `userId` would be a user who does not exist.
      const hasObject = isNode(getOwn(entry, property.replace(/[_-]?id$/i, '')));
      if (!Object.hasOwn(entry, property) && !hasObject) return [];
      const isOwn = target === resource;
      if (isOwn && index === 0 && contract.isValid(schema, null)) return [[property, null]];
      const shown = isOwn ? (targets[0] ?? entry) : targets[index % Math.max(targets.length, 1)];
      const id = toReferenceValue(contract.isValid, reference, shown);
      return id === undefined ? [] : [[property, id]];
    });
    if (ids.length + unknown.length === 0) return entry;
    return { ...omitKeys(entry, unknownNames), ...Object.fromEntries(ids) };
  };
}

/**
 * Sets ids such as `feedId` in the entries that no operation creates to the id of the first feed.
 * Without it, they would have this id in responses, but would not belong to the feed.
 */
export function linkGenerated(model: ResourceModel, state: State, target: Resource, first: Entry): State {
  const { reader, inference, contract } = model;
  return listGenerated(model).reduce((next, resource) => {
    const required = reader.getRequired(resource.schema);
    const references = findReferences(reader, inference, resource.schema, resource).filter(
      (reference) => reference.target === target && target !== resource && required.includes(reference.property),
    );
    const entries = getEntries(next, resource);
    const isIncomplete = (entry: Entry) => references.some(({ property }) => !Object.hasOwn(entry, property));
    if (references.length === 0 || !entries.some(isIncomplete)) return next;
    const linked = entries.map((entry) => {
      const missing = references.filter(({ property }) => !Object.hasOwn(entry, property));
      const ids = missing.flatMap((reference) => {
        const id = toReferenceValue(contract.isValid, reference, first);
        return id === undefined ? [] : [[reference.property, id]];
      });
      return ids.length === 0 ? entry : { ...entry, ...Object.fromEntries(ids) };
    });
    return setEntries(next, resource, EntryList.of(linked));
  }, state);
}

/** Returns the collections whose entries no operation creates. */
const listGenerated = memoizeByObject((model: ResourceModel): readonly Resource[] =>
  model.inference.resources.filter(
    (resource) => resource.kind === 'collection' && resource.schema !== '' && !model.canCreate(resource),
  ),
);

/**
 * Returns the entries that the user provides for a resource, with default values from the contract for missing
 * properties.
 */
function addDefaults(model: ResourceModel, resource: Resource, lists: State): readonly Entry[] {
  return getEntries(lists, resource).map((entry) =>
    model.addDefaults(resource, model.addNestedDefaults(resource.schema, entry)),
  );
}

function getDepth({ mounts }: Resource): number {
  return mounts[0]?.parents.length ?? 0;
}

/**
 * Adds default entries to a resource, and returns a changed copy of the state.
 * `values`: an example for each entry, or undefined to generate the entry.
 */
function addSeeds(
  model: ResourceModel,
  resource: Resource,
  state: State,
  values: readonly (Entry | undefined)[],
): State {
  const [mount] = resource.mounts;
  const plan = [...model.inference.plans.values()].find((candidate) => candidate.resource === resource);
  if (!mount || !plan) return state;
  const known = listParentPaths(model.inference, state, mount);
  // Without users, requests with other credentials see the entries below `/me`.
  const isWithoutUser = known.length === 0 || mount.parents.every(({ isDescribed }) => isDescribed);
  const isOpen = isTopLevel(mount) && isWithoutUser && (known.length === 0 || !isOwnList(model, resource));
  const paths = isOpen ? [{}] : known;
  const isForEach = values.includes(undefined) || isOwnList(model, resource);
  return addSeedsAt(model, { ...plan, mount }, state, { values, paths, isForEach });
}

/**
 * The examples of a resource, and the path parameters of the parents.
 * `isForEach`: whether each parent gets the examples.
 * `change`: what changes each entry before it is added.
 */
interface SeedPlaces {
  readonly values: readonly (Entry | undefined)[];
  readonly paths: readonly PathInput[];
  readonly isForEach: boolean;
  readonly change?: ChangeSeed;
}

function addSeedsAt(model: ResourceModel, plan: Plan, state: State, places: SeedPlaces): State {
  const { values, paths, isForEach, change = (entry) => entry } = places;
  const { resource, mount } = plan;
  const stored = getEntryList(state, resource);
  let list = stored;
  for (const parentPath of isForEach ? paths.slice(0, MAX_PARENTS) : paths.slice(0, 1))
    for (const [index, value] of values.entries()) {
      const given = isForEach ? undefined : paths.find((one) => value !== undefined && hasParents(value, mount, one));
      const path = given ?? parentPath;
      const key = `${resource.name} ${Object.values(path).join('/')} ${index}`;
      const body = value ?? startUnread(model, resource, generateEntry(model, resource, toSeed(key)));
      if (!body) continue;
      const newId = () => createUuidFrom(key);
      const entry = model.createSeed(plan, { list, body, path, nowMs: SAMPLE_TIME_MS, newId });
      if (entry && (resource.kind === 'singleton' || !findEqual(list, resource, entry)))
        list = appendEntry(list, change(entry, list.length));
    }
  // A document can have hundreds of resources, most of them without entries.
  return list === stored ? state : setEntries(state, resource, list);
}

/** Returns a generated entry, also with an optional state such as `status`, so that each entry is in one of them. */
function generateEntry({ reader, generate }: ResourceModel, { schema }: Resource, seed: number): unknown {
  const generated = generate(schema, seed);
  if (!isNode(generated)) return generated;
  const missing = [...reader.getProperties(schema)].filter(
    ([name, pointer]) =>
      STATE_PROPERTIES.includes(normalizeName(name)) &&
      Array.isArray(reader.getKeyword(pointer, 'enum')) &&
      !Object.hasOwn(generated, name),
  );
  return { ...generated, ...Object.fromEntries(missing.map(([name, pointer]) => [name, generate(pointer, seed)])) };
}

/** Matches what a reader of an entry changes: `read`, `isRead`, `readAt`. */
const READ = /^(?:is)?(?:read|seen|dismissed)(?:at|on)?$/;

/** Returns a generated entry that nobody has read. */
function startUnread(model: ResourceModel, resource: Resource, generated: unknown): Entry | undefined {
  if (!isNode(generated)) return undefined;
  const names = [...model.reader.getProperties(resource.schema)].filter(
    ([name]) => READ.test(normalizeName(name)) && Object.hasOwn(generated, name),
  );
  const values = names.map(([name, pointer]) => [
    name,
    model.reader.getTypes(pointer).includes('boolean') ? false : null,
  ]);
  return model.setOrRemove(resource, generated, Object.fromEntries(values));
}

/** Returns whether each user has an own list of a resource, such as `/me/notifications`, which no operation creates. */
function isOwnList(model: ResourceModel, resource: Resource): boolean {
  const isOwn = resource.mounts[0]?.parents.some(({ isSender }) => isSender) === true;
  return isOwn && resource.kind === 'collection' && !model.canCreate(resource);
}

/** Returns the resources of which each new user has entries from the start, with a plan of each one. */
const listOwnPlans = memoizeByObject((model: ResourceModel): readonly Plan[] => {
  const plans = new Map<Resource, Plan>();
  for (const plan of model.inference.plans.values()) {
    const [mount] = plan.resource.mounts;
    if (mount && !plans.has(plan.resource) && isOwnList(model, plan.resource) && isTopLevel(mount))
      plans.set(plan.resource, { ...plan, mount });
  }
  return [...plans.values()];
});

/** Adds the entries that a new user has from the start, such as those of `/me/notifications`. */
export function addOwnSeeds(model: ResourceModel, state: State, user: Entry): State {
  const { users } = model.inference;
  const id = users && getKeyValue(user, users.id);
  if (id === undefined) return state;
  return listOwnPlans(model).reduce((next, plan) => {
    const { resource } = plan;
    const examples = findExamples(model)(resource);
    const places = { paths: [{ [SENDER]: id, [OWNER]: id }], isForEach: true };
    if (examples.length > 0) return addSeedsAt(model, plan, next, { ...places, values: examples });
    const values = Array.from({ length: GENERATED_SEEDS }, () => undefined);
    return addSeedsAt(model, plan, next, { ...places, values, change: createReferrer(model, resource, next) });
  }, state);
}

/** Returns the examples of entries: from the responses of a resource's operations, and from the schema of an entry. */
const findExamples = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((resource: Resource): readonly Entry[] => {
    const plans = [...model.inference.plans.values()].filter((plan) => plan.resource === resource);
    const order = ['list', 'read', 'create', 'replace', 'update'];
    const sorted = [...plans].sort((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
    const found = sorted.flatMap((plan) => {
      const entries = listExamples(model.reader, plan);
      // The newest entry of such a list comes first in the example, and was created last.
      const { order } = plan.action === 'list' ? model.getListParameters(plan) : {};
      return order?.isTime && order.isDescending ? entries.toReversed() : entries;
    });
    const own = resource.schema === '' ? undefined : model.reader.getExample(resource.schema);
    const examples = omitViews(resource, [...found, ...(isEntry(own) && !isRepeated(own, found) ? [own] : [])]);
    return resource.kind === 'singleton' ? examples.slice(0, 1) : examples;
  }),
);

/** Returns whether an example has only values of another one. The examples of properties can be those of an entry. */
function isRepeated(example: Entry, others: readonly Entry[]): boolean {
  const values = Object.entries(example);
  return others.some((other) => values.every(([name, value]) => isSameValue(getOwn(other, name), value)));
}

/** Returns examples without those that lack the id that others have: they show one of the other entries. */
function omitViews({ id }: Resource, examples: readonly Entry[]): readonly Entry[] {
  const identified = examples.filter((one) => id.property !== undefined && getOwn(one, id.property) !== undefined);
  return identified.length > 0 ? identified : examples;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

import { isNode, omitKeys } from '../openapi/document.ts';
import { findJsonMedia } from '../openapi/responses.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { toSeed } from '../util/random.ts';
import { createDefaultAccount } from './accounts.ts';
import { linkUsers } from './embedded.ts';
import { findEqual, getEntries, getEntryList, hasParents, listParentPaths, setEntries } from './entries.ts';
import { appendEntry } from './entry-lists.ts';
import { getKeyValue, type PathInput } from './entry-values.ts';
import { addFirstUser } from './ownership.ts';
import { findReferences, toReferenceValue } from './references.ts';
import { isTopLevel, type Plan, type Resource, SENDER } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { getInner } from './responses.ts';
import { createUuidFrom, SAMPLE_TIME_MS } from './server-values.ts';

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
  let state: State = { ...Object.fromEntries(resources.map(({ name }) => [name, []])), ...lists };
  const generated: Resource[] = [];
  for (const resource of byDepth) {
    if (Object.hasOwn(lists, resource.name)) {
      state = { ...state, [resource.name]: addDefaults(model, resource, lists) };
      continue;
    }
    const examples = findExamples(model, resource);
    const isGenerated = examples.length === 0 && resource.kind === 'collection' && !model.canCreate(resource);
    const values = isGenerated ? Array.from({ length: GENERATED_SEEDS }, () => undefined) : examples;
    state = addSeeds(model, resource, state, values);
    if (isGenerated) generated.push(resource);
  }
  const owned = resources.reduce((next, resource) => addFirstUser(model, resource, next), state);
  const referring = generated.reduce((next, resource) => setReferences(model, resource, next), owned);
  const linked = resources.map((resource) => {
    const link = (entry: Entry) =>
      createDefaultAccount(
        model.inference,
        resource,
        linkUsers(model.reader, model.inference, resource, referring, entry),
      );
    return [resource.name, getEntries(referring, resource).map(link)] as const;
  });
  return { ...referring, ...Object.fromEntries(linked) };
}

/**
 * Sets the ids of other entries in the generated entries of a resource, such as `authorId`, to those of entries.
 * Removes those of resources without entries.
 * `others`: entries that stay as they are.
 */
function setReferences(
  { reader, inference, contract }: ResourceModel,
  resource: Resource,
  state: State,
  others: ReadonlySet<Entry> = new Set(),
): State {
  const references = findReferences(reader, inference, resource.schema, resource);
  if (references.length === 0) return state;
  const entries = getEntries(state, resource).map((entry, index) => {
    if (others.has(entry)) return entry;
    const unknown = references.filter(({ target }) => target !== resource && getEntries(state, target).length === 0);
    const ids = references.flatMap((reference) => {
      const targets = getEntries(state, reference.target);
      const isTop = reference.target === resource && index === 0 && contract.isValid(reference.schema, null);
      const target = reference.target === resource ? targets[0] : targets[index % Math.max(targets.length, 1)];
      const value = isTop ? null : toReferenceValue(contract.isValid, reference, target);
      return value === undefined || !Object.hasOwn(entry, reference.property) ? [] : [[reference.property, value]];
    });
    const known = omitKeys(
      entry,
      unknown.map(({ property }) => property),
    );
    return ids.length + unknown.length === 0 ? entry : { ...known, ...Object.fromEntries(ids) };
  });
  return { ...state, [resource.name]: entries };
}

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
  const paths = known.length === 0 && isTopLevel(mount) ? [{}] : known;
  const isForEach = values.includes(undefined) || isOwnList(model, resource);
  return addSeedsAt(model, { ...plan, mount }, state, { values, paths, isForEach });
}

/** The examples of a resource, and the path parameters of the parents. `isForEach`: whether each parent gets them. */
interface SeedPlaces {
  readonly values: readonly (Entry | undefined)[];
  readonly paths: readonly PathInput[];
  readonly isForEach: boolean;
}

function addSeedsAt(model: ResourceModel, plan: Plan, state: State, { values, paths, isForEach }: SeedPlaces): State {
  const { resource, mount } = plan;
  let list = getEntryList(state, resource);
  for (const parentPath of isForEach ? paths.slice(0, MAX_PARENTS) : paths.slice(0, 1))
    for (const [index, value] of values.entries()) {
      const given = isForEach ? undefined : paths.find((one) => value !== undefined && hasParents(value, mount, one));
      const path = given ?? parentPath;
      const key = `${resource.name} ${Object.values(path).join('/')} ${index}`;
      const body = value ?? startUnread(model, resource, model.generate(resource.schema, toSeed(key)));
      if (!body) continue;
      const newId = () => createUuidFrom(key);
      const entry = model.createSeed(plan, { list, body, path, nowMs: SAMPLE_TIME_MS, newId });
      if (entry && (resource.kind === 'singleton' || !findEqual(list, resource, entry)))
        list = appendEntry(list, entry);
    }
  return setEntries(state, resource, list);
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

/** Adds the entries that a new user has from the start, such as those of `/me/notifications`. */
export function addOwnSeeds(model: ResourceModel, state: State, user: Entry): State {
  const { inference } = model;
  const id = inference.users && getKeyValue(user, inference.users.id);
  if (id === undefined) return state;
  const plans = [...inference.plans.values()].filter(({ resource }) => isOwnList(model, resource));
  const first = plans.filter(({ resource }, index) => plans.findIndex((one) => one.resource === resource) === index);
  return first.reduce((next, plan) => {
    const [mount = plan.mount] = plan.resource.mounts;
    if (!isTopLevel(mount)) return next;
    const examples = findExamples(model, plan.resource);
    const values = examples.length > 0 ? examples : Array.from({ length: GENERATED_SEEDS }, () => undefined);
    const added = addSeedsAt(model, { ...plan, mount }, next, { values, paths: [{ [SENDER]: id }], isForEach: true });
    return examples.length > 0
      ? added
      : setReferences(model, plan.resource, added, new Set(getEntries(next, plan.resource)));
  }, state);
}

/** Returns the examples of entries: from the responses of a resource's operations, and from the schema of an entry. */
function findExamples(model: ResourceModel, resource: Resource): readonly Entry[] {
  const plans = [...model.inference.plans.values()].filter((plan) => plan.resource === resource);
  const order = ['list', 'read', 'create', 'replace', 'update'];
  const sorted = [...plans].sort((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
  const found = sorted.flatMap((plan) => listExamples(plan)).filter(isEntry);
  const own = resource.schema === '' ? undefined : model.reader.getExample(resource.schema);
  const examples = [...found, ...(isEntry(own) ? [own] : [])];
  return resource.kind === 'singleton' ? examples.slice(0, 1) : examples;
}

function listExamples({ route, action, responsePath }: Plan): readonly unknown[] {
  if (!['list', 'read', 'create', 'replace', 'update'].includes(action)) return [];
  const examples = findJsonMedia(route.responses, route.successStatus)?.examples ?? [];
  return examples.flatMap(({ value }) => {
    const inner = getInner(value, responsePath);
    return action === 'list' ? (Array.isArray(inner) ? inner : []) : [inner];
  });
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

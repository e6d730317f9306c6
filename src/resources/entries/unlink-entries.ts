import { DomainError } from '../../application.ts';
import { isNode, omitKeys } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { addArticle } from '../document/names.ts';
import { indexReferences } from '../inference/references.ts';
import type { Action, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { getEntries, getEntryList, listChildren, removeEntries, setEntries } from './entries.ts';
import { findByKeys, replaceEntry } from './entry-lists.ts';
import { createPropertyKey, getKeyValue, getOwn } from './entry-values.ts';
import { type Blocking, describeBlocking, isBlocking, listBlocking } from './refused-deletions.ts';

/** A property of entries with the id, or the ids, of entries of another resource: the `categoryId` of a task. */
interface Link {
  /** The resource whose entries have the property. */
  readonly from: Resource;
  readonly property: string;
  /** The JSON Pointer of the schema of the property. */
  readonly schema: string;
  readonly isList: boolean;
  /** Whether the property has objects that requests have sent, instead of their ids. */
  readonly isObject: boolean;
  /** What happens to the property if the other entry is deleted. `keep`: the entry can't lack it. */
  readonly onDelete: 'null' | 'remove' | 'keep';
}

/** Returns the links to the entries of each resource. Users are only linked by lists of their ids. */
const indexLinks = memoizeByObject((model: ResourceModel): ReadonlyMap<Resource, readonly Link[]> => {
  const { inference, reader, derived } = model;
  const { users } = inference;
  const index = new Map<Resource, Link[]>();
  const byName = indexReferences(inference);
  const needed = memoizeByObject((from: Resource) => new Set(listNeeded(model, from)));
  const add = (target: Resource, link: Omit<Link, 'onDelete'>) => {
    if (target === users && (link.isObject || !link.isList)) return;
    addToGroup(index, target, { ...link, onDelete: findEffect(model, link, needed(link.from)) });
  };
  for (const from of inference.resources) {
    if (from.schema === '' || from.memberOf !== undefined) continue;
    const parentNames = ['parentid', `parent${normalizeName(from.singular)}id`];
    for (const [property, schema] of reader.getProperties(from.schema)) {
      const items = reader.getItems(schema);
      const name = normalizeName(items === undefined ? property : toSingular(property));
      const isParent = parentNames.includes(name) && from.id.property !== undefined;
      const target = byName.get(name) ?? (isParent ? from : undefined);
      const isOwnId = property === from.id.property || (target === from && !isParent);
      if (!target || isOwnId || !reader.isScalar(items ?? schema)) continue;
      add(target, { from, property, schema, isList: items !== undefined, isObject: false });
    }
    for (const { isSent, resource, property, schema, isList } of derived.getEmbedded(from))
      if (isSent) add(resource, { from, property, schema, isList, isObject: true });
    for (const { property, target, schema, isList } of listSentIds(model, from))
      add(target, { from, property, schema, isList, isObject: false });
  }
  return index;
});

/**
 * Returns the properties that only requests have, with the ids of entries that an entry shows: the `cafe_id` of an
 * entry with an object `cafe`.
 */
function listSentIds(model: ResourceModel, from: Resource) {
  const { reader, derived } = model;
  const properties = reader.getProperties(from.schema);
  const requests = listRequests(model, from, ['create', 'replace', 'update']);
  const sent = new Map(requests.flatMap((request) => [...reader.getProperties(request)]));
  const known = new Set<string>();
  return derived.getEmbedded(from).flatMap(({ ids = '', resource: target }) => {
    const schema = sent.get(ids);
    if (schema === undefined || properties.has(ids) || known.has(ids)) return [];
    known.add(ids);
    const items = reader.getItems(schema);
    return reader.isScalar(items ?? schema) ? [{ property: ids, target, schema, isList: items !== undefined }] : [];
  });
}

/** Returns the properties that all requests for a new entry must have. */
function listNeeded(model: ResourceModel, resource: Resource): readonly string[] {
  return listRequests(model, resource, ['create']).flatMap((request) => model.reader.getRequired(request));
}

/** Returns the JSON Pointers of the schemas of the entries in the requests with some actions. */
function listRequests(
  { inference, reader }: ResourceModel,
  resource: Resource,
  actions: readonly Action[],
): readonly string[] {
  return [...inference.plans.values()].flatMap((plan) => {
    const isOne = plan.resource === resource && actions.includes(plan.action);
    const inner = isOne ? reader.getRequestInner(plan.route, plan.requestPath) : undefined;
    return inner === undefined ? [] : [reader.getItems(inner) ?? inner];
  });
}

function findEffect(
  { contract, reader }: ResourceModel,
  { from, property, schema, isList }: Omit<Link, 'onDelete'>,
  needed: ReadonlySet<string>,
): Link['onDelete'] {
  if (isList) return 'remove';
  if (contract.isValid(schema, null)) return 'null';
  return reader.getRequired(from.schema).includes(property) || needed.has(property) ? 'keep' : 'remove';
}

/** Returns the entries that have one of some ids at a link. */
function findLinked(state: State, { id }: Resource, link: Link, ids: ReadonlySet<string>): readonly Entry[] {
  const { from, property, schema, isList, isObject } = link;
  const list = getEntryList(state, from);
  if (list.length === 0) return [];
  if (!isList && !isObject) {
    const key = createPropertyKey(property, schema);
    return [...ids].flatMap((one) => findByKeys(list, [key], [one]));
  }
  const hasId = (value: unknown) => ids.has(getLinkedId(id, value) ?? '');
  return list.entries.filter((entry) => [getOwn(entry, property)].flat().some(hasId));
}

/** Returns the id in a value of a link: the value itself, or that of the object. */
function getLinkedId(id: Resource['id'], value: unknown): string | undefined {
  if (isNode(value)) return getKeyValue(value, id);
  return value === undefined || value === null ? undefined : String(value);
}

function unlink({ id }: Resource, { property, isList, onDelete }: Link, ids: ReadonlySet<string>, entry: Entry): Entry {
  const value = getOwn(entry, property);
  if (isList && Array.isArray(value))
    return { ...entry, [property]: value.filter((one) => !ids.has(getLinkedId(id, one) ?? '')) };
  return onDelete === 'null' ? { ...entry, [property]: null } : omitKeys(entry, [property]);
}

function listIds({ id }: Resource, entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(entries.flatMap((entry) => getKeyValue(entry, id) ?? []));
}

/**
 * Returns a copy of a state without some entries of a resource, and without their child entries.
 * Other entries lose the ids and the sent objects of all these entries, as far as their schemas allow it.
 */
export function removeAndUnlink(
  model: ResourceModel,
  state: State,
  resource: Resource,
  removed: readonly Entry[],
): State {
  const rest = removeEntries(model.inference, state, resource, removed);
  let next = rest;
  for (const [target, links] of indexLinks(model)) {
    const ids = listIds(target, target === resource ? removed : listMissing(state, rest, target));
    if (ids.size === 0) continue;
    for (const link of links) {
      if (link.onDelete === 'keep') continue;
      const linked = findLinked(next, target, link, ids);
      const list = linked.reduce(
        (own, entry) => replaceEntry(own, entry, unlink(target, link, ids, entry)),
        getEntryList(next, link.from),
      );
      if (linked.length > 0) next = setEntries(next, link.from, list);
    }
  }
  return next;
}

/** Returns the entries of a resource that only the first of two states has. */
function listMissing(before: State, after: State, resource: Resource): readonly Entry[] {
  const list = getEntryList(after, resource);
  const entries = getEntries(before, resource);
  if (entries.length === list.length) return [];
  return entries.filter((entry) => findByKeys(list, [resource.id], [getKeyValue(entry, resource.id)]).length === 0);
}

/**
 * Throws a `DomainError` if an operation deletes entries whose ids other entries have, and the document has 409 for it.
 * Child entries, such as the tasks of a project, refuse the deletion only if the document says so.
 */
export function requireUnused(model: ResourceModel, plan: Plan, state: State, removed: readonly Entry[]): void {
  const { resource } = plan;
  const links = listRefusing(model)(plan);
  const below = listRefusingBelow(model, plan);
  if (links.length + below.length === 0 || removed.length === 0) return;
  const ids = listIds(resource, removed);
  const after = removeEntries(model.inference, state, resource, removed);
  for (const link of links) {
    const [used, ...others] = findLinked(link.isNamed ? state : after, resource, link, ids).filter(
      (entry) => !removed.includes(entry),
    );
    if (!used) continue;
    const who =
      others.length === 0 ? `${addArticle(link.from.singular)} has` : `${others.length + 1} ${link.from.name} have`;
    throw new DomainError(
      'conflict',
      `${who} this ${resource.singular} in ${link.property}: change or delete them first`,
    );
  }
  for (const one of below) {
    const kept = new Set(getEntries(after, one.child));
    const { length } = getEntries(state, one.child).filter((entry) => !kept.has(entry) && isBlocking(one, entry));
    if (length === 0) continue;
    const { singular, name } = one.child;
    const what =
      length === 1 ? `${addArticle(singular)}: delete it` : `${length} ${name.split('.').at(-1)}: delete them`;
    throw new DomainError('conflict', `the ${resource.singular} still has ${what} first`);
  }
}

/** Returns the links because of which an operation refuses to delete an entry. */
const listRefusing = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): readonly (Link & { readonly isNamed: boolean })[] => {
    const { route, resource } = plan;
    const isDocumented = route.responses.some(({ name }) => name === '409');
    if (!isDocumented || resource === model.inference.users) return [];
    const blocking = listBlocking(model)(plan);
    const isNamed = (from: Resource) => blocking.some(({ child }) => child === from);
    const deleted = new Set(listChildren(model.inference, resource).flatMap((one) => (one.isDeleted ? one.name : [])));
    const links = (indexLinks(model).get(resource) ?? []).map((link) => ({ ...link, isNamed: isNamed(link.from) }));
    return links.filter((link) => link.isNamed || !deleted.has(link.from.name));
  }),
);

/** Returns the child entries without the id of the entry above because of which an operation refuses to delete it. */
function listRefusingBelow(model: ResourceModel, plan: Plan): readonly Blocking[] {
  const linked = listRefusing(model)(plan).map(({ from }) => from);
  return listBlocking(model)(plan).filter(({ child }) => !linked.includes(child));
}

/** Describes the child entries because of which an operation refuses to delete an entry. */
export function describeRefusingBelow(model: ResourceModel, plan: Plan): readonly string[] {
  return listRefusingBelow(model, plan).map(describeBlocking);
}

/** Describes what a deletion does with the ids of the deleted entries in others: `removes: tasks.categoryId`. */
export function describeLinks(model: ResourceModel, plan: Plan): readonly (readonly [label: string, name: string])[] {
  const refusing = listRefusing(model)(plan);
  const deleted = new Set(
    listChildren(model.inference, plan.resource).flatMap((one) => (one.isDeleted ? one.name : [])),
  );
  const links = indexLinks(model).get(plan.resource) ?? [];
  return links.flatMap((link) => {
    const isRefusing = refusing.some((one) => one.from === link.from && one.property === link.property);
    if (!isRefusing && deleted.has(link.from.name)) return [];
    const label = isRefusing
      ? 'refuses if used in'
      : { null: 'sets to null', remove: 'removes', keep: 'keeps' }[link.onDelete];
    return [[label, `${link.from.name}.${link.property}`] as const];
  });
}

/** Returns the properties of the entries that lose the id of a deleted one, and that stay: `tasks.categoryId`. */
export function listUnlinked(model: ResourceModel, { resource }: Plan): readonly string[] {
  const deleted = listChildren(model.inference, resource).flatMap((one) => (one.isDeleted ? one.name : []));
  const links = (indexLinks(model).get(resource) ?? []).filter(
    ({ onDelete, from }) => onDelete !== 'keep' && !deleted.includes(from.name),
  );
  return links.map(({ from, property }) => `${from.name}.${property}`);
}

import { isNode, pickKeys } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { getEntryList } from '../entries/entries.ts';
import { getOwn } from '../entries/entry-values.ts';
import type { Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';

/**
 * Where requests create entries that a list without a POST also has: the tags below `/tasks/{taskId}/tags`, or the
 * objects in the property `tags` of recipes.
 */
export interface Source {
  readonly resource: Resource;
  /** The property with the objects; undefined if they are the entries of the resource. */
  readonly property: string | undefined;
  /** Whether each of them is also an entry of the list. */
  readonly isListed: boolean;
}

/**
 * Returns where requests create entries of a list, if no operation of its own does.
 * The list has them if its entries are names such as tags, and no path has one of them.
 */
export const findSources = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((resource: Resource): readonly Source[] => {
    const { inference, derived, reader } = model;
    if (resource.kind !== 'collection' || resource.schema === '' || model.canCreate(resource)) return [];
    const required = reader.getRequired(resource.schema);
    const isOfNames =
      findName(model, resource) !== undefined && resource.mounts.every(({ item }) => item === undefined);
    const isListed = (schema: string) =>
      isOfNames && required.every((name) => reader.getRequired(schema).includes(name));
    return inference.resources.flatMap((one): readonly Source[] => {
      if (one === resource) return [];
      const sent = derived.getEmbedded(one).filter((shown) => shown.resource === resource && shown.isSent);
      const inside = sent.map(({ property, schema }) => ({ resource: one, property, isListed: isListed(schema) }));
      const below = isBelow(model, resource, one)
        ? [{ resource: one, property: undefined, isListed: isListed(one.schema) }]
        : [];
      return [...below, ...inside];
    });
  }),
);

/** The maximum number of properties of an entry that is only a name, such as `{id, name, color}`. */
const MAX_PROPERTIES = 3;

/** Returns the property with the name of an entry that is only a name; undefined for other entries. */
function findName({ reader }: ResourceModel, { schema }: Resource): string | undefined {
  const names = [...reader.getProperties(schema).keys()];
  const isShort = names.length <= MAX_PROPERTIES;
  return isShort ? names.find((name) => ['name', 'slug', 'label'].includes(normalizeName(name))) : undefined;
}

/** Returns whether entries below others are also entries of a list: they have its name, its id and its properties. */
function isBelow(model: ResourceModel, resource: Resource, one: Resource): boolean {
  const { kind, schema, mounts, memberOf, id, singular } = one;
  const parents = mounts[0]?.parents ?? [];
  return (
    kind === 'collection' &&
    schema !== '' &&
    memberOf === undefined &&
    parents.length > 0 &&
    parents.every(({ isSender }) => !isSender) &&
    id.property === resource.id.property &&
    normalizeName(singular) === normalizeName(resource.singular) &&
    [...model.reader.getProperties(resource.schema).keys()].every((name) =>
      model.reader.getProperties(schema).has(name),
    ) &&
    model.canCreate(one)
  );
}

/** Returns the entries of a list, and those of its sources with other names. */
export function collectEntries(model: ResourceModel, resource: Resource, state: State): readonly Entry[] {
  const { entries } = getEntryList(state, resource);
  const sources = findSources(model)(resource).filter(({ isListed }) => isListed);
  const name = sources.length === 0 ? undefined : findName(model, resource);
  if (name === undefined) return entries;
  const properties = [...model.reader.getProperties(resource.schema).keys()];
  const getName = (entry: Entry) => getOwn(entry, name);
  const collected = sources.flatMap(({ resource: one, property }) => {
    const others = getEntryList(state, one).entries;
    const objects = property === undefined ? others : others.flatMap((entry) => getOwn(entry, property));
    return objects.filter(isNode).map((object) => pickKeys(object, properties));
  });
  const known = new Set<unknown>([undefined, ...entries.map(getName)]);
  const others = collected.filter((entry) => {
    const key = getName(entry);
    return !known.has(key) && known.add(key);
  });
  return others.length === 0 ? entries : [...entries, ...others];
}

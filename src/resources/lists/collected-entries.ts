import { isNode, pickKeys } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { TEXT_KEYS } from '../document/names.ts';
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
  /** Whether each object can be an entry of the list. */
  readonly isWhole: boolean;
}

/** Returns where requests create entries of a list, if no operation of its own does. */
export const findSources = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((resource: Resource): readonly Source[] => {
    const { inference, derived } = model;
    if (resource.kind !== 'collection' || resource.schema === '' || model.canCreate(resource)) return [];
    return inference.resources.flatMap((one): readonly Source[] => {
      if (one === resource) return [];
      const sent = derived.getEmbedded(one).filter((shown) => shown.resource === resource && shown.isSent);
      const inside = sent.map(({ property, schema }) => ({
        resource: one,
        property,
        isWhole: hasAll(model, resource, model.reader.getRequired(schema)),
      }));
      return isBelow(model, resource, one)
        ? [{ resource: one, property: undefined, isWhole: true }, ...inside]
        : inside;
    });
  }),
);

/** Returns whether entries below others are also entries of a list: they have its name, its id and its properties. */
function isBelow(model: ResourceModel, resource: Resource, one: Resource): boolean {
  const { kind, schema, mounts, memberOf, id, singular } = one;
  const parents = mounts[0]?.parents ?? [];
  return (
    kind === 'collection' &&
    schema !== '' &&
    memberOf === undefined &&
    parents.some(({ isSender }) => !isSender) &&
    id.property === resource.id.property &&
    normalizeName(singular) === normalizeName(resource.singular) &&
    [...model.reader.getProperties(resource.schema).keys()].every((name) =>
      model.reader.getProperties(schema).has(name),
    ) &&
    hasAll(model, resource, model.reader.getRequired(schema)) &&
    model.canCreate(one)
  );
}

function hasAll({ reader }: ResourceModel, { schema }: Resource, names: readonly string[]): boolean {
  return reader.getRequired(schema).every((name) => names.includes(name));
}

/** Returns the entries of a list, and those of its sources with other names. */
export function collectEntries(model: ResourceModel, resource: Resource, state: State): readonly Entry[] {
  const { entries } = getEntryList(state, resource);
  const properties = [...model.reader.getProperties(resource.schema).keys()];
  const name = TEXT_KEYS.flatMap((key) => properties.find((one) => normalizeName(one) === key) ?? [])[0];
  const getName = (entry: Entry) => getOwn(entry, name ?? resource.id.property ?? '');
  const collected = findSources(model)(resource).flatMap(({ resource: one, property, isWhole }) => {
    const sources = isWhole ? getEntryList(state, one).entries : [];
    const objects = property === undefined ? sources : sources.flatMap((entry) => getOwn(entry, property));
    return objects.filter(isNode).map((object) => pickKeys(object, properties));
  });
  const known = new Set<unknown>([undefined, ...entries.map(getName)]);
  const others = collected.filter((entry) => {
    const key = getName(entry);
    return !known.has(key) && known.add(key);
  });
  return others.length === 0 ? entries : [...entries, ...others];
}

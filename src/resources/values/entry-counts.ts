import { normalizeName } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Children, Derived, Resource } from '../resource.ts';
import { findCounted, indexNames } from './counted-properties.ts';
import { findChildren } from './derived.ts';
import { findInside, findStateCounts, PLAIN } from './statistics.ts';

/** Matches the names of objects with numbers, such as `stats`, `_count` and `taskCounts`, without separators. */
const COUNT_OBJECTS = /^(.*?)(?:counts?|counters?|stats|statistics|summary|metrics|totals)$/;

/**
 * Returns the properties of the entries of a resource whose values follow from other entries, also in an object such as
 * `stats: { taskCount, completedTaskCount }`.
 * `links`: other entries that can name those of the resource.
 */
export function findEntryCounts(
  reader: SchemaReader,
  resources: readonly Resource[],
  parent: Resource,
  links: readonly Children[],
): readonly Derived[] {
  const { schema } = parent;
  if (schema === '') return [];
  const children = findChildren(reader, resources, parent);
  const others = links.filter(({ resource }) => !children.some((child) => child.resource === resource));
  const inObjects = [...reader.getProperties(schema)].flatMap(([property, pointer]): readonly Derived[] => {
    const [, what] = COUNT_OBJECTS.exec(normalizeName(property)) ?? [];
    if (!reader.isObject(pointer) || children.length + others.length === 0) return [];
    const found = findInside(reader, property, pointer, { children, subject: undefined });
    const own = what ? indexNames(children).get(what)?.[0] : undefined;
    if (found.length > 0 || what === undefined || (what !== '' && !own)) return found;
    const counted = findCounted(reader, pointer, own ? [own] : children, own ? [] : others, true);
    const known = new Set(counted.map((one) => one.property));
    const states = findStateCounts(reader, pointer, children, own).filter((one) => !known.has(one.property));
    const [first, ...more] = [...counted, ...states];
    return first ? [{ ...PLAIN, property, children: first.children, inside: [first, ...more] }] : [];
  });
  const counted = findCounted(reader, schema, children, others, true);
  return [...counted, ...inObjects, ...findIdLists(reader, resources, parent, children)];
}

/**
 * Finds the lists with the ids of other entries, such as the `plants` or the `plantIds` of a room: plants are below the
 * path of the room, or name it in `roomId` or in `room`.
 */
function findIdLists(
  reader: SchemaReader,
  resources: readonly Resource[],
  parent: Resource,
  children: readonly Children[],
): readonly Derived[] {
  const lists = [...reader.getProperties(parent.schema)].flatMap(([property, pointer]) => {
    const items = reader.getItems(pointer);
    return items !== undefined && reader.isScalar(items) ? [{ property, items }] : [];
  });
  if (lists.length === 0 || parent.kind !== 'collection') return [];
  const names = [...reader.getProperties(parent.schema).keys()];
  const name = names.find((one) => normalizeName(one) === 'name');
  const named = resources.flatMap((resource): readonly Children[] => {
    const [property] =
      [...(resource.schema === '' ? [] : reader.getProperties(resource.schema))].find(
        ([one, pointer]) => normalizeName(one) === normalizeName(parent.singular) && reader.isScalar(pointer),
      ) ?? [];
    const isOther = property !== undefined && resource.kind === 'collection' && resource !== parent;
    const isChild = children.some((child) => child.resource === resource);
    return isOther && !isChild ? [{ resource, key: undefined, named: { property, parent, name } }] : [];
  });
  return lists.flatMap(({ property, items }): readonly Derived[] => {
    const own = normalizeName(property);
    const found = [...children, ...named].filter(
      ({ resource }) =>
        resource.memberOf === undefined &&
        [normalizeName(resource.name), `${normalizeName(resource.singular)}ids`].includes(own),
    );
    const [only, ...others] = found;
    return only && others.length === 0 ? [{ ...PLAIN, property, children: only, ids: items }] : [];
  });
}

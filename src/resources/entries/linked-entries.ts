import { isNode, omitKeys } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findReferences } from '../inference/references.ts';
import { type Children, type Inference, type Link, PATH_VALUES, type Resource } from '../resource.ts';
import { getUserKey } from '../users/user-parts.ts';
import { getGeneratedInside, setGeneratedInside } from '../values/completed.ts';
import { getKeyValue, getOwn, getPathValues } from './entry-values.ts';

/** Returns the entries that name the entry with an id: the tasks with a tag, or those that are assigned to a user. */
export function findLinked(link: Link, entries: readonly Entry[], id: string | undefined): readonly Entry[] {
  return id === undefined ? [] : (indexLinked(link)(entries).get(id) ?? []);
}

/** Returns entries by the ids of the entries that they name. The index is created once for each list. */
const indexLinked = memoizeByObject((link: Link) =>
  memoizeByObject((entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> => {
    const index = new Map<string, Entry[]>();
    for (const entry of entries) for (const id of new Set(listIds(link, entry))) addToGroup(index, id, entry);
    return index;
  }),
);

/** Returns the ids of the entries that an entry names. Ids say more than objects, which can be older. */
function listIds({ property, ids, target }: Link, entry: Entry): readonly string[] {
  const sent = ids === undefined ? undefined : getOwn(entry, ids);
  if (sent === null) return [];
  if (sent !== undefined) return [sent].flat().map(String);
  const hidden = getOwn(getPathValues(entry), getUserKey(property));
  if (typeof hidden === 'string' && hidden !== '') return [hidden];
  const shown = [getOwn(entry, property)].flat();
  return shown.flatMap((value) => (isNode(value) ? (getKeyValue(value, target.id) ?? []) : []));
}

/** A property of an entry that shows other entries. Those of a parent, and values of them, are no links. */
interface ShownProperty {
  readonly property: string;
  readonly ids: string | undefined;
  readonly resource: Resource;
  readonly parent?: unknown;
  readonly children?: unknown;
  readonly value?: unknown;
}

/**
 * Returns where entries name entries of other resources, by the names of these resources.
 * `getEmbedded`: returns the properties that show other entries.
 */
export function indexLinks(
  reader: SchemaReader,
  inference: Pick<Inference, 'resources' | 'users'>,
  getEmbedded: (resource: Resource) => readonly ShownProperty[],
): ReadonlyMap<string, readonly Children[]> {
  const index = new Map<string, Children[]>();
  for (const resource of inference.resources) {
    if (resource.kind !== 'collection' || resource.schema === '') continue;
    const shown = getEmbedded(resource).flatMap(({ property, ids, resource: target, children, value, parent }) =>
      children || value !== undefined || parent ? [] : [{ property, ids, target }],
    );
    const references = findReferences(reader, inference, resource.schema, resource);
    const named = references.map(({ property, target }) => ({ property, ids: property, target }));
    const known = new Set<string>();
    for (const link of [...shown, ...named]) {
      const key = `${normalizeName(link.ids ?? link.property)} ${link.target.name}`;
      if (link.target !== resource && !known.has(key))
        addToGroup(index, link.target.name, { resource, key: undefined, link });
      known.add(key);
    }
  }
  return index;
}

/**
 * Returns an entry with ids in place of the objects that have them, where a response shows only ids: `[1, 2]` for
 * `[{ id: 1 }, { id: 2 }]`.
 * `schema`: the JSON Pointer of the schema of the entry in the response.
 */
export function showIds(
  reader: SchemaReader,
  isValid: (pointer: string, value: unknown) => boolean,
  resource: Resource,
  schema: string,
  stored: Entry,
): Entry {
  const entry = omitUnshown(reader, resource, schema, stored);
  const changed = [...reader.getProperties(schema)].flatMap(([name, pointer]) => {
    const value = getOwn(entry, name);
    if (typeof value !== 'object' || value === null) return [];
    const items = reader.getItems(pointer);
    if (!reader.isScalar(items ?? pointer)) return [];
    const ids = [value].flat().map((one) => (isNode(one) ? getOwn(one, 'id') : undefined));
    const shown = Array.isArray(value) ? ids : ids[0];
    const isKnown = ids.length > 0 && !ids.includes(undefined) && Array.isArray(value) === (items !== undefined);
    return isKnown && isValid(pointer, shown) ? [[name, shown] as const] : [];
  });
  if (changed.length === 0) return entry;
  return setGeneratedInside({ ...entry, ...Object.fromEntries(changed) }, getGeneratedInside(entry));
}

/** Returns an entry without the properties that only requests have, if a response has an object without properties. */
function omitUnshown(reader: SchemaReader, resource: Resource, schema: string, entry: Entry): Entry {
  const known = reader.getProperties(resource.schema);
  if (known.size === 0 || reader.getProperties(schema).size > 0) return entry;
  const others = Object.keys(entry).filter((name) => !known.has(name) && name !== PATH_VALUES);
  return others.length === 0 ? entry : setGeneratedInside(omitKeys(entry, others), getGeneratedInside(entry));
}

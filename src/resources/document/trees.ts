import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { getKeyValue, getOwn } from '../entries/entry-values.ts';
import type { Mount, Resource } from '../resource.ts';
import { getTrailingParameters } from './document-paths.ts';
import { hasProperties } from './path-keys.ts';
import type { SchemaReader } from './schema-reader.ts';

/**
 * Returns how a list shows entries inside each other: each object has a list of objects of the same kind, and the
 * entries have a property with the id of another one, such as `parentId`.
 * `shown`: the JSON Pointer of the schema of the objects in the list.
 */
export function findTree(
  reader: SchemaReader,
  { schema, id, singular }: Resource,
  { path, shown }: { readonly path: string; readonly shown: string | undefined },
) {
  const isBelow = getTrailingParameters(path).length === 0;
  if (shown === undefined || schema === '' || id.property === undefined || !isBelow) return undefined;
  const nested = [...reader.getProperties(shown)].filter(([, pointer]) => {
    const items = reader.getItems(pointer);
    return items !== undefined && reader.isSame(items, shown);
  });
  const [[children] = [], ...others] = nested;
  const names = ['parentid', `parent${normalizeName(singular)}id`, 'parent'];
  const [parent] =
    [...reader.getProperties(schema)].find(
      ([name, one]) => names.includes(normalizeName(name)) && reader.isScalar(one),
    ) ?? [];
  const isEntry = reader.getProperties(shown).has(id.property) && hasProperties(reader, shown, schema);
  return children === undefined || others.length > 0 || parent === undefined || !isEntry
    ? undefined
    : { children, parent };
}

/** The number of levels of a tree in a response. JSON with many more levels can't be read. */
const MAX_TREE_LEVELS = 100;

/**
 * Returns the entries at the top of a tree, with the others inside them.
 * `all`: all entries. Those whose parent does not exist are at the top.
 */
export function nestEntries(
  { id, tree }: Pick<Mount, 'id' | 'tree'>,
  all: readonly Entry[],
  top: readonly Entry[],
): readonly Entry[] {
  if (!tree) return top;
  const byParent = new Map<string, Entry[]>();
  const getParent = (entry: Entry) => String(getOwn(entry, tree.parent) ?? '');
  for (const entry of all) {
    const siblings = byParent.get(getParent(entry)) ?? [];
    siblings.push(entry);
    byParent.set(getParent(entry), siblings);
  }
  const nest = (entry: Entry, depth: number): Entry => {
    const children = depth < MAX_TREE_LEVELS ? (byParent.get(getKeyValue(entry, id) ?? '') ?? []) : [];
    return { ...entry, [tree.children]: children.map((child) => nest(child, depth + 1)) };
  };
  return top.map((entry) => nest(entry, 1));
}

/** Returns the entries of a tree whose parent does not exist. */
export function selectTop({ id, tree }: Pick<Mount, 'id' | 'tree'>, entries: readonly Entry[]): readonly Entry[] {
  if (!tree) return entries;
  const ids = new Set(entries.map((entry) => getKeyValue(entry, id)));
  return entries.filter((entry) => {
    const parent = getOwn(entry, tree.parent);
    return parent === undefined || parent === null || !ids.has(String(parent));
  });
}

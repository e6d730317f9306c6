import { normalizeName, toSingular } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { indexReferences } from '../inference/references.ts';
import type { Children, Derived, Inference } from '../resource.ts';
import { isPartOf } from './views.ts';

/** Names of the number of entries in an item of a ranking, beside those of the entries, such as `taskCount`. */
const COUNT_NAMES = ['count', 'total', 'number'];

/** Returns what a ranking is about: `assignee` for `topAssignees`, and `tag` for `tasksByTag`. */
function getSubject(name: string): string {
  const [, top, by] =
    /^(?:top|most(?:active|popular|used)?|popular|busiest|trending)(.+)$|^.*?(?:by|per)(.+)$/.exec(
      normalizeName(name),
    ) ?? [];
  return toSingular(top ?? by ?? normalizeName(name));
}

/**
 * Finds what a list such as `topAssignees: [{ user, count }]` or `tags: [{ name, count }]` counts: the entries that
 * name each user, or that have each text.
 * `property`: the name of the list. `items`: the JSON Pointer of the schema of an item.
 * `children`: the entries that it can count; only one resource may have such a property.
 */
export function findRanking(
  reader: SchemaReader,
  inference: Pick<Inference, 'resources' | 'users'>,
  { property, items }: { readonly property: string; readonly items: string },
  children: readonly Children[],
): Required<Pick<Derived, 'children' | 'ranking'>> | undefined {
  if (!reader.isObject(items)) return undefined;
  const by = getSubject(property);
  const shown = [...reader.getProperties(items)];
  const found = children.flatMap((child): readonly Required<Pick<Derived, 'children' | 'ranking'>>[] => {
    const { schema, name, singular } = child.resource;
    const names = [...COUNT_NAMES, normalizeName(name), `${normalizeName(singular)}count`];
    const [count, ...others] = shown.filter(
      ([own, pointer]) => reader.getTypes(pointer).includes('integer') && names.includes(normalizeName(own)),
    );
    if (!count || others.length > 0 || schema === '') return [];
    const own = [...reader.getProperties(schema)];
    const target = indexReferences(inference).get(`${by}id`);
    const ids = own.find(([one]) => [`${by}id`, by].includes(normalizeName(one)));
    // A list such as `projects` has the projects themselves, whatever their numbers count.
    const isPlain = target && by === toSingular(normalizeName(property)) && isPartOf(reader, items, target);
    if (target && target !== child.resource && ids && !isPlain)
      return [{ children: child, ranking: { by: ids[0], count: count[0], items, target } }];
    const texts = own.find(([one, pointer]) => {
      const inner = reader.getItems(pointer);
      return inner !== undefined && toSingular(normalizeName(one)) === by && reader.getTypes(inner).join() === 'string';
    });
    const [label, ...more] = shown.filter(([one]) => one !== count[0]);
    const isLabelled = label && more.length === 0 && reader.getTypes(label[1]).join() === 'string';
    return texts && isLabelled
      ? [{ children: child, ranking: { by: texts[0], count: count[0], items, label: label[0] } }]
      : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

import { isNode } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getKeyValue, getOwn, getPathValues } from '../entries/entry-values.ts';
import type { Derived, Ranking } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { getUserKey } from '../users/user-parts.ts';
import { listShown } from '../values/derived.ts';

/** The maximum number of items of a ranking. */
const MAX_RANKED = 20;

/** Returns the items of a ranking, those with the most entries first. `id`: the id of the parent of the entries. */
export function rank(model: ResourceModel, derived: Derived, state: State, id: string | undefined): readonly Entry[] {
  const { ranking } = derived;
  if (!ranking) return [];
  const counts = new Map<string, number>();
  for (const entry of listShown(derived, state, id))
    for (const one of new Set(listNamed(ranking, entry))) counts.set(one, (counts.get(one) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.flatMap(([key, count]) => createItem(model, ranking, state, key, count)).slice(0, MAX_RANKED);
}

/** Returns the texts of an entry, or the id of the entry that it names. */
function listNamed({ by, target }: Ranking, entry: Entry): readonly string[] {
  const value = getOwn(entry, by) ?? getOwn(getPathValues(entry), getUserKey(by));
  const named = target && isNode(value) ? getKeyValue(value, target.id) : value;
  return [named].flat().flatMap((one) => (one === undefined || one === null ? [] : [String(one)]));
}

function createItem(
  { reader, derived, responses }: ResourceModel,
  { by, count: countName, items, target, label }: Ranking,
  state: State,
  key: string,
  count: number,
): readonly Entry[] {
  if (!target) return [{ [label ?? '']: key, [countName]: count }];
  const entry = findByKeys(getEntryList(state, target), [target.id], [key])[0];
  if (!entry) return [];
  const [added = entry] = derived.add(state, target, [entry]);
  const prefixes = [normalizeName(by).replace(/id$/, ''), normalizeName(target.singular)];
  const show = (schema: string) => {
    const known = reader.getProperties(schema);
    const value = responses.completeEntry(target, schema, added).value as Entry;
    return Object.fromEntries(Object.entries(value).filter(([name]) => known.has(name)));
  };
  const values = [...reader.getProperties(items)].flatMap(([name, pointer]) => {
    const own = normalizeName(name);
    if (name === countName) return [[name, count]];
    if (prefixes.includes(own) && reader.isObject(pointer)) return [[name, show(pointer)]];
    const prefix = prefixes.find((one) => own.startsWith(one)) ?? '';
    const names = [own, own.slice(prefix.length)];
    const source = Object.keys(added).find((one) => names.includes(normalizeName(one)));
    return source === undefined ? [] : [[name, added[source]]];
  });
  return [Object.fromEntries(values)];
}

import { normalizeName } from '../util/normalize-name.ts';
import type { Random } from '../util/random.ts';
import { isPathValue } from './ids.ts';
import { getPathParameters, type PathParameter } from './path-parameters.ts';
import type { KnownResource, Pool } from './pool.ts';

/** Ids of resources, by path parameter: `{ ownerId: 7 }`. */
export type PathIds = Readonly<Record<string, unknown>>;

/**
 * Picks ids of known resources for the parameters of a path such as `/owners/{ownerId}/pets/{petId}`.
 * Picks the last parameter first, because a pet determines its owner.
 * Omits parameters for which no resource is known.
 */
export function pickIds(path: string, pool: Pool, random: Pick<Random, 'pick'>): PathIds {
  const places = getPathParameters(path);
  let ids: PathIds = {};
  for (const place of places.toReversed()) {
    if (Object.hasOwn(ids, place.parameter)) continue;
    const known = pool.getResources(place).map(({ id, parents }) => ({ id, outer: getParentIds(places, parents) }));
    const usable = known.filter(({ id, outer }) => isPathValue(id) && hasSameIds(ids, outer));
    if (usable.length === 0) continue;
    const { id, outer } = random.pick(usable);
    ids = { ...outer, ...ids, [place.parameter]: id };
  }
  return ids;
}

function getParentIds(places: readonly PathParameter[], parents: KnownResource['parents']): PathIds {
  const ids = places.flatMap(({ parameter, poolName }) => {
    const key = normalizeName(poolName);
    return Object.hasOwn(parents, key) ? [[parameter, parents[key]]] : [];
  });
  return Object.fromEntries(ids);
}

/** Returns whether both objects have the same id for each parameter that occurs in both. */
function hasSameIds(ids: PathIds, others: PathIds): boolean {
  return Object.entries(others).every(([name, id]) => !Object.hasOwn(ids, name) || String(ids[name]) === String(id));
}

import { isNode, type Node } from '../openapi/document.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { isPathSegment } from '../util/path-template.ts';

/** The id of a resource, and the object in a response body that has it. */
export interface FoundId {
  readonly id: string | number;
  readonly entry: Node;
}

/** Names of properties and path parameters that identify a resource, but do not name it. */
const GENERAL_NAMES = ['id', 'uid', 'uuid', 'sid', 'gid', 'guid', 'slug', 'key', 'code', 'symbol', 'number', 'name'];

/** The maximum number of objects around a resource in a body. */
const MAX_DEPTH = 3;

/** Returns whether a name such as `id` needs the name of the resource to be unique. */
export function isGeneralName(name: string): boolean {
  return GENERAL_NAMES.includes(normalizeName(name));
}

/** Returns whether a value can be an id in a path. */
export function isPathValue(value: unknown): value is string | number {
  return (typeof value === 'string' && isPathSegment(value)) || typeof value === 'number';
}

/**
 * Returns the id of the resource in a body, and the object that has it: the property that is named as the path parameter, or as its end, or `id`. Objects
 * around the resource are searched before those in it; a list is searched if no object has an id, and only its last entry. Returns undefined if there is no id.
 */
export function findId(parameter: string, body: unknown): FoundId | undefined {
  let level: readonly (readonly [key: string, value: unknown])[] = [['', body]];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const found = level.flatMap(([key, value]) => (isNode(value) ? rankIds(parameter, key, value) : []));
    const [best] = found.toSorted((one, other) => one.rank - other.rank);
    if (best) return best;
    level = level.flatMap(([, value]) => (Array.isArray(value) ? [['', value.at(-1)]] : getObjects(value)));
  }
  return undefined;
}

/** Returns the values of an object that contain objects. Objects come first. */
function getObjects(value: unknown): [key: string, value: unknown][] {
  const inner = isNode(value) ? Object.entries(value).filter(([, one]) => typeof one === 'object') : [];
  return inner.toSorted(([, one], [, other]) => Number(Array.isArray(one)) - Number(Array.isArray(other)));
}

function rankIds(parameter: string, key: string, entry: Node): readonly (FoundId & { readonly rank: number })[] {
  const own = normalizeName(parameter);
  const isOwn = ([property]: readonly [string, unknown]) => isGeneralName(own) && normalizeName(property) === own;
  // JSON:API has the values of a resource in `attributes`. `{tag}` can be the id of a tag that has an attribute `tag`.
  const attributes = isNode(entry.attributes) ? Object.entries(entry.attributes).filter(isOwn) : [];
  return [...Object.entries(entry), ...attributes].flatMap(([property, id]) => {
    const name = normalizeName(property);
    const isGeneral = GENERAL_NAMES.includes(name);
    const ranks = [
      name === own || normalizeName(key) + name === own,
      isGeneral && own.endsWith(name),
      name === 'id',
      // `{bulletin}` in a path can be the name of a bulletin.
      isGeneral && !GENERAL_NAMES.some((general) => own.endsWith(general)),
    ];
    const rank = ranks.indexOf(true);
    return rank === -1 || !isPathValue(id) ? [] : [{ id, entry, rank }];
  });
}

/** Returns the lists in a body that have objects, or that are empty; the outer ones first. */
export function findLists(body: unknown, depth = 0): readonly (readonly Node[])[] {
  if (Array.isArray(body)) return body.every(isNode) ? [body] : [];
  if (!isNode(body) || depth >= MAX_DEPTH) return [];
  return Object.values(body).flatMap((value) => findLists(value, depth + 1));
}

/** Returns the ids of the listed resources in a body, at most `max`. */
export function findListedIds(parameter: string, body: unknown, max: number): readonly (string | number)[] {
  const lists = findLists(body).map((list) =>
    list.slice(0, max).flatMap((entry) => findId(parameter, entry)?.id ?? []),
  );
  return lists.find((ids) => ids.length > 0) ?? [];
}

import { isNode, type Node } from '../openapi/document.ts';
import { normalizeName } from '../util/names.ts';
import { isPathSegment } from '../util/request-target.ts';

/** The id of a resource, and the object in a response body that contains the id. */
interface FoundId {
  readonly id: string | number;
  readonly entry: Node;
}

/**
 * Names such as `id`, which identify a resource but do not say its type.
 * `petId` is not among them, because it says the type.
 */
const GENERAL_NAMES = ['id', 'uid', 'uuid', 'sid', 'gid', 'guid', 'slug', 'key', 'code', 'symbol', 'number', 'name'];

/** The maximum number of objects and arrays that enclose a resource in a body. */
const MAX_DEPTH = 3;

/** Returns whether a name can identify resources of any type: true for `id`, false for `petId`. */
export function isGeneralName(name: string): boolean {
  return GENERAL_NAMES.includes(normalizeName(name));
}

/** Returns whether a value can be an id in a path. */
export function isPathValue(value: unknown): value is string | number {
  return (typeof value === 'string' && isPathSegment(value)) || typeof value === 'number';
}

/**
 * Finds the id of the resource in a response body, and the object that contains the id.
 * `parameter`: the path parameter for the id.
 * For `petId`, the best match is a property `petId`, and the next best is `id`.
 * Searches outer objects before inner objects, and only the last entry of an array.
 * Returns undefined if there is no id.
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

/** Returns the properties of `value` that contain an object or an array. Properties with objects come first. */
function getObjects(value: unknown): [key: string, value: unknown][] {
  const inner = isNode(value) ? Object.entries(value).filter(([, one]) => typeof one === 'object') : [];
  return inner.toSorted(([, one], [, other]) => Number(Array.isArray(one)) - Number(Array.isArray(other)));
}

function rankIds(parameter: string, key: string, entry: Node): readonly (FoundId & { readonly rank: number })[] {
  // The path parameter `{id_or_name}` is treated as `{id}`.
  const own = normalizeName(parameter.split(/_or_|Or(?=[A-Z])/)[0] ?? '');
  const isOwn = ([property]: readonly [string, unknown]) => isGeneralName(own) && normalizeName(property) === own;
  // In JSON:API, the properties of a resource are in `attributes`.
  // A property there can be the id only if the path parameter has a general name such as `{slug}`.
  // For `{tag}`, a property `tag` can have another meaning.
  const attributes = isNode(entry.attributes) ? Object.entries(entry.attributes).filter(isOwn) : [];
  return [...Object.entries(entry), ...attributes].flatMap(([property, id]) => {
    const name = normalizeName(property);
    const isGeneral = GENERAL_NAMES.includes(name);
    const ranks = [
      name === own || normalizeName(key) + name === own,
      isGeneral && own.endsWith(name),
      name === 'id',
      // The path parameter `{bulletin}` can be the name or the slug of a bulletin.
      isGeneral && !GENERAL_NAMES.some((general) => own.endsWith(general)),
    ];
    const rank = ranks.indexOf(true);
    return rank === -1 || !isPathValue(id) ? [] : [{ id, entry, rank }];
  });
}

/** Returns the arrays of objects in a body, including empty arrays. Does not search within arrays. */
export function findLists(body: unknown, depth = 0): readonly (readonly Node[])[] {
  if (Array.isArray(body)) return body.every(isNode) ? [body] : [];
  if (!isNode(body) || depth >= MAX_DEPTH) return [];
  return Object.values(body).flatMap((value) => findLists(value, depth + 1));
}

/** Returns an object without its array properties, because the entries of the arrays are other resources. */
function removeLists(entry: Node): Node {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => !Array.isArray(value)));
}

/**
 * Finds the first list of resources with ids in a body, and returns these ids.
 * Reads at most `max` entries of a list.
 */
export function findListedIds(parameter: string, body: unknown, max: number): readonly (string | number)[] {
  const lists = findLists(body).map((list) =>
    list.slice(0, max).flatMap((entry) => findId(parameter, removeLists(entry))?.id ?? []),
  );
  return lists.find((ids) => ids.length > 0) ?? [];
}

/**
 * Returns the values of the property `name` from the entries of all lists in a body.
 * Reads at most `max` entries of each list.
 * Omits values that can't be part of a path.
 */
export function findListedValues(name: string, body: unknown, max: number): readonly (string | number)[] {
  const own = normalizeName(name);
  const entries = findLists(body).flatMap((list) => list.slice(0, max));
  const values = entries.flatMap((entry) =>
    Object.entries(entry).flatMap(([property, value]) => (normalizeName(property) === own ? [value] : [])),
  );
  return values.filter(isPathValue);
}

import { isObject } from './document.ts';
import { findLeaves, type Leaf } from './request-body.ts';

/** Names that ids often have, the most frequent first. */
const ID_NAMES = [
  'id',
  'uid',
  'uuid',
  'sid',
  'gid',
  'guid',
  'slug',
  'key',
  'code',
  'symbol',
  'number',
  'name',
  'username',
  'login',
];

/** How many ids of a body are tried at most. */
const MAX_IDS = 8;

/** Returns the values that may be the id of the created entity, the most likely first: from the response, `Location` and the request. */
export function findIds(idName: string, location: string | null, ...bodies: readonly unknown[]): readonly string[] {
  const leaves = bodies.flatMap((body) => findLeaves(body).filter(({ isInList }) => !isInList));
  const ranked = leaves
    .map((leaf) => ({ leaf, rank: rankId(leaf, idName) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => Number(one.rank) - Number(other.rank) || one.leaf.path.length - other.leaf.path.length);
  const values = ranked.map(({ leaf }) => String(leaf.value));
  const last = location === null ? [] : [decodeURIComponent(lastSegment(location))];
  return [...new Set([...last, ...values])].filter((value) => value !== '').slice(0, MAX_IDS);
}

function lastSegment(location: string): string {
  return location
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '')
    .replace(/^.*\//, '')
    .replace(/\.json$/, '');
}

/** Returns how unlikely a property is to be the id: 0 and 1 for its names, undefined if it is none. */
export function rankId({ name }: Leaf, idName: string): number | undefined {
  const plain = normalize(name);
  const wanted = normalize(idName);
  if (plain === wanted) return 0;
  const index = ID_NAMES.indexOf(plain);
  // {tag_name} is the property `name` of a tag.
  if (index >= 0 && wanted.endsWith(plain)) return 1;
  if (plain.length > 1 && (wanted.endsWith(plain) || plain.endsWith(wanted))) return 2;
  return index >= 0 ? 3 + index : undefined;
}

function normalize(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

/** Returns whether a body has a property with a value, at any depth. */
export function hasProperty(body: unknown, name: string, value: unknown): boolean {
  if (Array.isArray(body)) return body.some((one) => hasProperty(one, name, value));
  if (!isObject(body)) return false;
  return Object.entries(body).some(([key, one]) => (key === name && one === value) || hasProperty(one, name, value));
}

/** Returns whether a list, bare or wrapped, has an entry with an id. */
export function isListed(body: unknown, id: string, idName: string): boolean {
  if (Array.isArray(body)) return body.some((entry) => hasId(entry, id, idName));
  if (!isObject(body)) return false;
  return Object.entries(body).some(([key, value]) => (key === id && isObject(value)) || isListed(value, id, idName));
}

/** Returns whether an entry has an id. The outermost properties with names of ids count: inner ones are of other entities. */
function hasId(entry: unknown, id: string, idName: string): boolean {
  if (!isObject(entry)) return String(entry) === id;
  const leaves = findLeaves(entry).filter((leaf) => !leaf.isInList && rankId(leaf, idName) !== undefined);
  const depth = Math.min(...leaves.map(({ path }) => path.length));
  return leaves.some(({ path, value }) => path.length === depth && String(value) === id);
}

import { isDeepStrictEqual } from 'node:util';
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
  'ip',
];

/** Returns whether a property has a name that ids often have. */
export function isKeyName(name: string): boolean {
  return ID_NAMES.includes(normalize(name));
}

/** The maximum number of ids of a body that are tried. */
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
  // {external_customer_id} is the property `external_id` of a customer.
  const words = idName.split(/[-_]|(?<=[a-z0-9])(?=[A-Z])/);
  if (words.length > 2 && words.some((_, index) => normalize(words.toSpliced(index, 1).join('')) === plain)) return 1;
  // {EmployeeWorkingPatternID} is the property `payeeWorkingPatternID`.
  if (words.length > 2 && plain.endsWith(normalize(words.slice(1).join('')))) return 2;
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

/** Returns whether a list has an entry that is shown without its id: in a response, or in an object around it. */
export function isListedWithoutId(body: unknown, shown: unknown, id: string): boolean {
  if (!isObject(shown) || JSON.stringify(shown).includes(id)) return false;
  const entities = [shown, ...Object.values(shown)].filter((one) => isObject(one) && Object.keys(one).length > 0);
  return entities.some((entity) => hasEntry(body, entity));
}

function hasEntry(body: unknown, entity: unknown): boolean {
  if (Array.isArray(body)) return body.some((one) => isDeepStrictEqual(one, entity));
  return isObject(body) && Object.values(body).some((one) => hasEntry(one, entity));
}

/** Returns whether an entry has an id. The outermost properties with names of ids count: inner ones are of other entities. */
function hasId(entry: unknown, id: string, idName: string): boolean {
  if (!isObject(entry)) return String(entry) === id;
  const leaves = findLeaves(entry).filter((leaf) => !leaf.isInList && rankId(leaf, idName) !== undefined);
  const depth = Math.min(...leaves.map(({ path }) => path.length));
  return leaves.some(({ path, value }) => path.length === depth && String(value) === id);
}

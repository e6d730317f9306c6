import { isNode } from '../../openapi/document.ts';
import { ALL_PARTS, getSchemaParts } from '../../openapi/schema-parts.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Inference, Plan, Resource } from '../resource.ts';
import { getEntryList } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { copyKeyValue, createPropertyKey, getKeyValue, getOwn } from './entry-values.ts';

/** Names of properties with an id, without uppercase letters and separators. */
const IDS = ['id', 'uuid'];

/** Names of properties that identify a user. */
const USER_KEYS = ['login', 'username', 'handle'];

/** Names of properties that identify other objects for people, the best first. */
const OBJECT_KEYS = ['slug', 'name', 'key', 'code'];

/** Names that the description of a property in a request can have: `The slugs of the teams`. */
const DESCRIBED_KEYS = [...IDS, ...USER_KEYS, ...OBJECT_KEYS, 'email', 'number'];

/** Matches texts that are no names: URLs, UUIDs and texts of several lines. */
const NO_NAME = /^[a-z][a-z\d+.-]*:|^[\da-f]{8}-(?:[\da-f]{4}-){3}|\n/i;

/** The maximum length of a name, in characters. Longer texts are contents. */
const MAX_NAME_LENGTH = 100;

/**
 * Returns the objects that a text or a number in a request can name, the most likely first: `{ login: 'ann' }` for
 * `ann`, if the object has exactly one property that identifies a user.
 * The description of the property in requests is decisive if it names exactly one key, as in `The slugs of the teams`.
 * `schema`: the JSON Pointer of the schema of the object.
 * `description`: the description of the property in requests.
 */
export function listNamedObjects(
  reader: SchemaReader,
  schema: string,
  value: string | number,
  description: string,
): readonly Entry[] {
  const scalars = [...reader.getProperties(schema)].filter(([, pointer]) => reader.isScalar(pointer));
  const find = (names: readonly string[]) => scalars.filter(([name]) => names.includes(normalizeName(name)));
  const words = listWordForms(description);
  const [described, ...others] = find(DESCRIBED_KEYS).filter(([name]) => words.has(normalizeName(name)));
  const [id] = find(IDS);
  const keys = [others.length === 0 ? described : undefined, id, isName(value) ? findTextKey(find, value) : undefined];
  return keys.flatMap((key) => (key ? [{ [key[0]]: value }] : []));
}

/** Returns the words of a text in lower case, also in the singular: `login` for `Logins`. */
function listWordForms(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().split(/[^a-z\d]+/);
  return new Set(words.flatMap((word) => [word, word.replace(/s$/, '')]));
}

function isName(value: string | number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH && !NO_NAME.test(value);
}

/** A property and the JSON Pointer of its schema. */
type Property = readonly [name: string, schema: string];

/** Returns the only property that identifies a user, else the only one that identifies another object. */
function findTextKey(find: (names: readonly string[]) => readonly Property[], value: string): Property | undefined {
  const [email] = value.includes('@') ? find(['email']) : [];
  const users = find(USER_KEYS);
  const keys = users.length > 0 ? users : find(OBJECT_KEYS);
  return email ?? (keys.length === 1 ? keys[0] : undefined);
}

/** Returns the descriptions of the properties in the requests that create or change the entries of a resource. */
export function createDescriptions(reader: SchemaReader, { plans }: Pick<Inference, 'plans'>) {
  return memoizeByObject((resource: Resource): ReadonlyMap<string, string> => {
    const texts = new Map<string, string>();
    for (const plan of plans.values()) {
      if (plan.resource !== resource) continue;
      for (const [name, pointer] of listRequestProperties(reader, plan)) {
        const items = reader.getItems(pointer);
        const all = [pointer, ...(items === undefined ? [] : [items])].flatMap((one) => listDescriptions(reader, one));
        if (!texts.has(name) && all.length > 0) texts.set(name, all.join(' '));
      }
    }
    return texts;
  });
}

function listRequestProperties(reader: SchemaReader, { route, requestPath, entryPath }: Plan) {
  const request = reader.getRequestSchema(route);
  const inner = request === undefined || entryPath.length > 0 ? undefined : reader.getInner(request, requestPath);
  return inner === undefined ? [] : reader.getProperties(reader.getItems(inner) ?? inner);
}

function listDescriptions(reader: SchemaReader, schema: string): readonly string[] {
  return getSchemaParts(reader.document, schema, ALL_PARTS).flatMap(({ node }) =>
    typeof node.description === 'string' ? [node.description] : [],
  );
}

/**
 * Returns a copy of an entry in which objects that name an entry have its id: `{ username: 'ann' }` gets the id of the
 * only user with this name.
 * `shown`: the properties that show entries of other resources.
 */
export function linkNamed(
  shown: readonly { readonly property: string; readonly resource: Resource; readonly isSent?: boolean }[],
  state: State,
  entry: Entry,
): Entry {
  let next = entry;
  for (const { property, resource, isSent } of shown) {
    const own = isSent ? getOwn(next, property) : undefined;
    if (own === undefined || own === null) continue;
    const link = (value: unknown) => (isNode(value) ? addId(resource, state, value) : value);
    const linked = Array.isArray(own) ? own.map(link) : link(own);
    next = { ...next, [property]: linked };
  }
  return next;
}

/** Adds the id of the only entry with the same name to an object that has nothing else. */
function addId({ id, ...resource }: Resource, state: State, named: Entry): Entry {
  const [name = '', ...others] = Object.keys(named);
  if (others.length > 0 || getKeyValue(named, id) !== undefined) return named;
  const key = createPropertyKey(name, '');
  const [only, ...more] = findByKeys(getEntryList(state, resource), [key], [String(named[name])]);
  return only && more.length === 0 ? copyKeyValue(only, named, id) : named;
}

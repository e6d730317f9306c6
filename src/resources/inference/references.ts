import { DomainError } from '../../application.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry, State } from '../../store/state.ts';
import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { getResourceSegment } from '../document/document-paths.ts';
import { getParentPath, OWN_SEGMENT } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { createPropertyKey, getKeyValue, getOwn } from '../entries/entry-values.ts';
import { problems } from '../problems.ts';
import { type Inference, isTopLevel, type Resource } from '../resource.ts';
import { NAME_IDS, REFERENCED_USERS } from '../users/user-names.ts';

type References = Pick<Inference, 'resources' | 'users'>;

/**
 * Entries whose names with `id` before them are often something else, such as the number of an identity card in
 * `idCard`.
 */
const NO_PREFIXED_IDS = /^(?:cards?|types?|numbers?|tokens?|photos?|images?|documents?|proofs?|files?)$/;

/**
 * Returns the resources with lists of their own by the names of properties with their ids, such as `projectid`, and
 * `idproject` for the Romance languages.
 */
export const indexReferences = memoizeByObject(({ resources, users }: References): ReadonlyMap<string, Resource> => {
  const index = new Map<string, Resource>();
  const shared = new Set<string>();
  for (const resource of resources) {
    if (resource.kind !== 'collection' || resource.schema === '' || !isTopLevel(resource.mounts[0])) continue;
    const name = `${normalizeName(resource.singular)}id`;
    if (index.has(name)) shared.add(name);
    index.set(name, resource);
  }
  for (const name of shared) index.delete(name);
  for (const [name, resource] of [...index]) {
    const own = name.replace(/id$/, '');
    if (!NO_PREFIXED_IDS.test(own) && !index.has(`id${own}`)) index.set(`id${own}`, resource);
  }
  for (const name of users ? REFERENCED_USERS : []) if (users && !index.has(`${name}id`)) index.set(`${name}id`, users);
  // A `username` is the id of a user if the paths of users have it.
  const { property = '' } = users?.id ?? {};
  if (users && NAME_IDS.includes(normalizeName(property))) index.set(normalizeName(property), users);
  return index;
});

/** Returns the collections by the JSON Pointers of the schemas of their entries, without references. */
export const indexEntrySchemas = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject(
    (resources: readonly Resource[]): ReadonlyMap<string, Resource> =>
      new Map(
        resources
          .filter(({ kind, schema }) => kind === 'collection' && schema !== '')
          .flatMap((resource) =>
            [resource.schema, ...(resource.otherSchemas ?? [])].map((one) => [reader.resolve(one), resource] as const),
          )
          .toReversed(),
      ),
  ),
);

/** A property of an entry with the id of an entry of another resource, such as `authorId`. */
export interface Reference {
  readonly property: string;
  /** The JSON Pointer of the schema of the property. */
  readonly schema: string;
  readonly target: Resource;
}

/**
 * Returns the properties of a schema with ids of other entries.
 * `own`: the resource whose entries have the schema. Its own id, and those of its parents, are no references,
 * unless the id is that of an entry elsewhere.
 * `parentId` is the id of another entry of it.
 */
export function findReferences(
  reader: SchemaReader,
  inference: References,
  schema: string,
  own?: Resource,
): readonly Reference[] {
  if (schema === '') return [];
  const index = indexReferences(inference);
  const ids = own && !hasForeignId(own) ? [own.id] : [];
  const keys = [...ids, ...(own?.mounts ?? []).flatMap(({ parents }) => parents)].map(({ property }) => property);
  return [...reader.getProperties(schema)].flatMap(([property, pointer]) => {
    const name = normalizeName(property);
    const isParent = own && ['parentid', `parent${normalizeName(own.singular)}id`].includes(name);
    const target = index.get(name) ?? (isParent && own.id.property !== undefined ? own : undefined);
    return target && (isParent || !keys.includes(property)) && reader.isScalar(pointer)
      ? [{ property, schema: pointer, target }]
      : [];
  });
}

/** Returns whether the name of the id is that of an entry elsewhere: `participantId` of an availability. */
function hasForeignId({ id, singular }: Resource): boolean {
  const [own, entry] = [id.property ?? '', singular].map(normalizeName) as [string, string];
  return /..id$/.test(own) && !own.endsWith(`${entry}id`) && !`${entry}id`.endsWith(own);
}

/**
 * Returns resources with the other ids that identify entries whose id is that of an entry elsewhere: the event in the
 * path of `POST /events/{eventId}/availability`, or the required `eventId` of its body, beside the id `participantId`.
 */
export function addPairedIds(
  reader: SchemaReader,
  inference: References,
  routes: readonly Route[],
): readonly Resource[] {
  const posts = new Map(routes.flatMap((route) => (route.method === 'POST' ? [[route.path, route] as const] : [])));
  const index = indexReferences(inference);
  return inference.resources.map((resource) => {
    const { kind, id, mounts, singular, schema } = resource;
    if (kind !== 'collection' || !hasForeignId(resource) || mounts[0]?.parents.length !== 0) return resource;
    const [mount, ...others] = mounts.filter(({ collection }) => posts.has(collection));
    const post = mount && posts.get(mount.collection);
    const request = post && reader.getRequestSchema(post);
    if (!mount || request === undefined || others.length > 0) return resource;
    const required = reader.getRequired(reader.findEntry(request, singular, schema).schema);
    if (!required.includes(id.property ?? '')) return resource;
    const properties = [...reader.getProperties(schema)].filter(([name]) => name !== id.property);
    const inBody = properties.filter(([name]) => required.includes(name) && index.has(normalizeName(name)));
    const inPath = mount.parents.filter(({ isSender }) => !isSender);
    const pairedIds = [...inPath, ...inBody.map((property) => createPropertyKey(...property))];
    return pairedIds.length === 0 ? resource : { ...resource, pairedIds };
  });
}

/** Returns the name of an entry without a word for private ones: `channel` for `dm_channel`. */
function getPlainName(singular: string): string {
  return normalizeName(singular).replace(/^(?:dm|direct|private|group)(?=.)/, '');
}

/**
 * Returns the other resources whose entries have the same name and can be at the same path: direct channels at
 * `/me/channels` and those at `/guilds/{guildId}/channels`, if the document has paths such as `/channels/{channelId}`.
 */
export const findNamesakes = memoizeByObject(({ resources }: Pick<Inference, 'resources'>) => {
  const byName = new Map<string, Resource[]>();
  for (const resource of resources)
    if (resource.kind === 'collection' && resource.memberOf === undefined && !resource.relation)
      addToGroup(byName, getPlainName(resource.singular), resource);
  const paths = resources.flatMap(({ mounts }) =>
    mounts.flatMap(({ item, parents }) => [...(item === undefined ? [] : [item]), ...parents.map(({ path }) => path)]),
  );
  const lists = paths.filter((path) => path.split('{').length === 2 && !/\}.*\//.test(path)).map(getParentPath);
  const shared = new Set(
    lists
      .filter((list) => !list.split('/').some((segment) => OWN_SEGMENT.test(segment)))
      .map((list) => normalizeName(toSingular(getResourceSegment(list)))),
  );
  return (resource: Resource): readonly Resource[] => {
    const name = getPlainName(resource.singular);
    const same = shared.has(name) ? (byName.get(name) ?? []) : [];
    return same.includes(resource) ? same.filter((other) => other !== resource) : [];
  };
});

/** Returns the id of an entry in the form that the schema of a reference allows; undefined if there is none. */
export function toReferenceValue(
  isValid: (pointer: string, value: unknown) => boolean,
  { schema, target }: Reference,
  entry: Entry | undefined,
): unknown {
  const key = entry && getKeyValue(entry, target.id);
  return key === undefined ? undefined : [key, Number(key)].find((value) => isValid(schema, value));
}

/** An id in an entry that names no existing entry. */
export interface UnknownId {
  readonly property: string;
  readonly id: unknown;
  readonly resource: Pick<Resource, 'name' | 'singular'>;
  /** What the id should be: `id`, or a login such as `email`. */
  readonly kind?: string | undefined;
}

/**
 * Returns the ids of other entries that requests can send: the `slotId` of a booking, also if only requests have it.
 * `sent`: the properties that requests can have.
 */
export function listSentReferences(
  reader: SchemaReader,
  inference: References,
  own: Resource,
  sent: Iterable<string>,
): readonly Pick<Reference, 'property' | 'target'>[] {
  const index = indexReferences(inference);
  const properties = reader.getProperties(own.schema);
  const onlySent = [...sent].flatMap((property) => {
    const name = normalizeName(property);
    const target = properties.has(property) || !name.endsWith('id') ? undefined : index.get(name);
    return target && target !== own ? [{ property, target }] : [];
  });
  return [...findReferences(reader, inference, own.schema, own), ...onlySent];
}

/** Returns the ids of other entries in a sent entry that name none. */
export function findUnknownReferences(
  references: readonly Pick<Reference, 'property' | 'target'>[],
  state: State,
  entry: Entry,
): readonly UnknownId[] {
  return references.flatMap(({ property, target }) => {
    const id = getOwn(entry, property);
    const list = getEntryList(state, target);
    // No request can name an entry if there are none and no operation creates them.
    const isFree = !target.canCreate && list.length === 0;
    return !isId(id) || isFree || findByKeys(list, [target.id], [String(id)]).length > 0
      ? []
      : [{ property, id, resource: target }];
  });
}

/** Returns whether a value of a property with an id is one. */
export function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** The errors for a body with the id of an entry that does not exist, the best first. */
const REFERENCE_CODES = ['unknown-reference', 'entry-not-found', 'invalid-reference', 'conflict'] as const;

type ReferenceCode = (typeof REFERENCE_CODES)[number];

/** When an operation refuses unknown ids. */
export interface Refusal {
  /** The errors whose statuses the document can have for other reasons. */
  readonly others?: readonly ReferenceCode[];
  /** Returns whether the document says that the response with a status is for the id of such an entry. */
  readonly isDescribed?: (status: string, resource: UnknownId['resource']) => boolean;
}

/**
 * Returns the error for an unknown id of a resource. The document must have its status for the operation: 422, else
 * 404, else 400, or one that it describes as the response to such an id.
 */
export function findReferenceCode(
  { responses }: Pick<Route, 'responses'>,
  resource: UnknownId['resource'],
  { others = ['conflict'], isDescribed = () => false }: Refusal = {},
): ReferenceCode | undefined {
  return REFERENCE_CODES.find((code) => {
    const status = String(problems[code].status);
    const isDocumented = responses.some(({ name }) => name === status);
    return isDocumented && (!others.includes(code) || isDescribed(status, resource));
  });
}

/** Throws a `DomainError` for the first id that names no entry, if the document has a status for it. */
export function refuseUnknown(route: Pick<Route, 'responses'>, ids: readonly UnknownId[], refusal: Refusal = {}): void {
  for (const { property, id, resource, kind = 'id' } of ids) {
    const code = findReferenceCode(route, resource, refusal);
    if (code) throw new DomainError(code, `${property} ${id}: no ${resource.singular} has this ${kind}`);
  }
}

import { type Document, getNode, isNode, resolvePointer } from '../openapi/document.ts';
import { isJsonType } from '../openapi/media-types.ts';
import type { OutgoingRequest } from '../openapi/outgoing-requests.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import type { ChangeKind } from '../store/state.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { normalizeName, suggestOneOf, toSingular } from '../util/names.ts';

/** The changes of entries that send a webhook. */
export interface Trigger {
  readonly collection: string;
  readonly on: readonly ChangeKind[];
  /** The property that must have changed, and the value that it must have now; undefined for any value. */
  readonly becomes?: { readonly property: string; readonly value: unknown } | undefined;
  /** The property names that lead to the entry in the payload. Undefined if the payload has no schema of the entry. */
  readonly entryPath: readonly string[] | undefined;
}

/** A collection of the state. `schema`: the JSON Pointer of the schema of its entries; empty if there is none. */
export interface TriggerCollection {
  readonly name: string;
  readonly schema: string;
}

/** What sends a webhook: changes of entries, or only a user, with the reason. */
export type TriggerResult = { readonly trigger: Trigger } | { readonly reason: string };

const KINDS: readonly ChangeKind[] = ['created', 'updated', 'deleted'];

/** The words in names of webhooks for the changes of entries. */
const VERBS: Readonly<Record<string, readonly ChangeKind[]>> = {
  ...Object.fromEntries(['created', 'create', 'creation', 'new', 'added', 'add'].map((word) => [word, ['created']])),
  ...Object.fromEntries(['updated', 'update', 'changed', 'change', 'modified'].map((word) => [word, ['updated']])),
  ...Object.fromEntries(['deleted', 'delete', 'deletion', 'removed', 'remove'].map((word) => [word, ['deleted']])),
  upserted: ['created', 'updated'],
  saved: ['created', 'updated'],
};

/** Words in names of webhooks without a meaning for what sends them. */
const NOISE = new Set(
  'on when after webhook webhooks hook event events notification callback was is has been or and'.split(' '),
);

/** The maximum depth at which an entry is searched in a payload. */
const MAX_DEPTH = 3;

/** Returns the JSON Pointer of the schema of the payload; undefined if there is none. */
export function getPayloadSchema({ bodyMedia }: Pick<Route, 'bodyMedia'>): string | undefined {
  const media = Object.entries(bodyMedia);
  const [, chosen] = media.find(([type]) => isJsonType(type)) ?? media[0] ?? [];
  return chosen?.schema ?? chosen?.itemSchema;
}

/**
 * Finds the changes that send a webhook: those that its name says, of the resource that its payload has.
 * `x-storefront` takes precedence.
 * A webhook whose name and payload do not say both is sent only with `storefront webhook send`.
 */
export function findTrigger(
  document: Document,
  request: OutgoingRequest,
  collections: readonly TriggerCollection[],
): TriggerResult {
  const { resource, on, off } = request.extension;
  if (off === true) return { reason: 'x-storefront: off' };
  const schema = getPayloadSchema(request.route);
  const find = (collection: TriggerCollection) => ({
    collection,
    entryPath: schema === undefined ? undefined : findEntry(document, schema, collection.schema),
  });
  const found = collections.map(find).filter(({ entryPath }) => entryPath !== undefined);
  if (resource !== undefined || on !== undefined) {
    const named = collections.filter(({ name }) => name === resource).map(find);
    const [own] = resource === undefined ? found : named;
    const kinds = on === undefined ? undefined : ([on].flat() as ChangeKind[]);
    const read = own && readName(document, request.name, own.collection);
    if (own && kinds) return { trigger: { collection: own.collection.name, on: kinds, entryPath: own.entryPath } };
    if (own && read) return { trigger: { collection: own.collection.name, ...read, entryPath: own.entryPath } };
    return { reason: own ? NO_CHANGE : NO_RESOURCE };
  }
  if (found.length === 0) return { reason: NO_RESOURCE };
  for (const { collection, entryPath } of found) {
    const read = readName(document, request.name, collection);
    if (read) return { trigger: { collection: collection.name, ...read, entryPath } };
  }
  const { collection } = found[0] as (typeof found)[0];
  return { reason: `its name does not say which change of ${collection.name} it reports` };
}

const NO_RESOURCE = 'its payload has no schema of a stored resource';
const NO_CHANGE = 'its name does not say which change it reports';

/** Reads the name of a webhook, such as `pet.created`, `petStatusChanged` or `pet-sold`. */
function readName(
  document: Document,
  name: string,
  { name: collection, schema }: TriggerCollection,
): Pick<Trigger, 'on' | 'becomes'> | undefined {
  const words = name
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '' && !NOISE.has(word));
  const schemaName = parsePointer(resolvePointer(document, schema)).at(-1) ?? '';
  const nouns = [collection.split('.').at(-1) ?? '', schemaName].map((noun) => normalizeName(toSingular(noun)));
  const isNoun = (part: readonly string[]) => nouns.includes(normalizeName(toSingular(part.join(''))));
  for (let length = words.length - 1; length > 0; length--) {
    const rests = [
      ...(isNoun(words.slice(0, length)) ? [words.slice(length)] : []),
      ...(isNoun(words.slice(-length)) ? [words.slice(0, -length)] : []),
    ];
    for (const rest of rests) {
      const read = readChange(document, rest, schema);
      if (read) return read;
    }
  }
  return undefined;
}

function readChange(document: Document, words: readonly string[], schema: string) {
  const kinds = words.flatMap((word) => (Object.hasOwn(VERBS, word) ? (VERBS[word] ?? []) : []));
  if (words.every((word) => Object.hasOwn(VERBS, word))) return { on: [...new Set(kinds)] };
  const properties = schema === '' ? new Map<string, string>() : getPartProperties(getSchemaParts(document, schema));
  const text = normalizeName(words.join(''));
  const values = [...properties].flatMap(([property, pointer]) => {
    const values = getNode(document, `${resolvePointer(document, pointer)}/enum`);
    const value = Array.isArray(values) ? values.find((one) => normalizeName(String(one)) === text) : undefined;
    return value === undefined ? [] : [{ property, value }];
  });
  const [becomes, ...others] = values;
  if (becomes && others.length === 0) return { on: ['created', 'updated'] as const, becomes };
  const isUpdate = kinds.length === 1 && kinds[0] === 'updated' && Object.hasOwn(VERBS, words.at(-1) ?? '');
  const changed = isUpdate ? normalizeName(words.slice(0, -1).join('')) : '';
  const property = [...properties.keys()].find((one) => normalizeName(one) === changed);
  return property === undefined ? undefined : { on: ['updated'] as const, becomes: { property, value: undefined } };
}

/** Returns the property names that lead to a value with the schema of entries, in a value with another schema. */
export function findEntry(document: Document, schema: string, entry: string): readonly string[] | undefined {
  if (entry === '') return undefined;
  const wanted = resolvePointer(document, entry);
  let level: readonly { readonly pointer: string; readonly path: readonly string[] }[] = [
    { pointer: schema, path: [] },
  ];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const parts = level.map((place) => ({ ...place, parts: getSchemaParts(document, place.pointer) }));
    const found = parts.find(({ parts: own }) => own.some(({ pointer }) => pointer === wanted));
    if (found) return found.path;
    level = parts.flatMap(({ path, parts: own }) =>
      [...getPartProperties(own)].map(([name, pointer]) => ({ pointer, path: [...path, name] })),
    );
  }
  return undefined;
}

/** Describes what sends a webhook: `sent when an entry of pets is created`. */
export function describeTrigger(result: TriggerResult): string {
  if ('reason' in result) return `sent only with storefront webhook send: ${result.reason}`;
  const { collection, on, becomes } = result.trigger;
  const entry = `an entry of ${collection}`;
  if (becomes?.value !== undefined) return `sent when ${becomes.property} of ${entry} becomes ${becomes.value}`;
  if (becomes) return `sent when ${becomes.property} of ${entry} changes`;
  return `sent when ${entry} is ${on.join(' or ')}`;
}

/** Returns the errors in the `x-storefront` extensions of webhooks. `collections`: the names of the collections. */
export function findTriggerIssues(
  document: Document,
  { kind, extension, pointer, route }: OutgoingRequest,
  collections: readonly string[],
): readonly Issue[] {
  const place =
    [pointer, route.pointer].map((one) => `${one}/x-storefront`).find((one) => getNode(document, one)) ?? pointer;
  if (kind === 'callback' || !isNode(getNode(document, place))) return [];
  const kinds = [extension.on ?? []].flat();
  return Object.entries(extension).flatMap(([name, value]) => {
    const at = place + formatPointer(name);
    if (!['resource', 'on', 'off'].includes(name))
      return [{ pointer: at, message: 'is unknown: use resource, on, off' }];
    if (name === 'off' && typeof value !== 'boolean')
      return [{ pointer: at, message: 'is not a boolean: use true or false' }];
    if (name === 'on' && (kinds.length === 0 || !kinds.every((one) => KINDS.includes(one as ChangeKind))))
      return [{ pointer: at, message: `is not a change: use one or more of ${KINDS.join(', ')}` }];
    if (name === 'resource' && !collections.includes(value as string))
      return [{ pointer: at, message: `is not a resource: ${suggestOneOf(String(value), collections, 'resources')}` }];
    return [];
  });
}

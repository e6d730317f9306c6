import { DomainError } from '../../application.ts';
import type { Contract } from '../../openapi/contract.ts';
import { getDefaultValues } from '../../openapi/default-values.ts';
import { getNode } from '../../openapi/document.ts';
import { isReadOrWriteOnly } from '../../openapi/schema-validator.ts';
import { parseNumber } from '../../openapi/typed-values.ts';
import type { EntryList } from '../../store/entry-list.ts';
import type { Entry } from '../../store/state.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { isCreationTimeName, normalizeName } from '../../util/names.ts';
import { createRandom, createUuid, toSeed } from '../../util/random.ts';
import { listRequestNames } from '../document/locate.ts';
import { addArticle } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Inference, PathKey, Plan, Resource } from '../resource.ts';
import { findByKeys, getIdNumbers } from './entry-lists.ts';
import { isFilePropertyName } from './file-properties.ts';

/** Functions that create the values that the server sets in an entry: ids, times and default values. */
export interface ServerValues {
  /**
   * Creates an id that is different from the ids in the list, and from those of removed entries.
   * Returns undefined if the schema of the id allows no other one.
   * `entry`: the new entry.
   * `uuid`: a new UUID, for an id that is not a number.
   */
  createId(resource: Resource, used: UsedIds, entry: Entry, uuid: string): unknown;
  /** Returns a copy of an entry without its `readOnly` properties. */
  removeReadOnly(resource: Resource, entry: Entry): Entry;
  /** Returns the `readOnly` properties of an entry. */
  pickReadOnly(resource: Resource, entry: Entry): Entry;
  /** Returns the default values in a schema, by property name. `schema`: the JSON Pointer of the schema. */
  getDefaults(schema: string): Entry;
  /**
   * Returns the current time for each time property of an entry, such as `createdAt`.
   * `kinds`: which times to return, such as creation times.
   * `from`: the values that the client has set, which the result omits.
   */
  getTimes(
    resource: Resource,
    from: Entry,
    change: { readonly nowMs: number; readonly kinds: readonly TimeKind[] },
  ): Entry;
  /**
   * Converts a text in a path or a query to the type of a schema: `'7'` to 7 for an integer.
   * `schema`: the JSON Pointer of the schema.
   */
  toTyped(schema: string, text: string): unknown;
}

/** The entries of a resource, and the highest number that a removed entry has had as its id. */
export interface UsedIds {
  readonly list: EntryList;
  readonly lastId?: number | undefined;
}

/**
 * The event that a time property records: the creation of an entry, its last change, or its last change after its
 * creation.
 */
export type TimeKind = 'created' | 'updated' | 'edited';

/** Matches normalized names of properties with the time of the last change. */
const UPDATE_TIME =
  /^(?:date|time)?(?:last)?(?:updated?|modified|modification|changed)(?:at|on|date|time|datetime|timestamp|timems)?$/;

/** Matches the same names in Spanish, Portuguese, French, Italian and German. */
const TRANSLATED_UPDATE_TIME =
  /^(?:actualizado(?:en|el)|modificado(?:en|el)|fecha(?:de)?(?:actualizacion|modificacion)|atualizadoem|data(?:de|da)?atualizacao|modifie(?:e)?le|misajourle|date(?:de)?(?:modification|miseajour)|aggiornatoil|data(?:di)?(?:aggiornamento|modifica)|aktualisiertam|geandertam|aenderungsdatum|anderungsdatum)$/;

/** Matches normalized names of properties with the time of the last change that a new entry does not have. */
const EDIT_TIME =
  /^(?:date|time)edited$|^lastedited(?:at|on|date|time|datetime|timestamp|timems)?$|^edited(?:at|on|date|time|datetime|timestamp|timems)$/;

function isUpdateTime(name: string): boolean {
  return UPDATE_TIME.test(name) || TRANSLATED_UPDATE_TIME.test(name);
}

function isKindOfTime(name: string, kind: TimeKind): boolean {
  if (kind === 'created') return isCreationTimeName(name);
  const own = normalizeName(name);
  return kind === 'updated' ? isUpdateTime(own) : EDIT_TIME.test(own);
}

/**
 * Matches names of times at which an entry of a certain kind was created, such as `sentAt` of a message.
 * They are set only if entries require them, because an action such as `send` can set them later.
 */
const CREATED_BY_KIND =
  /^(?:sent|posted|submitted|registered|registration|joined|placed|ordered|booked|uploaded|received|logged)(?:at|on|date|time|datetime|timestamp)$/;

function isTimeName(reader: SchemaReader, { schema }: Resource, name: string, kind: TimeKind): boolean {
  if (isKindOfTime(name, kind)) return true;
  if (kind === 'created' && normalizeName(name) === 'timestamp')
    return schema !== '' && ![...reader.getProperties(schema).keys()].some(isCreationTimeName);
  const isOfKind = kind === 'created' && CREATED_BY_KIND.test(normalizeName(name));
  if (!isOfKind || schema === '') return false;
  // An entry that says something about a file exists since the upload.
  const isOfFile = /^upload/i.test(name) && [...reader.getProperties(schema).keys()].some(isFilePropertyName);
  return isOfFile || reader.getRequired(schema).includes(name);
}

/** Returns whether a new entry must have the time of its last change, because entries require one that is not null. */
function isRequiredEditTime(contract: Contract, reader: SchemaReader, { schema }: Resource, name: string): boolean {
  const pointer = reader.getProperties(schema).get(name) ?? '';
  return isKindOfTime(name, 'edited') && reader.getRequired(schema).includes(name) && !contract.isValid(pointer, null);
}

/**
 * Returns the property with the time at which an entry was created; else one with another time, such as `publishedAt`.
 * `names`: the properties of an entry.
 */
export function findCreatedName(names: readonly string[]): string | undefined {
  return (
    names.find(isCreationTimeName) ??
    names.find((name) => CREATED_BY_KIND.test(normalizeName(name))) ??
    names.find((name) => ['publishedat', 'date', 'timestamp'].includes(normalizeName(name)))
  );
}

/** Returns the property with the time of the last change. `names`: the properties of an entry. */
export function findUpdatedName(names: readonly string[]): string | undefined {
  return names.find((name) => isUpdateTime(normalizeName(name)));
}

/**
 * The time of the default data: 2026-01-01, in ms since 1970.
 * It is constant, so that a reset restores the same data.
 */
export const SAMPLE_TIME_MS = 1_767_225_600_000;

/** The maximum number of attempts to generate a free and valid id. */
const MAX_ATTEMPTS = 20;

/** Creates a function that returns the names of the properties of entries that only the server sets. */
function createReadOnlyNames({ normalized }: Contract, reader: SchemaReader, { plans }: Pick<Inference, 'plans'>) {
  const isReadOnly = (pointer: string) => isReadOrWriteOnly(normalized, getNode(normalized, pointer), 'readOnly');
  // A request with a schema of its own can have a property that is `readOnly` only in responses.
  const isSent = (resource: Resource, name: string) =>
    [...plans.values()].some(({ resource: own, action, route, requestPath }) => {
      const isWrite = own === resource && ['create', 'replace', 'update'].includes(action);
      const request = isWrite ? reader.getRequestInner(route, requestPath) : undefined;
      const pointer = request === undefined ? undefined : reader.getProperties(request).get(name);
      return pointer !== undefined && !isReadOnly(pointer) && !reader.isSame(request ?? '', resource.schema);
    });
  return memoizeByObject((resource: Resource): ReadonlySet<string> => {
    const own = resource.schema === '' ? [] : [...reader.getProperties(resource.schema)];
    const names = own.flatMap(([name, pointer]) => (isReadOnly(pointer) ? [name] : []));
    return new Set(names.filter((name) => !isSent(resource, name)));
  });
}

/**
 * Creates the functions for ids, times and default values.
 * `generate`: a function that generates a valid value for the schema at a JSON Pointer.
 */
export function createServerValues(
  contract: Contract,
  reader: SchemaReader,
  inference: Pick<Inference, 'plans'>,
  generate: (schema: string, seed: number) => unknown,
): ServerValues {
  const getOwnProperties = ({ schema }: Resource) => [...(schema === '' ? [] : reader.getProperties(schema))];
  const getReadOnly = createReadOnlyNames(contract, reader, inference);
  return {
    createId(resource, used, entry, uuid) {
      const { id } = resource;
      const { list } = used;
      const isUsed = (text: string) => findByKeys(list, [id], [text]).length > 0;
      const isFree = (value: unknown) =>
        value !== undefined && (id.schema === '' || contract.isValid(id.schema, value)) && !isUsed(String(value));
      const { pathSchema = '' } = id;
      const isForPath = (value: unknown) =>
        pathSchema === '' || contract.isValid(pathSchema, toTyped(pathSchema, String(value)));
      const candidates = generateIds(id, uuid, generateCandidates(reader, id, used, entry, uuid));
      let free: unknown;
      for (const candidate of candidates) {
        if (!isFree(candidate)) continue;
        if (isForPath(candidate)) return candidate;
        free ??= candidate;
      }
      return free;
    },
    removeReadOnly: (resource, entry) => pick(entry, (name) => !getReadOnly(resource).has(name)),
    pickReadOnly: (resource, entry) => pick(entry, (name) => getReadOnly(resource).has(name)),
    getDefaults: (schema) => (schema === '' ? {} : getDefaultValues(contract, reader.getProperties(schema))),
    getTimes(resource, from, { nowMs, kinds }) {
      const values = getOwnProperties(resource).flatMap(([name, pointer]) => {
        const isRequired = kinds.includes('created') && isRequiredEditTime(contract, reader, resource, name);
        const isTime = isRequired || kinds.some((kind) => isTimeName(reader, resource, name, kind));
        const value = isTime ? formatTimes(nowMs).find((time) => contract.isValid(pointer, time)) : undefined;
        return (from[name] ?? undefined) !== undefined || value === undefined ? [] : [[name, value]];
      });
      return Object.fromEntries(values);
    },
    toTyped,
  };

  /**
   * Generates possible ids: first `best`, then values that match the schemas of the id property and of the path
   * parameter.
   */
  function* generateIds({ schema, pathSchema }: PathKey, uuid: string, best: Iterable<unknown>): Generator<unknown> {
    yield* best;
    const schemas = pathSchema === undefined ? [schema] : [schema, pathSchema];
    for (const one of schemas) yield* listAllowed(reader, one);
    for (const one of schemas)
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) yield generate(one, toSeed(`${uuid} ${attempt}`));
  }

  function toTyped(schema: string, text: string): unknown {
    const types = schema === '' ? [] : reader.getTypes(schema);
    const isNumber = types.some((type) => type === 'integer' || type === 'number') && !types.includes('string');
    if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
    const number = isNumber ? parseNumber(text, !types.includes('number')) : undefined;
    return number !== undefined && Number.isFinite(number) ? number : text;
  }
}

/** Matches the names of times at which an entry expires, without uppercase letters and separators. */
const EXPIRY = /^(?:expires?|expiry|expiration)(?:at|on|date|time)?$|^validuntil$/;

/** Matches the names of numbers that say how long a new entry is valid, and captures the unit: `expiryDays`. */
const LIFETIME =
  /^(?:expires?|expiry|expiration|valid|validity|ttl|lifetime)(?:in|for|after)?(second|minute|hour|day|week)s?$/;

const UNITS_MS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

/** Returns the property with the time at which an entry expires, among its properties. */
export function findExpiry(names: Iterable<string>): string | undefined {
  return [...names].find((name) => EXPIRY.test(normalizeName(name)));
}

/** Describes the time at which a new entry expires, if a request sets it: `expiresAt from expiryDays`. */
export function describeExpiry(
  reader: SchemaReader,
  { action, resource, route, requestPath }: Plan,
): readonly string[] {
  const names = action === 'create' && resource.schema !== '' ? listRequestNames(reader, route, requestPath) : [];
  const numbers = names.filter((name) => LIFETIME.test(normalizeName(name)));
  const time = numbers.length > 0 ? findExpiry(reader.getProperties(resource.schema).keys()) : undefined;
  return time === undefined ? [] : [`${time} from ${numbers.join(' or ')}`];
}

/** Returns whether a number in a request says how long a new entry is valid, and entries have the time of its end. */
export function isLifetime(name: string, known: Iterable<string>): boolean {
  return LIFETIME.test(normalizeName(name)) && findExpiry(known) !== undefined;
}

/**
 * Returns a new entry with the time at which it expires, such as `expiresAt`, if it lacks one and its request says how
 * long it is valid.
 */
export function addExpiry(
  { contract, reader }: { readonly contract: Contract; readonly reader: SchemaReader },
  { schema }: Resource,
  entry: Entry,
  nowMs: number,
): Entry {
  const lifetimeMs = findLifetime(entry);
  if (lifetimeMs === undefined || schema === '') return entry;
  const properties = reader.getProperties(schema);
  const name = findExpiry(properties.keys());
  const pointer = properties.get(name ?? '') ?? '';
  const time = formatTimes(nowMs + lifetimeMs).find((value) => contract.isValid(pointer, value));
  const isFree = name !== undefined && (entry[name] ?? undefined) === undefined;
  return isFree && time !== undefined ? { ...entry, [name]: time } : entry;
}

/** Returns how long a new entry is valid, in ms, if one of its properties says so: the last one, after the defaults. */
function findLifetime(entry: Entry): number | undefined {
  for (const [name, value] of Object.entries(entry).toReversed()) {
    const unit = UNITS_MS[LIFETIME.exec(normalizeName(name))?.[1] ?? ''];
    if (unit !== undefined && typeof value === 'number' && value > 0 && value * unit < MAX_LIFETIME_MS)
      return value * unit;
  }
  return undefined;
}

/** The maximum lifetime of an entry: 1,000 years. */
const MAX_LIFETIME_MS = 1_000 * 366 * 86_400_000;

function pick(entry: Entry, isIncluded: (name: string) => boolean): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => isIncluded(name)));
}

/** Formats a time in each form that schemas use: date and time, date, seconds, and milliseconds. */
export function formatTimes(nowMs: number): readonly unknown[] {
  const text = toIsoTime(nowMs);
  return [text, text.slice(0, 10), Math.floor(nowMs / 1_000), nowMs];
}

/**
 * Generates possible ids, the best first.
 * A numeric id is the next number.
 * Other ids are a slug of the title, a UUID, or a part of the UUID.
 */
function* generateCandidates(
  reader: SchemaReader,
  { property, schema }: PathKey,
  { list, lastId = 0 }: UsedIds,
  entry: Entry,
  uuid: string,
): Generator<unknown> {
  const types = schema === '' ? [] : reader.getTypes(schema);
  const known = getIdNumbers(list, property);
  const highest = Math.max(known.highest, lastId);
  const areAll = known.areAll || (list.length === 0 && lastId > 0);
  if (types.includes('integer') || types.includes('number')) {
    yield Math.max(highest + 1, Number(reader.getKeyword(schema, 'minimum') ?? 0));
    return;
  }
  const bare = uuid.replaceAll('-', '');
  const maxLength = Number(reader.getKeyword(schema, 'maxLength') ?? uuid.length);
  if (property !== undefined && normalizeName(property) === 'slug') yield* createSlugs(entry, bare);
  if (areAll) yield String(highest + 1);
  yield uuid;
  yield bare;
  yield bare.slice(0, Math.max(0, maxLength));
  yield String(highest + 1);
}

/** Returns the values of a schema that allows only a few: those of its `enum`, or true and false. */
function listAllowed(reader: SchemaReader, schema: string): readonly unknown[] {
  if (schema === '') return [];
  const values = reader.getKeyword(schema, 'enum');
  if (Array.isArray(values)) return values;
  return reader.getTypes(schema).includes('boolean') ? [true, false] : [];
}

/**
 * Returns two slugs of the title of an entry: `red-mug`, and `red-mug-` with the start of `unique`.
 * Returns an empty array if there is no title.
 */
function createSlugs(entry: Entry, unique: string): readonly string[] {
  const title = String(entry.title ?? entry.name ?? '');
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? [] : [slug, `${slug}-${unique.slice(0, 8)}`];
}

/** Creates a UUID from a text, for entries of the default data. The same text always gives the same UUID. */
export function createUuidFrom(text: string): string {
  return createUuid(createRandom(toSeed(text)));
}

/** Returns the error for a new entry if the schema of the id allows no other value. */
export function createNoFreeId({ name, singular, id }: Resource): DomainError {
  const key = id.property ?? id.parameter;
  return new DomainError(
    'no-free-id',
    `${name} has no free ${key}: the schema of ${key} allows no other value. Delete ${addArticle(singular)}, or allow more values in the contract`,
  );
}

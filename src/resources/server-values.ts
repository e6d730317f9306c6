import type { Contract } from '../openapi/contract.ts';
import { getNode, resolvePointer } from '../openapi/document.ts';
import { isOneWay } from '../openapi/schema-validator.ts';
import type { Entry } from '../store/state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { createRandom, createUuid, toSeed } from '../util/random.ts';
import { getKeyValue, getProperty } from './entries.ts';
import type { PathKey, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Makes the values that the server sets in an entry: ids, times and defaults. */
export interface ServerValues {
  /** Returns a new id that no entry has. `uuid`: a new UUID. */
  createId(resource: Resource, entries: readonly Entry[], entry: Entry, uuid: string): unknown;
  /** Returns the entry without the properties that only the server sets. */
  removeReadOnly(resource: Resource, entry: Entry): Entry;
  /** Returns the properties of an entry that only the server sets. */
  pickReadOnly(resource: Resource, entry: Entry): Entry;
  /** Returns the default values of the schema of an entry. */
  getDefaults(resource: Resource): Entry;
  /** Returns the times of an entry: of its creation too if `isNew`. Leaves out properties that the entry has from the client. */
  getTimes(
    resource: Resource,
    from: Entry,
    change: { readonly nowMs: number; readonly kinds: readonly TimeKind[] },
  ): Entry;
  /** Converts a text from a path or a query to the type of a schema. */
  toTyped(schema: string, text: string): unknown;
}

type TimeKind = 'created' | 'updated';

const TIME_NAMES: Readonly<Record<TimeKind, RegExp>> = {
  created:
    /^(?:(?:date|time)?(?:created|creation|inserted)(?:at|on|date|time|datetime|timestamp|timems)?|added(?:at|on)|dateadded)$/,
  updated:
    /^(?:date|time)?(?:last)?(?:updated?|modified|modification|changed)(?:at|on|date|time|datetime|timestamp|timems)?$/,
};

/** The number of generated ids that are tried. */
const MAX_ATTEMPTS = 20;

/** Creates the maker of server values for a contract. `generate`: generates a valid value for the schema at a JSON Pointer. */
export function createServerValues(
  contract: Contract,
  reader: SchemaReader,
  generate: (schema: string, seed: number) => unknown,
): ServerValues {
  const { normalized } = contract;
  const getOwnProperties = ({ schema }: Resource) => [...(schema === '' ? [] : reader.getProperties(schema))];
  const isReadOnly = (pointer: string) => isOneWay(normalized, getNode(normalized, pointer), 'readOnly');
  const getReadOnly = memoizeByObject(
    (resource: Resource) =>
      new Set(getOwnProperties(resource).flatMap(([name, pointer]) => (isReadOnly(pointer) ? [name] : []))),
  );
  return {
    createId(resource, entries, entry, uuid) {
      const { id } = resource;
      const isUsed = (text: string) => entries.some((other) => getKeyValue(other, id) === text);
      const isFree = (value: unknown) =>
        value !== undefined && (id.schema === '' || contract.isValid(id.schema, value)) && !isUsed(String(value));
      for (const candidate of generateCandidates(reader, id, entries, entry, uuid))
        if (isFree(candidate)) return candidate;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const generated = generate(id.schema, toSeed(`${uuid} ${attempt}`));
        if (isFree(generated)) return generated;
      }
      return uuid;
    },
    removeReadOnly: (resource, entry) => pick(entry, (name) => !getReadOnly(resource).has(name)),
    pickReadOnly: (resource, entry) => pick(entry, (name) => getReadOnly(resource).has(name)),
    getDefaults: memoizeByObject((resource: Resource): Entry => {
      const values = getOwnProperties(resource).flatMap(([name, pointer]) => {
        const value = getNode(normalized, `${resolvePointer(normalized, pointer)}/default`);
        return value === undefined || !contract.isValid(pointer, value) ? [] : [[name, value]];
      });
      return Object.fromEntries(values);
    }),
    getTimes(resource, from, { nowMs, kinds }) {
      const values = getOwnProperties(resource).flatMap(([name, pointer]) => {
        const isTime = kinds.some((kind) => TIME_NAMES[kind].test(normalizeName(name)));
        if (!isTime || from[name] !== undefined) return [];
        const value = formatTimes(nowMs).find((time) => contract.isValid(pointer, time));
        return value === undefined ? [] : [[name, value]];
      });
      return Object.fromEntries(values);
    },
    toTyped(schema, text) {
      const types = schema === '' ? [] : reader.getTypes(schema);
      const isNumber = types.some((type) => type === 'integer' || type === 'number') && !types.includes('string');
      if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
      return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    },
  };
}

function pick(entry: Entry, isIncluded: (name: string) => boolean): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => isIncluded(name)));
}

/** Returns a time in the forms that schemas use: date and time, date, seconds, milliseconds. */
function formatTimes(nowMs: number): readonly unknown[] {
  const text = toIsoTime(nowMs);
  return [text, text.slice(0, 10), Math.floor(nowMs / 1_000), nowMs];
}

/** Generates possible ids, the best first: a slug of the title, the next number, the UUID, and parts of it. */
function* generateCandidates(
  reader: SchemaReader,
  { property, schema }: PathKey,
  entries: readonly Entry[],
  entry: Entry,
  uuid: string,
): Generator<unknown> {
  const types = schema === '' ? [] : reader.getTypes(schema);
  const ids = entries.map((other) => (property === undefined ? undefined : getProperty(other, property)));
  if (types.includes('integer') || types.includes('number')) {
    yield Math.max(getNextNumber(ids), Number(reader.getKeyword(schema, 'minimum') ?? 0));
    return;
  }
  const bare = uuid.replaceAll('-', '');
  const maxLength = Number(reader.getKeyword(schema, 'maxLength') ?? uuid.length);
  if (property !== undefined && normalizeName(property) === 'slug') yield* createSlugs(entry, bare);
  if (ids.length > 0 && ids.every(isNumber)) yield String(getNextNumber(ids));
  yield uuid;
  yield bare;
  yield bare.slice(0, Math.max(0, maxLength));
  yield String(getNextNumber(ids));
}

/** Returns whether an id is a whole number, also as text. */
function isNumber(id: unknown): boolean {
  return typeof id !== 'boolean' && /^\d{1,15}$/.test(String(id));
}

/** Returns the number after the highest number of some ids; 1 if none is a number. */
function getNextNumber(ids: readonly unknown[]): number {
  return ids.reduce<number>((highest, id) => (isNumber(id) ? Math.max(highest, Number(id)) : highest), 0) + 1;
}

/** Returns slugs of the title of an entry. The second is unique. */
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

/** Creates a UUID from a text, for the entries of the default data. */
export function createUuidFrom(text: string): string {
  return createUuid(createRandom(toSeed(text)));
}

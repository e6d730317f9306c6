import type { ControlResponse } from '../../control/operation.ts';
import { parsePointer } from '../../util/json-pointer.ts';
import { formatCount } from './format.ts';

/** A field of the form that edits an entry of the state. */
export interface EntryField {
  readonly name: string;
  readonly isRequired: boolean;
  /**
   * How the user edits the field.
   * `choice`: the user selects one of `choices`.
   * `json`: the user enters JSON, for an object, a list, or a value of any type.
   * `date`, `time` and `date-time`: the user selects a date, a time, or both.
   * `ids`: the user selects entries of `collection`.
   */
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json' | 'date' | 'time' | 'date-time' | 'ids';
  /** The collection of the entry whose id the field has, such as the parent. The user selects the entry by its name. */
  readonly collection: string | undefined;
  readonly choices: readonly string[];
  /** The description and the limits of the property in the schema. Empty if the schema has neither. */
  readonly hint: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** What the form of a collection needs: the schema of its entries, and what a form for a new entry asks for. */
type FormCollection = Pick<ControlResponse<'getServer'>['collections'][number], 'schema' | 'form'>;

/**
 * Returns the form fields for an entry.
 * A new entry has the fields that a client may send.
 * Another entry has a field for each property of the schema, each other property, and each id of a parent.
 */
export function getFields({ schema, form }: FormCollection, entry: Entry, isNew: boolean): readonly EntryField[] {
  const properties = collectProperties(schema, schema);
  const required = collectRequired(schema, schema);
  const hidden = form.references.flatMap(({ property }) => (property.startsWith(HIDDEN) ? [property] : []));
  const own = Object.keys(entry).filter((name) => name !== HIDDEN_NAME);
  const names = (isNew && form.properties) || [...new Set([...hidden, ...Object.keys(properties), ...own])];
  return names.map((name) => {
    const isRequired = required.includes(name) || name.startsWith(HIDDEN);
    const property = getAlternative(properties[name] ?? {}, schema);
    const field = toField(name, property, isRequired);
    const { collection } = form.references.find((reference) => reference.property === name) ?? {};
    if (collection !== undefined && [property.type].flat().includes('array'))
      return { ...field, collection, kind: 'ids' as const };
    return { ...field, collection, ...(name.startsWith(HIDDEN) && { kind: 'text' as const }) };
  });
}

/** Returns a schema with the keywords of its only alternative that is not null: `anyOf: [TEXT, { type: 'null' }]`. */
function getAlternative(property: Schema, root: Schema): Schema {
  const schema = resolve(property, root);
  const { anyOf, oneOf, allOf } = schema;
  const all = (anyOf ?? oneOf ?? allOf ?? []) as readonly Schema[];
  const [first, ...others] = all.map((part) => resolve(part, root)).filter(({ type }) => type !== 'null');
  return first === undefined || others.length > 0 ? schema : { ...first, ...schema };
}

/** The property with the ids of parents that are only in the path, which is hidden from clients. */
const HIDDEN_NAME = '$path';
const HIDDEN = `${HIDDEN_NAME}.`;

/** Returns the name of a field for the user: `projectId` for `$path.projectId`. */
export function getFieldLabel(name: string): string {
  return name.startsWith(HIDDEN) ? name.slice(HIDDEN.length) : name;
}

/** Returns the value of a field in an entry. */
export function getFieldValue(entry: Entry, name: string): unknown {
  if (!name.startsWith(HIDDEN)) return entry[name];
  return (entry[HIDDEN_NAME] as Entry | undefined)?.[getFieldLabel(name)];
}

/** Returns a copy of an entry with the value of a field. */
export function setFieldValue(entry: Entry, name: string, value: unknown): Entry {
  if (!name.startsWith(HIDDEN)) return { ...entry, [name]: value };
  return { ...entry, [HIDDEN_NAME]: { ...Object(entry[HIDDEN_NAME]), [getFieldLabel(name)]: value } };
}

/** The field kinds for formats of strings. */
const FORMAT_KINDS: Readonly<Record<string, EntryField['kind']>> = {
  date: 'date',
  time: 'time',
  'date-time': 'date-time',
};

function toField(name: string, property: Schema, isRequired: boolean): EntryField {
  const choices = Array.isArray(property.enum) ? property.enum.filter((choice) => choice !== null) : [];
  const isChoice = choices.length > 0 && choices.every((choice) => typeof choice === 'string');
  const kinds: Readonly<Record<string, EntryField['kind']>> = {
    string: 'text',
    integer: 'number',
    number: 'number',
    boolean: 'boolean',
  };
  // A property that can be null has the form field of its other type.
  const [type, ...others] = [property.type].flat().filter((one) => one !== 'null');
  const ofType = others.length > 0 ? undefined : kinds[String(type)];
  const ofFormat = ofType === 'text' ? FORMAT_KINDS[String(property.format)] : undefined;
  const kind = isChoice ? 'choice' : (ofFormat ?? ofType ?? 'json');
  const hint = describeProperty(property);
  return { name, isRequired, kind, collection: undefined, choices: isChoice ? choices : [], hint };
}

/** Returns the description of a property (or else its format) and its limits, as one text. */
function describeProperty(property: Schema): string {
  const { format, minimum, maximum, minLength, maxLength, description } = property;
  const parts = [
    ...(typeof description === 'string' ? [description.split('\n')[0]?.replaceAll('`', '') ?? ''] : []),
    ...(typeof format === 'string' && typeof description !== 'string' ? [format] : []),
    ...(typeof minimum === 'number' ? [`at least ${formatCount(minimum)}`] : []),
    ...(typeof maximum === 'number' ? [`at most ${formatCount(maximum)}`] : []),
    ...(typeof minLength === 'number' && minLength > 1 ? [`at least ${minLength} characters`] : []),
    ...(typeof maxLength === 'number' ? [`at most ${maxLength} characters`] : []),
  ];
  return parts.join(' · ');
}

function collectProperties(schema: Schema, root: Schema): Readonly<Record<string, Schema>> {
  const { properties = {}, allOf = [] } = resolve(schema, root);
  const inherited = (allOf as readonly Schema[]).map((part) => collectProperties(part, root));
  return Object.assign({}, ...inherited, properties);
}

function collectRequired(schema: Schema, root: Schema): readonly string[] {
  const { required = [], allOf = [] } = resolve(schema, root);
  const inherited = (allOf as readonly Schema[]).flatMap((part) => collectRequired(part, root));
  return [...inherited, ...(required as readonly string[])];
}

/** Returns the schema that a `$ref` refers to. Returns `schema` itself if it has no `$ref`. */
function resolve(schema: Schema, root: Schema): Schema {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  let target: unknown = root;
  for (const step of parsePointer(reference.slice(1))) target = (target as Schema | undefined)?.[step];
  return (target as Schema | undefined) ?? schema;
}

/** Formats a value as the text of a form field. */
export function toFieldText(value: unknown, kind: EntryField['kind']): string {
  if (value === undefined) return '';
  if (kind === 'json' || kind === 'ids') return JSON.stringify(value, null, 2);
  if (kind === 'time') return String(value).replace(TIME_SUFFIX, '');
  if (kind === 'date-time') return toLocalTime(String(value));
  // The value may have another type than the schema allows.
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/**
 * Converts the text of a form field to a value.
 * Returns `old` if the field is unchanged.
 * An empty text becomes undefined, which removes the property.
 * In a required text field, it stays an empty text.
 * Throws a `SyntaxError` if a number, boolean or JSON field has an invalid text.
 */
export function parseField(
  text: string,
  { kind, isRequired }: EntryField,
  isUnchanged: boolean,
  old: unknown,
): unknown {
  if (isUnchanged) return old;
  if (kind === 'text') return text === '' && !isRequired ? undefined : text;
  if (text.trim() === '') return undefined;
  if (kind === 'choice' || kind === 'date') return text;
  if (kind === 'date-time') return new Date(text).toISOString();
  // An input for a time leaves out seconds that are 0. The offset of the old value stays.
  if (kind === 'time') return `${text}${text.length === 5 ? ':00' : ''}${OFFSET.exec(String(old ?? ''))?.[0] ?? ''}`;
  return JSON.parse(text);
}

/** Matches the offset of a time: `Z` or `+02:00`. */
const OFFSET = /(?:z|[+-]\d\d:?\d\d)$/i;

/** Matches what an input for a time cannot show: fractions of a second, and the offset. */
const TIME_SUFFIX = /(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?$/i;

/** Converts an ISO 8601 time to the format of an input for a date and a time, in the time zone of the browser. */
function toLocalTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 19);
}

const MINUTE_MS = 60_000;

type Entry = Readonly<Record<string, unknown>>;

/** Properties that usually contain the name of an entry, in order of preference. */
const NAME_PROPERTIES = ['name', 'title', 'label'];

/** The maximum length of a name, in characters. */
const MAX_LENGTH = 60;

/**
 * Returns a name for an entry: the value of `name`, `title`, `label` or the property `key`.
 * Returns undefined if the entry has none of them.
 * `key`: the property that identifies an entry, such as `id`.
 */
export function findEntryName(entry: Entry, key: string | undefined): string | undefined {
  const properties = key === undefined ? NAME_PROPERTIES : [...NAME_PROPERTIES, key];
  return properties.map((property) => toName(entry[property])).find((name) => name !== undefined);
}

/** A row of a table: its entry, its cells, and its position in the collection. `columns`: the columns of the table. */
interface NamedTable {
  readonly columns: readonly { readonly format: string }[];
  readonly entry: Entry;
  readonly cells: readonly unknown[];
  readonly position: number;
}

/**
 * Returns a name for a row of a table: the name of the entry, else the first text in the row, else the key of the
 * entry, else its position.
 */
export function getRowName({ columns, entry, cells, position }: NamedTable, key: string | undefined): string {
  const texts = cells.filter((cell, index) => columns[index]?.format === 'text' && cell !== getValue(entry, key));
  return findEntryName(entry, undefined) ?? toName(texts[0]) ?? findEntryName(entry, key) ?? `entry ${position}`;
}

function getValue(entry: Entry, key: string | undefined): unknown {
  return key === undefined ? undefined : getKey(entry, key);
}

/** Returns the id of an entry. `key`: the property with the id; dots separate nested properties. */
export function getKey(entry: Entry, key: string): unknown {
  return key.split('.').reduce<unknown>((value, name) => Object(value)[name], entry);
}

function toName(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
}

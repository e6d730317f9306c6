import { isNode } from '../../openapi/document.ts';
import { findJsonMedia } from '../../openapi/responses.ts';
import type { Entry } from '../../store/state.ts';
import { isIdName, normalizeName } from '../../util/names.ts';
import { isEntryName, isEnvelopeName, isListName, type SchemaReader } from '../document/schema-reader.ts';
import { getInner } from '../entries/entry-values.ts';
import type { FilterProperty } from '../lists/list-filters.ts';
import { isPageName, isTotalName } from '../lists/page-fields.ts';
import type { Plan, Resource } from '../resource.ts';

/** The actions whose responses have entries. */
const ACTIONS = ['list', 'read', 'create', 'replace', 'update'];

/** The maximum number of envelopes around an entry, such as `{ status, data: { count, results } }`. */
const MAX_ENVELOPES = 3;

/**
 * Returns the entries in the examples of an operation's response.
 * Examples with other properties than the entries are left out, except for entries in an envelope that only the example
 * has, such as `{ status, data }`.
 */
export function listExamples(reader: SchemaReader, { route, resource, action, responsePath }: Plan): readonly Entry[] {
  if (!ACTIONS.includes(action)) return [];
  const examples = findJsonMedia(route.responses, route.successStatus)?.examples ?? [];
  return examples.flatMap(({ value }) => {
    const inner = getInner(value, responsePath);
    if (action !== 'list' && inner !== undefined) return unwrap(reader, resource, inner);
    if (Array.isArray(inner)) return inner.flatMap((one) => unwrap(reader, resource, one));
    return listWrapped(reader, resource, value, 0);
  });
}

/** Returns the entries in a value: those in its envelope, or the value itself. */
function unwrap(reader: SchemaReader, resource: Resource, value: unknown, depth = 0): readonly Entry[] {
  if (!isNode(value)) return [];
  const wrapped = listWrapped(reader, resource, value, depth);
  const score = countShared(reader, resource, value);
  if (wrapped.some((one) => countShared(reader, resource, one) > score)) return wrapped;
  return isFitting(reader, resource, value) ? [value] : [];
}

/** Returns the entries in an envelope such as `{ status, data }`; none for another object. */
function listWrapped(reader: SchemaReader, resource: Resource, value: unknown, depth: number): readonly Entry[] {
  if (!isNode(value) || depth >= MAX_ENVELOPES) return [];
  const properties = getProperties(reader, resource);
  const names = [resource.singular, resource.name].map(normalizeName);
  const isContent = ([name, inner]: readonly [string, unknown]) =>
    typeof inner === 'object' &&
    inner !== null &&
    !properties.has(name) &&
    (isListName(name) || isEntryName(name) || names.includes(normalizeName(name)));
  const [content, ...others] = Object.entries(value).filter(isContent);
  if (!content || others.length > 0) return [];
  const rest = Object.keys(value).filter((name) => name !== content[0]);
  if (!rest.every((name) => isEnvelopeName(name) || isPageName(name) || isTotalName(name))) return [];
  return [content[1]].flat().flatMap((one) => unwrap(reader, resource, one, depth + 1));
}

function getProperties(reader: SchemaReader, { schema }: Resource): ReadonlyMap<string, string> {
  return schema === '' ? new Map() : reader.getProperties(schema);
}

/** Returns how many properties of a value entries have. Without a schema, only the id of an entry is known. */
function countShared(reader: SchemaReader, resource: Resource, value: Entry): number {
  const properties = getProperties(reader, resource);
  const isKnown = (name: string) =>
    properties.size > 0 ? properties.has(name) : [resource.id.property ?? 'id', 'id'].includes(name);
  return Object.keys(value).filter(isKnown).length;
}

/**
 * Returns whether a value has the properties of an entry: at least half of those of one of them, or all that entries
 * require.
 * An id or a name such as `status` or `message` alone says nothing.
 */
function isFitting(reader: SchemaReader, resource: Resource, value: Entry): boolean {
  const properties = getProperties(reader, resource);
  const names = Object.keys(value);
  if (properties.size === 0) return names.length > 0;
  const shared = names.filter((name) => properties.has(name));
  const [only = ''] = shared;
  if (shared.length === 0) return false;
  if (shared.length === 1 && names.length > 1 && properties.size > 1 && (isIdName(only) || isEnvelopeName(only)))
    return false;
  const required = reader.getRequired(resource.schema);
  return (
    shared.length * 2 >= Math.min(names.length, properties.size) ||
    (required.length > 0 && required.every((name) => names.includes(name))) ||
    reader.allowsOtherProperties(resource.schema)
  );
}

/** A date, or a date with a time. */
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/;

/** Returns the properties of entries without a schema, by the values in their examples. */
export function listExampleProperties(entries: readonly Entry[]): readonly FilterProperty[] {
  const values = new Map(entries.flatMap((entry) => Object.entries(entry)).filter(([, value]) => value !== null));
  return [...values].map(([name, value]): FilterProperty => {
    const [isFlag, allowsNumber, isList] = [
      typeof value === 'boolean',
      typeof value === 'number',
      Array.isArray(value),
    ];
    const isTime = typeof value === 'string' && TIME.test(value);
    const isText = !isTime && !isIdName(name) && [value].flat().some((one) => typeof one === 'string');
    return {
      name,
      isFlag,
      allowsFlag: isFlag,
      allowsNumber,
      isList,
      isTime,
      isOrdered: isTime || allowsNumber,
      isText,
    };
  });
}

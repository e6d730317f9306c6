import { getNode, toNode } from '../../openapi/document.ts';
import { normalizeName, splitWords, toSingular } from '../../util/names.ts';
import { getRequiredQuery } from '../document/document-paths.ts';
import { isFreeText } from '../document/entry-properties.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findCreatedName } from '../entries/server-values.ts';
import type { Inference, Plan, Resource } from '../resource.ts';
import { findUserFilters } from '../users/sender-flags.ts';
import type { Embedded } from '../values/embedded.ts';
import { listExampleProperties, listExamples } from '../values/example-entries.ts';
import { findDefaultOrder } from './default-order.ts';
import { type FilterProperty, type ListFilter, listFilterProperties } from './list-filters.ts';
import {
  type CursorKind,
  type IdBounds,
  type ListParameters,
  listQueryFields,
  type QueryField,
  readListParameters,
} from './list-query.ts';
import { findOperationSearch } from './parameter-filters.ts';
import { omitUnsorted } from './sort-entries.ts';
import { createOverdueView, findDue, isOverdueWord } from './view-words.ts';

/**
 * Returns how the query parameters of a list operation filter, sort and page.
 * `embedded`: the properties of an entry that show other entries.
 */
export function findListParameters(
  reader: SchemaReader,
  inference: Inference,
  embedded: readonly Embedded[],
  plan: Plan,
): ListParameters {
  const { resource, route, responsePath, mount } = plan;
  const properties = listProperties(reader, inference, resource);
  const fields = listQueryFields(reader, route);
  const getKeyword = reader.getKeyword.bind(reader);
  const read = readListParameters(fields, properties, getKeyword);
  const bounds = findIdBounds(reader, resource, fields);
  // The entries of a view such as `/posts/popular`, and those that a user has marked, have an order of their own.
  const hasOrder = mount.view?.order !== undefined || plan.marked !== undefined;
  const sorting = hasOrder ? {} : findDefaultOrder(reader, route, fields, read);
  const other = [plan.trashQuery?.name, bounds?.before, bounds?.after, sorting.orderFlag?.name];
  const related = findRelatedFilters(reader, embedded, plan, read.ignored);
  const filters = new Map(
    [...limitSearches(reader, plan, read, embedded), ...related].filter(([name]) => !other.includes(name)),
  );
  const unknown = fields.filter(({ name }) => read.ignored.includes(name) && !filters.has(name));
  const texts = unknown.filter(({ schema }) => reader.isScalar(schema));
  const byUser = findUserFilters(inference, resource, texts);
  const overdue = findOverdue(reader, resource, unknown);
  const { cursor, ...byMeaning } = read.byMeaning;
  const cursorKind = findCursorKind(
    reader,
    resource,
    fields.find(({ name }) => name === cursor),
    properties,
  );
  const hasCursor = cursor !== undefined && !other.includes(cursor) && cursorKind !== null;
  const ignored = cursorKind === null && cursor !== undefined ? [...read.ignored, cursor] : read.ignored;
  const parameters = {
    ...read,
    ...sorting,
    byMeaning: hasCursor ? read.byMeaning : byMeaning,
    ...(cursorKind && { cursorKind }),
    filters,
    byUser,
    ...(bounds && { bounds }),
    ...(overdue && { overdue }),
    ignored: ignored.filter(
      (name) => !byUser.has(name) && !filters.has(name) && !other.includes(name) && name !== overdue?.name,
    ),
    required: getRequiredQuery(route),
    maxEntries: reader.getMaxItems(route, responsePath),
  };
  return omitUnsorted(parameters, fields, getKeyword);
}

/**
 * Returns the filters of a list. Its searches read only the properties that the text of the operation names, or else
 * all texts. Of the entries that others show, they read only texts without a format: not the role or the e-mail address
 * of a user.
 */
function limitSearches(
  reader: SchemaReader,
  { route }: Pick<Plan, 'route'>,
  { filters, properties }: Pick<ListParameters, 'filters' | 'properties'>,
  embedded: readonly Embedded[],
): ReadonlyMap<string, ListFilter> {
  const { summary, description } = toNode(getNode(reader.document, route.pointer));
  const texts = [summary, description].flatMap((text) => (typeof text === 'string' ? text : []));
  const filtered = [...filters.values()].map(({ property }) => property);
  const searched = findOperationSearch(texts, properties, filtered);
  const isSearch = ({ property, comparison, key, state, ...own }: ListFilter) =>
    property === undefined && comparison === 'contains' && !key && !state && own.searched === undefined;
  const objects = embedded.filter(({ value, shows }) => value === undefined && shows === undefined);
  const inside = new Map(
    objects.map(({ property, schema }) => [
      property,
      [...reader.getProperties(schema)].flatMap(([name, pointer]) => (isFreeText(reader, pointer) ? name : [])),
    ]),
  );
  const limit = searched ? { searched } : { inside };
  return new Map([...filters].map(([name, filter]) => [name, isSearch(filter) ? { ...filter, ...limit } : filter]));
}

/** Finds the boolean query parameter that selects entries by their due date, such as `overdue` or `overdueOnly`. */
function findOverdue(reader: SchemaReader, { schema }: Resource, fields: readonly QueryField[]) {
  const due = findDue(reader, schema);
  const field = fields.find(
    ({ name, types }) =>
      isOverdueWord(normalizeName(name).replace(/^(?:is|only)|only$/g, '')) && types.includes('boolean'),
  );
  return due === undefined || !field ? undefined : { name: field.name, view: createOverdueView(reader, schema, due) };
}

/**
 * Returns what the cursors of a list are: a number of entries if the parameter only allows integers and ids are others,
 * or the time at which entries are created if it only allows times.
 * Returns undefined for ids, and null for times if entries have none.
 */
function findCursorKind(
  reader: SchemaReader,
  { schema, id }: Resource,
  field: QueryField | undefined,
  properties: readonly FilterProperty[],
): CursorKind | null | undefined {
  const isNamed = field?.labels.some((label) => /cursor/i.test(label)) || /\bcursor\b/i.test(field?.description ?? '');
  if (field === undefined || !isNamed) return undefined;
  const pointer = schema === '' ? undefined : reader.getProperties(schema).get(id.property ?? '');
  const isNumber = field.types.length > 0 && field.types.every((type) => type === 'integer');
  if (isNumber && pointer !== undefined && !reader.allowsNumber(pointer)) return { kind: 'offset' };
  if (reader.getKeyword(field.schema, 'format') !== 'date-time') return undefined;
  const times = properties.filter(({ isTime }) => isTime);
  const property = findCreatedName(times.map(({ name }) => name));
  return property === undefined ? null : { kind: 'time', property };
}

/** Returns the properties of entries by their schema; by their examples if it has none. */
function listProperties(reader: SchemaReader, { plans }: Inference, resource: Resource): readonly FilterProperty[] {
  const { schema } = resource;
  if (schema !== '' && reader.getProperties(schema).size > 0) return listFilterProperties(reader, schema);
  const own = [...plans.values()].filter((plan) => plan.resource === resource);
  return listExampleProperties(own.flatMap((plan) => listExamples(reader, plan)));
}

/** Returns what query parameters select that have names of ids, by the names of the parameters. */
function findRelatedFilters(
  reader: SchemaReader,
  embedded: readonly Embedded[],
  plan: Pick<Plan, 'resource' | 'mount'>,
  parameters: readonly string[],
): ReadonlyMap<string, ListFilter> {
  const found = parameters.map((name) => [name, findRelatedFilter(reader, embedded, plan, name)] as const);
  return new Map(found.flatMap(([name, filter]) => (filter ? [[name, filter] as const] : [])));
}

/**
 * Returns what a query parameter selects that has the name of an id which entries show in an object or only have in
 * their path: `cafe_id` for entries with a `cafe`, and for those below `/cafes/{cafeId}`.
 */
function findRelatedFilter(
  reader: SchemaReader,
  embedded: readonly Embedded[],
  { resource, mount }: Pick<Plan, 'resource' | 'mount'>,
  parameter: string,
): ListFilter | undefined {
  const name = normalizeName(parameter);
  const shown = embedded.find(({ property, isList, value, children }) => {
    const own = normalizeName(isList ? toSingular(property) : property);
    return value === undefined && !children && [`${own}id`, `${own}ids`].includes(name);
  });
  const inner = shown?.resource.id.property;
  if (shown && inner !== undefined && reader.getProperties(shown.schema).has(inner))
    return { property: shown.property, inner, comparison: 'equal' };
  const keys = resource.mounts.flatMap(({ parents }) => parents).filter(({ property }) => property === undefined);
  const key = keys.find((one) => normalizeName(one.name) === name && !mount.parents.includes(one));
  return key ? { property: undefined, key, comparison: 'equal' } : undefined;
}

/** Words of a description that is about times and not about ids. */
const OF_TIME = /\b(?:time|times|timestamps?|dates?|days?|unix|epoch|iso|seconds?|milliseconds?|ms)\b/;

/**
 * Returns the query parameters `before` and `after` that have the id of an entry by their type and their description:
 * `Only messages before this message`.
 * Returns undefined if only `after` has one, because it is a cursor by its name.
 */
function findIdBounds(reader: SchemaReader, resource: Resource, fields: readonly QueryField[]): IdBounds | undefined {
  const find = (word: string) => {
    const named = fields.filter(({ labels }) => labels.some((label) => isNamed(label, word)));
    const [only, ...others] = named;
    return only && others.length === 0 && hasId(reader, resource, only, word) ? only.name : undefined;
  };
  const [before, after] = [find('before'), find('after')];
  const isPlain = !fields.some(({ labels }) => labels.some((label) => isNamed(label, 'after')));
  if (before === undefined || (after === undefined && !isPlain)) return undefined;
  return { before, ...(after !== undefined && { after }) };
}

/** Returns whether a parameter is `before`, `before_id` or `beforeMessageId`. */
function isNamed(label: string, word: string): boolean {
  const [first, ...others] = splitWords(label);
  return first === word && (others.length === 0 || others.at(-1) === 'id');
}

/** Returns whether the values of a parameter have the type of the ids, and its description is about an entry. */
function hasId(
  reader: SchemaReader,
  { schema, id, singular }: Resource,
  { schema: own, types, description }: QueryField,
  word: string,
): boolean {
  const pointer = schema === '' ? undefined : reader.getProperties(schema).get(id.property ?? '');
  const text = splitWords(description).join(' ');
  if (pointer === undefined || !new RegExp(`\\b${word}\\b`).test(text) || OF_TIME.test(text)) return false;
  const isNumber = types.length > 0 && types.every((type) => type === 'integer');
  const names = ['this', 'that', 'the', 'the given', 'the specified', 'a given', 'a specific', 'which'];
  const isEntry = new RegExp(
    `\\bids?\\b|\\b${word} (?:${names.join('|')}) (?:${splitWords(singular).join(' ')}|entry|item)\\b`,
  );
  if (!isEntry.test(text)) return false;
  if (isNumber) return reader.allowsNumber(pointer);
  const hasFormat = reader.getKeyword(own, 'format') === reader.getKeyword(pointer, 'format');
  return types.join() === 'string' && reader.getTypes(pointer).includes('string') && hasFormat;
}

import { normalizeName, toSingular } from '../util/names.ts';
import { findDefaultOrder } from './default-order.ts';
import { getRequiredQuery } from './document-paths.ts';
import type { Embedded } from './embedded.ts';
import { listExampleProperties, listExamples } from './example-entries.ts';
import { findIdBounds } from './id-bounds.ts';
import { type FilterProperty, type ListFilter, listFilterProperties } from './list-filters.ts';
import { type ListParameters, listQueryFields, readListParameters } from './list-query.ts';
import type { Inference, Plan, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { findUserFilters } from './sender-flags.ts';
import { omitUnsorted } from './sort-entries.ts';

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
  const filters = new Map([...read.filters, ...related].filter(([name]) => !other.includes(name)));
  const unknown = fields.filter(({ name }) => read.ignored.includes(name) && !filters.has(name));
  const texts = unknown.filter(({ schema }) => reader.isScalar(schema));
  const byUser = findUserFilters(inference, resource, texts);
  const { cursor, ...byMeaning } = read.byMeaning;
  const parameters = {
    ...read,
    ...sorting,
    byMeaning: cursor === undefined || other.includes(cursor) ? byMeaning : read.byMeaning,
    filters,
    byUser,
    ...(bounds && { bounds }),
    ignored: read.ignored.filter((name) => !byUser.has(name) && !filters.has(name) && !other.includes(name)),
    required: getRequiredQuery(route),
    maxEntries: reader.getMaxItems(route, responsePath),
  };
  return omitUnsorted(parameters, fields, getKeyword);
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

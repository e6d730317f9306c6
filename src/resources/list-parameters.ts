import { getRequiredQuery } from './document-paths.ts';
import { type Embedded, findRelatedFilters } from './embedded.ts';
import { listFilterProperties } from './list-filters.ts';
import { type ListParameters, listQueryFields, readListParameters } from './list-query.ts';
import type { Inference, Plan } from './resource.ts';
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
  const { resource, route, responsePath } = plan;
  const properties = resource.schema === '' ? [] : listFilterProperties(reader, resource.schema);
  const fields = listQueryFields(reader, route);
  const getKeyword = reader.getKeyword.bind(reader);
  const read = readListParameters(fields, properties, getKeyword);
  const related = findRelatedFilters(reader, embedded, plan, read.ignored);
  const filters = new Map([...read.filters, ...related]);
  const unknown = fields.filter(({ name }) => read.ignored.includes(name) && !filters.has(name));
  const texts = unknown.filter(({ schema }) => reader.isScalar(schema));
  const byUser = findUserFilters(inference, resource, texts);
  const parameters = {
    ...read,
    filters,
    byUser,
    ignored: read.ignored.filter((name) => !byUser.has(name) && !filters.has(name)),
    required: getRequiredQuery(route),
    maxEntries: reader.getMaxItems(route, responsePath),
  };
  return omitUnsorted(parameters, fields, getKeyword);
}

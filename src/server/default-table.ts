import type { EntrySchema } from '../application.ts';
import type { Column, Table } from '../application-views.ts';
import type { Document } from '../openapi/document.ts';
import { ALL_PARTS, getPartProperties, getPartTypes, getSchemaParts } from '../openapi/schema-parts.ts';
import type { Entry } from '../store/state.ts';

/** The maximum number of columns in a table. */
const MAX_COLUMNS = 8;

/** A column that shows a property of an entry. `path`: the names of the nested properties, such as `['price', 'amount']`. */
interface PropertyColumn extends Column {
  readonly path: readonly string[];
}

/**
 * Creates the table of a collection from the schema of its entries. The first column contains the key. The other columns contain the properties with simple
 * values, in the order of the schema. If the schema has only properties with objects and lists, the columns contain these properties.
 */
export function createDefaultTable(document: Document, { schema, key }: EntrySchema): Table {
  const properties = schema === '' ? [] : [...getPartProperties(getSchemaParts(document, schema, ALL_PARTS))];
  const all = properties.map(([name, pointer]) => toColumn([name], getFormat(document, pointer)));
  const scalar = all.filter(({ format }) => format !== 'json');
  const others = (scalar.length > 0 ? scalar : all).filter(({ title }) => title !== key);
  const keyColumn = all.find(({ title }) => title === key) ?? toColumn(key?.split('.') ?? [], 'text');
  const columns = [...(key === undefined ? [] : [keyColumn]), ...others].slice(0, MAX_COLUMNS);
  const shown = columns.length > 0 ? columns : [toColumn([], 'json')];
  return {
    columns: shown.map(({ title, format }) => ({ title, format })),
    getCells: (entry) => shown.map(({ path }) => getValue(entry, path)),
  };
}

/** Creates the column of a property. With an empty path, creates a column that contains the whole entry. */
function toColumn(path: readonly string[], format: Column['format']): PropertyColumn {
  return { title: path.at(-1) ?? 'Entry', format, path };
}

/** Returns the format of a column for values of a schema. `schema`: the JSON Pointer of the schema in the document. */
function getFormat(document: Document, schema: string): Column['format'] {
  const parts = getSchemaParts(document, schema, ALL_PARTS);
  const types = new Set(getPartTypes(parts).filter((type) => type !== 'null'));
  const isConstant = parts.some(({ node }) => node.enum !== undefined || node.const !== undefined);
  if (types.size === 0) return isConstant ? 'text' : 'json';
  if (types.has('object') || types.has('array')) return 'json';
  const [type] = types;
  if (types.size > 1) return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  return parts.some(({ node }) => node.format === 'date-time') ? 'time' : 'text';
}

function getValue(entry: Entry, path: readonly string[]): unknown {
  let value: unknown = entry;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Entry)[name];
  }
  return value ?? null;
}

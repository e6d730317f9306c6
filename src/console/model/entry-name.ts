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
  return key === undefined ? undefined : entry[key];
}

function toName(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
}

/** Returns the first `max` items, formatted, followed by "and N more" if there are further ones, which are not formatted. */
export function limitList<Item>(
  items: readonly Item[],
  max: number,
  format: (item: Item) => string = String,
): readonly string[] {
  const rest = items.length - max;
  const listed = items.slice(0, max).map((item) => format(item));
  return rest > 0 ? [...listed, `and ${rest} more`] : listed;
}

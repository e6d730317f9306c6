/** Formats the first `max` items of a list as texts. If there are more items, adds a text such as "and 3 more". */
export function limitList<Item>(
  items: readonly Item[],
  max: number,
  format: (item: Item) => string = String,
): readonly string[] {
  const rest = items.length - max;
  const listed = items.slice(0, max).map((item) => format(item));
  return rest > 0 ? [...listed, `and ${rest} more`] : listed;
}

/** Formats the first `max` items of a list. If the list has N other items, adds the text "and N more". */
export function limitList<Item>(
  items: readonly Item[],
  max: number,
  format: (item: Item) => string = String,
): readonly string[] {
  const rest = items.length - max;
  const listed = items.slice(0, max).map((item) => format(item));
  return rest > 0 ? [...listed, `and ${rest} more`] : listed;
}

/** Formats the first `max` items, followed by "and N more" if there are further ones. */
export function limitList<Item>(
  items: readonly Item[],
  max: number,
  format: (item: Item) => string = String,
): readonly string[] {
  const shown = items.slice(0, max).map(format);
  return items.length > max ? [...shown, `and ${items.length - max} more`] : shown;
}

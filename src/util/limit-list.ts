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

/** The maximum length of a joined list, in characters. A longer line is hard to read in a terminal. */
const MAX_JOINED = 800;

/**
 * Joins the first `max` items of a list to a text of at most 800 characters, such as "a, b, and 3 more".
 * It has at least one item.
 */
export function joinList(items: readonly string[], max: number, separator = ', '): string {
  let length = 0;
  const fitting = items.findIndex((item) => {
    length += item.length + separator.length;
    return length > MAX_JOINED;
  });
  return limitList(items, fitting < 0 ? max : Math.min(max, Math.max(1, fitting))).join(separator);
}

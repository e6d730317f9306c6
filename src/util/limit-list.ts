/** Returns the first `max` items, followed by "and N more" if there are further ones. */
export function limitList(items: readonly string[], max: number): readonly string[] {
  const rest = items.length - max;
  return rest > 0 ? [...items.slice(0, max), `and ${rest} more`] : items;
}

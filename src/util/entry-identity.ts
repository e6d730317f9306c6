type Entry = Readonly<Record<string, unknown>>;

/**
 * Creates a function that returns the id of an entry, as JSON.
 * With the `key` "item.id", the entry `{ item: { id: 7 } }` has the id `7`.
 * The function returns undefined if the entry lacks the property, or if `key` is undefined.
 */
export function createIdentity(key: string | undefined): (entry: Entry) => string | undefined {
  if (key === undefined) return () => undefined;
  const steps = key.split('.');
  return (entry) => {
    const value = steps.reduce<unknown>((inner, step) => Object(inner)[step], entry);
    return value === undefined ? undefined : JSON.stringify(value);
  };
}

import type { CompleteValue } from '../../mock/complete-value.ts';
import { isNode } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { formatPointer, parsePointer } from '../../util/json-pointer.ts';

/** A value with generated values for missing required properties, and the JSON Pointers of the generated values. */
export type Completed = ReturnType<CompleteValue>;

/** Combines completed values into a list. In the JSON Pointers of generated values, `*` stands for all indexes. */
export function toList(values: readonly Completed[]): Completed {
  const generated = new Set(values.flatMap((one) => one.generated.map((pointer) => `/*${pointer}`)));
  return { value: values.map(({ value }) => value), generated: [...generated] };
}

/** Returns the JSON Pointers that lead into the properties of an object. */
export function pickPointers(pointers: readonly string[], object: Entry): readonly string[] {
  return pointers.length === 0 ? pointers : pointers.filter((one) => Object.hasOwn(object, parsePointer(one)[0] ?? ''));
}

const generatedInside = new WeakMap<Entry, readonly string[]>();

/** Returns the JSON Pointers of the generated values in other entries that an entry shows, such as its `author`. */
export function getGeneratedInside(entry: Entry): readonly string[] {
  return generatedInside.get(entry) ?? [];
}

/** Records which values of other entries that `entry` shows are generated. Returns `entry`. */
export function setGeneratedInside(entry: Entry, pointers: readonly string[]): Entry {
  if (pointers.length > 0) generatedInside.set(entry, pointers);
  return entry;
}

/**
 * Returns the JSON Pointers of the ids that an entry has from the first entry of another list, and of the generated
 * values in the entries that it shows.
 */
export function listGeneratedPointers(
  references: readonly { readonly property: string }[],
  { stored, entry }: { readonly stored: Entry; readonly entry: Entry },
  shown: readonly { readonly property: string; readonly generated: readonly string[] }[],
): readonly string[] {
  const added = references.filter(({ property }) => !(property in stored) && property in entry);
  return [
    ...added.map(({ property }) => formatPointer(property)),
    ...shown.flatMap(({ property, generated }) => generated.map((pointer) => formatPointer(property) + pointer)),
  ];
}

/** Returns whether two values are the same, or lists or objects with the same values. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, index) => value === other[index]);
  if (!isNode(one) || !isNode(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return names.length === others.length && names.every((name) => one[name] === other[name]);
}

const picked = new WeakMap<Entry, WeakMap<object, Entry>>();

/** Returns an object with some properties of another one. The same objects have the same result. */
export function pickProperties(object: Entry, names: ReadonlyMap<string, unknown>): Entry {
  if (Object.keys(object).every((name) => names.has(name))) return object;
  const cache = picked.get(object) ?? new WeakMap<object, Entry>();
  picked.set(object, cache);
  const known = cache.get(names) ?? Object.fromEntries(Object.entries(object).filter(([name]) => names.has(name)));
  cache.set(names, known);
  return known;
}

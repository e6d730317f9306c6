import type { CompleteValue } from '../mock/complete-value.ts';
import type { Entry } from '../store/state.ts';
import { parsePointer } from '../util/json-pointer.ts';

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

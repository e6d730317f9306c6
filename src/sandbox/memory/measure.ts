/** The memory of an object without its properties, in V8 on a 64-bit machine, in bytes. */
export const OBJECT_BYTES = 48;
/** The memory of a reference to a value, in a property or a list entry, in bytes. */
export const SLOT_BYTES = 8;
/** The memory of a number that is not a small integer, in bytes. */
const NUMBER_BYTES = 16;
/** The memory of a string without its characters, in bytes. */
const STRING_BYTES = 24;

/** Returns the approximate memory of a JSON value, in bytes. */
export function measureValue(value: unknown): number {
  if (typeof value === 'string') return STRING_BYTES + value.length;
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT_BYTES;
  for (const part of Object.values(value)) bytes += SLOT_BYTES + measureValue(part);
  return bytes;
}

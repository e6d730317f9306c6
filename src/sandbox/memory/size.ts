import type { State } from '../../store/state.ts';

/** Memory of V8's values on a 64-bit machine, in bytes: an object or a list, one of its properties or entries, a number that is no small integer, a text. */
const OBJECT_BYTES = 48;
const SLOT_BYTES = 8;
const NUMBER_BYTES = 16;
const TEXT_BYTES = 24;

/** What counting an object takes by itself, in bytes: an entry of a map and its record. */
const COUNTED_BYTES = 100;

/** About how many bytes of memory a list takes without its entries. */
export function listBytes(list: State[string]): number {
  return COUNTED_BYTES + OBJECT_BYTES + list.length * SLOT_BYTES;
}

/** About how many bytes of memory an entry of a list takes, with all that it holds. */
export function entryBytes(entry: object): number {
  return COUNTED_BYTES + valueBytes(entry);
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return TEXT_BYTES + value.length;
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT_BYTES;
  for (const part of Object.values(value)) bytes += SLOT_BYTES + valueBytes(part);
  return bytes;
}

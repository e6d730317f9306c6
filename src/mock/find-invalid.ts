import type { Contract } from '../openapi/contract.ts';
import { getNode } from '../openapi/document.ts';
import { groupByPointer } from '../openapi/schema-validator.ts';

/** A value after one round of corrections, and what the round has changed. */
interface Completed extends Pick<Contract, 'getErrors'> {
  readonly value: unknown;
  /** The JSON Pointers of the generated values. */
  readonly generated: ReadonlySet<string>;
  /** For each value with a `oneOf` or `anyOf`: the JSON Pointer of the value (key), and the JSON Pointer of the chosen alternative. */
  readonly chosen: ReadonlyMap<string, string>;
}

type Errors = ReturnType<Contract['getErrors']>;

/** An invalid value. */
interface InvalidValue {
  readonly pointer: string;
  /** How much to increase the number of attempts to correct this value. */
  readonly addedTries: number;
}

/**
 * How much to increase the number of attempts for a value that matches several alternatives of a `oneOf`. The number is so high that the value is replaced at
 * once, because choosing another alternative would not help.
 */
const OVERLAP_TRIES = 100;

/** Returns the innermost invalid values. If a part of a generated value is invalid, returns the whole generated value. */
export function findInvalid(errors: Errors, completed: Completed): readonly InvalidValue[] {
  const invalid = findValues(errors, '', completed);
  const innermost = invalid.filter(({ pointer }) => !invalid.some((other) => isBelow(other.pointer, pointer)));
  const byPointer = new Map<string, InvalidValue>();
  for (const { pointer, addedTries } of innermost) {
    const place = findGenerated(pointer, completed.generated) ?? pointer;
    // A generated value is always generated again, so one attempt is enough.
    byPointer.set(place, { pointer: place, addedTries: place === pointer ? addedTries : 1 });
  }
  return [...byPointer.values()];
}

/**
 * Returns the values with errors. If a value violates a `oneOf` or `anyOf`, returns its parts that violate the chosen alternative. `base`: the JSON Pointer of
 * the validated value.
 */
function findValues(errors: Errors, base: string, completed: Completed): readonly InvalidValue[] {
  const grouped = [...groupByPointer(errors)];
  const unions = grouped.flatMap(([pointer, { keyword }]) =>
    keyword === 'oneOf' || keyword === 'anyOf' ? pointer : [],
  );
  return grouped.flatMap(([pointer, { params }]) => {
    if (unions.some((union) => isBelow(pointer, union))) return [];
    const place = base + pointer;
    const chosen = unions.includes(pointer) ? completed.chosen.get(place) : undefined;
    const inner = chosen === undefined ? [] : completed.getErrors(chosen, getNode(completed.value, place));
    if (inner.length === 0)
      return [{ pointer: place, addedTries: Array.isArray(params.passingSchemas) ? OVERLAP_TRIES : 1 }];
    // Without this removal, a schema that is an alternative of itself would cause endless recursion.
    const others = new Map([...completed.chosen].filter(([key]) => key !== place));
    return findValues(inner, place, { ...completed, chosen: others });
  });
}

function isBelow(pointer: string, ancestor: string): boolean {
  return pointer.startsWith(`${ancestor}/`);
}

/** Returns the JSON Pointer of the generated value at or around `pointer`; undefined if there is none. */
function findGenerated(pointer: string, generated: ReadonlySet<string>): string | undefined {
  if (generated.has(pointer)) return pointer;
  const end = pointer.lastIndexOf('/');
  return end < 0 ? undefined : findGenerated(pointer.slice(0, end), generated);
}

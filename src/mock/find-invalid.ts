import type { Contract } from '../openapi/contract.ts';
import { getNode } from '../openapi/document.ts';
import { groupByPointer } from '../openapi/schema-validator.ts';

/** A value that was completed, and how. */
interface Completed extends Pick<Contract, 'getErrors'> {
  readonly value: unknown;
  /** The JSON Pointers of the generated values. */
  readonly generated: ReadonlySet<string>;
  /** The JSON Pointers of the alternatives that were chosen for values, by the JSON Pointer of the value. */
  readonly chosen: ReadonlyMap<string, string>;
}

type Errors = ReturnType<Contract['getErrors']>;

/** An invalid value. */
interface InvalidValue {
  readonly pointer: string;
  /** By how much the number of tries to correct the value grows. */
  readonly addedTries: number;
}

/** The added tries of a value that fits several alternatives of a `oneOf`. Another alternative would not help, so the value is replaced. */
const OVERLAP_TRIES = 100;

/** Returns the invalid values to replace: the innermost ones, or the generated values that have them. */
export function findInvalid(errors: Errors, completed: Completed): readonly InvalidValue[] {
  const invalid = findValues(errors, '', completed);
  const innermost = invalid.filter(({ pointer }) => !invalid.some((other) => isBelow(other.pointer, pointer)));
  const byPointer = new Map<string, InvalidValue>();
  for (const { pointer, addedTries } of innermost) {
    const place = findGenerated(pointer, completed.generated) ?? pointer;
    // A generated value is generated again in any case.
    byPointer.set(place, { pointer: place, addedTries: place === pointer ? addedTries : 1 });
  }
  return [...byPointer.values()];
}

/** Returns the values with errors. The errors of a union are those of the alternative that was chosen. `base`: the JSON Pointer of the validated value. */
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
    // A schema can be an alternative of itself.
    const others = new Map([...completed.chosen].filter(([key]) => key !== place));
    return findValues(inner, place, { ...completed, chosen: others });
  });
}

function isBelow(pointer: string, ancestor: string): boolean {
  return pointer.startsWith(`${ancestor}/`);
}

/** Returns the JSON Pointer of the outermost generated value that has the value at a pointer. */
function findGenerated(pointer: string, generated: ReadonlySet<string>): string | undefined {
  if (generated.has(pointer)) return pointer;
  const end = pointer.lastIndexOf('/');
  return end < 0 ? undefined : findGenerated(pointer.slice(0, end), generated);
}

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

/** Returns the JSON Pointers of the invalid values to replace: the innermost ones, or the generated values that have them. */
export function findInvalid(errors: Errors, completed: Completed): readonly string[] {
  const pointers = findPointers(errors, '', completed);
  const innermost = pointers.filter((pointer) => !pointers.some((other) => isBelow(other, pointer)));
  return [...new Set(innermost.map((pointer) => findGenerated(pointer, completed.generated) ?? pointer))];
}

/** Returns the JSON Pointers of errors. The errors of a union are those of the alternative that was chosen. `base`: the JSON Pointer of the validated value. */
function findPointers(errors: Errors, base: string, completed: Completed): readonly string[] {
  const grouped = [...groupByPointer(errors)];
  const unions = grouped.flatMap(([pointer, { keyword }]) =>
    keyword === 'oneOf' || keyword === 'anyOf' ? pointer : [],
  );
  return grouped.flatMap(([pointer]) => {
    if (unions.some((union) => isBelow(pointer, union))) return [];
    const place = base + pointer;
    const chosen = unions.includes(pointer) ? completed.chosen.get(place) : undefined;
    const inner = chosen === undefined ? [] : completed.getErrors(chosen, getNode(completed.value, place));
    if (inner.length === 0) return [place];
    // A schema can be an alternative of itself.
    const others = new Map([...completed.chosen].filter(([key]) => key !== place));
    return findPointers(inner, place, { ...completed, chosen: others });
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

import type { Issue } from '../util/issue.ts';
import { type Document, getNode, resolvePointer, toNode } from './document.ts';

/** Returns the entries of `allOf` through which a schema contains itself. `composed`: the JSON Pointers of all schemas with `allOf`. */
export function findLoops(document: Document, composed: readonly string[]): readonly Issue[] {
  const visited = new Set<string>();
  const visit = (pointer: string, around: readonly string[]): readonly Issue[] => {
    const target = resolvePointer(document, pointer);
    if (around.includes(target))
      return [
        {
          pointer,
          message: 'is ignored, because this entry of allOf leads back to the schema itself: remove the entry',
        },
      ];
    if (visited.has(target)) return [];
    visited.add(target);
    return listParts(document, target).flatMap((part) => visit(part, [...around, target]));
  };
  return composed.flatMap((pointer) => visit(pointer, []));
}

/**
 * The maximum number of schemas that a schema can contain through `allOf`, at all levels. A repeated schema is counted each time, because it is also validated
 * each time.
 */
const MAX_PARTS = 1_000;

/**
 * Returns the schemas that contain more than 1,000 schemas through `allOf`. This happens with ten levels of schemas if each level contains the next one twice.
 * `composed`: the JSON Pointers of all schemas with `allOf`.
 */
export function findLargeSchemas(document: Document, composed: readonly string[]): readonly Issue[] {
  const counts = new Map<string, number>();
  const count = (pointer: string): number => {
    const target = resolvePointer(document, pointer);
    const known = counts.get(target);
    if (known !== undefined) return known;
    // A schema that contains itself counts as 0 inside itself.
    counts.set(target, 0);
    const total = listParts(document, target).reduce((sum, part) => sum + count(part), 1);
    counts.set(target, total);
    return total;
  };
  const isLarge = (pointer: string) => count(pointer) > MAX_PARTS;
  return composed
    .filter((pointer) => isLarge(pointer) && !listParts(document, pointer).some(isLarge))
    .map((pointer) => ({
      pointer,
      message: `contains ${count(pointer)} schemas through allOf, but at most ${MAX_PARTS} are supported: remove repeated schemas`,
    }));
}

/**
 * Returns the JSON Pointers of the entries in the `allOf` of a schema; an empty array if the schema has no `allOf`. `pointer`: the JSON Pointer of the schema.
 */
function listParts(document: Document, pointer: string): readonly string[] {
  const { allOf } = toNode(getNode(document, pointer));
  return Array.isArray(allOf) ? [...allOf.keys()].map((index) => `${pointer}/allOf/${index}`) : [];
}

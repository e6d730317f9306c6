import type { Issue } from '../util/issue.ts';
import { type Document, getNode, resolvePointer, toNode } from './document.ts';

/** Returns the parts of `allOf` through which a schema contains itself, so that no value is valid. `composed`: the pointers of the schemas with `allOf`. */
export function findLoops(document: Document, composed: readonly string[]): readonly Issue[] {
  const visited = new Set<string>();
  const visit = (pointer: string, around: readonly string[]): readonly Issue[] => {
    const target = resolvePointer(document, pointer);
    if (around.includes(target))
      return [{ pointer, message: 'is a part of itself through allOf, so that no value is valid: remove it' }];
    if (visited.has(target)) return [];
    visited.add(target);
    const { allOf } = toNode(getNode(document, target));
    const parts = Array.isArray(allOf) ? [...allOf.keys()] : [];
    return parts.flatMap((index) => visit(`${target}/allOf/${index}`, [...around, target]));
  };
  return composed.flatMap((pointer) => visit(pointer, []));
}

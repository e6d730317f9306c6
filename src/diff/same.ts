import { type Document, getNode, isNode, parseReference } from '../openapi/document.ts';
import type { Schema } from './schema-parts.ts';

/** The target of a reference: whether it is equal in both documents, and the references in it. */
interface Target {
  readonly isSame: boolean;
  readonly references: readonly string[];
}

/**
 * Creates a function that returns whether two schemas, and all schemas to which they refer, are equal.
 * Most schemas are equal in both versions of a document, and equal schemas need no further comparison.
 */
export function createEqualityCheck(before: Document, after: Document): (one: Schema, other: Schema) => boolean {
  const isOneDialect = before.openapi.slice(0, 3) === after.openapi.slice(0, 3);
  const targets = new Map<string, Target>();
  const known = new Map<string, boolean>();
  const getReferenceTarget = (reference: string): Target => {
    const [one, other] = [getNode(before, parseReference(reference)), getNode(after, parseReference(reference))];
    const target = targets.get(reference) ?? { isSame: isDeepEqual(one, other), references: getReferences(one) };
    targets.set(reference, target);
    return target;
  };
  /**
   * Returns whether all schemas that are reachable from some references are equal.
   * Uses a loop instead of recursion, because a chain of references can have hundreds of schemas.
   */
  const areAllEqual = (references: readonly string[]): boolean => {
    const reached = new Set(references);
    for (const reference of reached) {
      if (known.get(reference) === true) continue;
      const { isSame, references: further } = getReferenceTarget(reference);
      if (!isSame || known.get(reference) === false) return false;
      for (const one of further) reached.add(one);
    }
    for (const reference of reached) known.set(reference, true);
    return true;
  };
  const isTargetEqual = (reference: string): boolean => {
    const isSame = known.get(reference) ?? areAllEqual([reference]);
    known.set(reference, isSame);
    return isSame;
  };
  const isEqualPart = (part: Schema[number], other: Schema[number] | undefined): boolean =>
    part.mark === undefined &&
    other?.mark === undefined &&
    isDeepEqual(part.node, other?.node) &&
    getReferences(part.node).every(isTargetEqual);
  return (one, other) =>
    isOneDialect && one.length === other.length && one.every((part, place) => isEqualPart(part, other[place]));
}

/** Returns whether two JSON values are equal, regardless of the order of keys. */
function isDeepEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, place) => isDeepEqual(entry, other[place]));
  }
  if (!isNode(one) || !isNode(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isDeepEqual(one[key], other[key]))
  );
}

function getReferences(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(getReferences);
  if (!isNode(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === '$ref' && typeof one === 'string' ? (one.startsWith('#') ? [one] : []) : getReferences(one),
  );
}

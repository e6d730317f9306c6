import type { Issue } from '../util/issue.ts';
import { type Document, getNode, resolvePointer, toNode } from './document.ts';

/**
 * Returns the entries of `allOf` through which a schema contains itself.
 * `composed`: the JSON Pointers of all schemas with `allOf`.
 */
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
 * The maximum number of schemas that a value can be validated against, because a schema contains them at any level:
 * through `allOf`, and through all keywords that apply schemas to the same value.
 * A repeated schema is counted each time, because it is also validated each time.
 */
const MAX_PARTS = { allOf: 1_000, all: 20_000 };

/** A schema that contains too many schemas through one of these keywords is not supported. */
const KINDS = [
  { keywords: ['allOf'], most: MAX_PARTS.allOf, name: 'allOf' },
  {
    keywords: ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
    most: MAX_PARTS.all,
    name: 'allOf, anyOf, oneOf, not and if',
  },
] as const;

/**
 * Returns the schemas that contain too many schemas.
 * This happens with ten levels of schemas if each level contains the next one twice.
 * `composed`: the JSON Pointers of all schemas with a keyword in `COMPOSING_KEYWORDS`.
 */
export function findLargeSchemas(document: Document, composed: readonly string[]): readonly Issue[] {
  for (const { keywords, most, name } of KINDS) {
    const issues = findLarge(document, composed, keywords, most).map(({ pointer, count }) => ({
      pointer,
      message: `contains ${count} schemas through ${name}, but at most ${most} are supported: remove repeated schemas`,
    }));
    if (issues.length > 0) return issues;
  }
  return [];
}

/** The keywords that apply schemas to the same value as the schema around them. */
export const COMPOSING_KEYWORDS: readonly string[] = KINDS[1].keywords;

function findLarge(document: Document, composed: readonly string[], keywords: readonly string[], most: number) {
  const counts = new Map<string, number>();
  const count = (pointer: string): number => {
    const target = resolvePointer(document, pointer);
    const known = counts.get(target);
    if (known !== undefined) return known;
    // A schema that contains itself counts as 0 inside itself.
    counts.set(target, 0);
    const total = listParts(document, target, keywords).reduce((sum, part) => sum + count(part), 1);
    counts.set(target, total);
    return total;
  };
  const isLarge = (pointer: string) => count(pointer) > most;
  return composed
    .filter((pointer) => isLarge(pointer) && !listParts(document, pointer, keywords).some(isLarge))
    .map((pointer) => ({ pointer, count: count(pointer) }));
}

/** The keywords whose value is one schema, not a list. */
const SINGLE_KEYWORDS = ['not', 'if', 'then', 'else'];

/** Returns the JSON Pointers of the schemas in some keywords of a schema. `pointer`: the JSON Pointer of the schema. */
function listParts(document: Document, pointer: string, keywords: readonly string[] = ['allOf']): readonly string[] {
  const node = toNode(getNode(document, pointer));
  return keywords.flatMap((keyword) => {
    const value = node[keyword];
    if (Array.isArray(value)) return [...value.keys()].map((index) => `${pointer}/${keyword}/${index}`);
    return SINGLE_KEYWORDS.includes(keyword) && value !== undefined ? [`${pointer}/${keyword}`] : [];
  });
}

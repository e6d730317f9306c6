import type { Issue } from '../util/issue.ts';
import { type Document, getNode, type Node, omitKeys, resolvePointer, toNode } from './document.ts';

/** The keywords whose entries can lead back to their own schema. */
export const LOOP_KEYWORDS = ['allOf', 'anyOf', 'oneOf'] as const;

/** An entry of `allOf`, `anyOf` or `oneOf`. */
interface Edge {
  readonly keyword: (typeof LOOP_KEYWORDS)[number];
  /** The JSON Pointer of the entry. */
  readonly pointer: string;
  /** The JSON Pointer of the schema to which the entry refers, or of the entry itself. */
  readonly target: string;
}

/** An entry through which a schema contains itself, and what the server uses instead. */
export interface Loop {
  /** The JSON Pointer of the entry. */
  readonly pointer: string;
  /** The schema in place of the entry. Undefined if the entry is left out. */
  readonly replacement: Node | undefined;
  /** The warning about the entry. Undefined if the entry needs no change. */
  readonly message: string | undefined;
}

/**
 * Returns the entries of `allOf`, `anyOf` and `oneOf` through which a schema contains itself.
 * Many documents have a schema that lists its subtypes in `oneOf`, and subtypes that extend this schema with `allOf`.
 * These subtypes extend the schema without its `oneOf`.
 * Other entries that lead back are left out.
 * `composed`: the JSON Pointers of all schemas with one of these keywords.
 */
export function findLoops(document: Document, composed: readonly string[]): readonly Loop[] {
  const visited = new Set<string>();
  const loops = new Map<string, Loop>();
  /** Each schema of `around` contains the next one through the edge with the same index. */
  const visit = (schema: string, around: readonly string[], edges: readonly Edge[]): void => {
    const start = around.indexOf(schema);
    if (start !== -1) {
      const loop = createLoop(document, edges.slice(start));
      loops.set(loop.pointer, loop);
    }
    if (visited.has(schema)) return;
    visited.add(schema);
    for (const edge of listEdges(document, schema)) visit(edge.target, [...around, schema], [...edges, edge]);
  };
  for (const pointer of composed) visit(resolvePointer(document, pointer), [], []);
  return [...loops.values()];
}

function listEdges(document: Document, schema: string): readonly Edge[] {
  return LOOP_KEYWORDS.flatMap((keyword) =>
    listParts(document, schema, [keyword]).map((pointer) => ({
      keyword,
      pointer,
      target: resolvePointer(document, pointer),
    })),
  );
}

/** `edges`: those from a schema to itself. */
function createLoop(document: Document, edges: readonly Edge[]): Loop {
  for (const [index, { keyword, pointer, target }] of edges.entries()) {
    const next = edges[(index + 1) % edges.length]?.keyword ?? keyword;
    if (keyword === 'allOf' && next !== 'allOf')
      return {
        pointer,
        replacement: omitKeys(toNode(getNode(document, target)), [next, 'discriminator']),
        message: undefined,
      };
  }
  // One of the entries is a reference. The others are inside the schema that it refers to.
  const { keyword = 'allOf', pointer = '' } = edges.findLast((edge) => edge.pointer !== edge.target) ?? {};
  const message = `is ignored, because this entry of ${keyword} leads back to the schema itself: remove the entry`;
  return { pointer, replacement: keyword === 'allOf' ? {} : undefined, message };
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
function listParts(document: Document, pointer: string, keywords: readonly string[]): readonly string[] {
  const node = toNode(getNode(document, pointer));
  return keywords.flatMap((keyword) => {
    const value = node[keyword];
    if (Array.isArray(value)) return [...value.keys()].map((index) => `${pointer}/${keyword}/${index}`);
    return SINGLE_KEYWORDS.includes(keyword) && value !== undefined ? [`${pointer}/${keyword}`] : [];
  });
}

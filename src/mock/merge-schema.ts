import { isDeepStrictEqual } from 'node:util';
import type { MergedSchema } from '../openapi/close-schemas.ts';
import { type Document, getNode, isNode, type Node, parseReference, resolvePointer } from '../openapi/document.ts';
import type { Random } from '../util/random.ts';

/** The functions that choose between the alternatives of a schema. */
interface Choices {
  /** Chooses an alternative of a `oneOf` or `anyOf`. */
  readonly choose: (alternatives: readonly unknown[]) => unknown;
  /** Decides whether the condition of an `if` is met. */
  readonly applies: (condition: unknown) => boolean;
  /** Counts the merged keywords and properties. Throws an error if there are too many. */
  readonly addSteps?: (count: number) => void;
}

type MergeContext = Choices & { readonly document: Document };

/** Merges a schema with its references, its `allOf` and the chosen alternatives into one schema. */
export type Merge = (schema: unknown, choices: Choices) => MergedSchema;

/** Creates a function that merges the schemas of a document. The result for a schema without alternatives is cached. */
export function createMerge(document: Document): Merge {
  const fixed = new WeakMap<object, MergedSchema>();
  return (node, { choose, applies, addSteps = () => {} }) => {
    if (!isNode(node)) return NO_SCHEMA;
    const known = fixed.get(node);
    if (known) return known;
    let isFixed = true;
    const merged = mergeSchema(
      {
        document,
        addSteps,
        choose(alternatives) {
          isFixed = false;
          return choose(alternatives);
        },
        applies(condition) {
          isFixed = false;
          return applies(condition);
        },
      },
      node,
    );
    if (isFixed) fixed.set(node, merged);
    return merged;
  };
}

const NO_SCHEMA: MergedSchema = { schema: {}, references: [] };

/**
 * Merges a schema with the target of its reference, its `allOf`, one alternative of each `oneOf` and `anyOf`, and the
 * `then` or `else` of an `if`.
 * `ancestors`: the references that were followed to reach the schema.
 */
function mergeSchema(context: MergeContext, node: unknown, ancestors: readonly string[] = []): MergedSchema {
  if (!isNode(node)) return NO_SCHEMA;
  const { $ref, allOf = [], oneOf, anyOf, if: condition, then, else: otherwise, ...own } = node;
  context.addSteps?.(1 + Object.keys(own).length);
  const parts: MergedSchema[] = [{ schema: own, references: [] }];
  const add = (part: unknown) => parts.push(mergeSchema(context, part, ancestors));
  const pointer = typeof $ref === 'string' ? resolvePointer(context.document, parseReference($ref)) : undefined;
  // A schema that refers to itself adds nothing.
  if (pointer !== undefined && !ancestors.includes(pointer)) {
    const target = mergeSchema(context, getNode(context.document, pointer), [...ancestors, pointer]);
    parts.push({ ...target, references: [pointer, ...target.references] });
  }
  for (const part of Array.isArray(allOf) ? allOf : []) add(part);
  if (condition !== undefined)
    for (const part of context.applies(condition) ? [condition, then] : [otherwise]) add(part);
  for (const alternatives of [oneOf, anyOf]) {
    if (Array.isArray(alternatives) && alternatives.length > 0) add(context.choose(alternatives));
  }
  return {
    schema: parts.map(({ schema }) => schema).reduce(mergeNodes),
    references: parts.flatMap(({ references }) => references),
  };
}

/**
 * Chooses an alternative at random.
 * Prefers alternatives that are not null and do not cause endless recursion.
 * `canFollow`: returns whether a reference may be followed once more.
 */
export function chooseAtRandom(
  random: Random,
  canFollow: (reference: string) => boolean,
  alternatives: readonly unknown[],
): unknown {
  const isNull = (schema: unknown) => isNode(schema) && schema.type === 'null';
  const canEnd = (schema: unknown) => getReferences(schema).every(canFollow);
  const preferred = [
    alternatives.filter((schema) => !isNull(schema) && canEnd(schema)),
    alternatives.filter(canEnd),
    alternatives,
  ];
  return random.pick(preferred.find(({ length }) => length > 0) ?? alternatives);
}

/** Returns the JSON Pointers to which a schema and the entries of its `allOf` refer. */
export function getReferences(node: unknown): readonly string[] {
  if (!isNode(node)) return [];
  const own = typeof node.$ref === 'string' ? [parseReference(node.$ref)] : [];
  return [...own, ...(Array.isArray(node.allOf) ? node.allOf.flatMap(getReferences) : [])];
}

function mergeNodes(a: Node, b: Node): Node {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) merged[key] = key in merged ? merge(key, merged[key], value) : value;
  return merged;
}

/** Merges two values of a keyword into a value that is as strict as both: the higher `minimum`, for example. */
function merge(key: string, a: unknown, b: unknown): unknown {
  if (key === 'properties' && isNode(a) && isNode(b)) {
    const shared = Object.keys(b).filter((name) => name in a);
    return { ...a, ...b, ...Object.fromEntries(shared.map((name) => [name, { allOf: [a[name], b[name]] }])) };
  }
  if (key === 'pattern' || key === 'required') return [...new Set([a, b].flat())];
  if (key === 'type') return intersectTypes([a].flat(), [b].flat());
  if (key === 'enum') return [a].flat().filter((value) => [b].flat().some((other) => isDeepStrictEqual(value, other)));
  if (key === 'items') return { allOf: [a, b] };
  if (MINIMUM_KEYWORDS.has(key)) return Math.max(Number(a), Number(b));
  if (MAXIMUM_KEYWORDS.has(key)) return Math.min(Number(a), Number(b));
  if (key === 'additionalProperties') return [a, b].includes(false) ? false : ([a, b].find(isNode) ?? b);
  return a;
}

const MINIMUM_KEYWORDS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const MAXIMUM_KEYWORDS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

function intersectTypes(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  return [...new Set([...a.filter((type) => allowsType(b, type)), ...b.filter((type) => allowsType(a, type))])];
}

/** Returns whether a list of types includes a type. `number` includes integers. */
export function allowsType(types: readonly unknown[], type: unknown): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

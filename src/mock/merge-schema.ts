import { isDeepStrictEqual } from 'node:util';
import { type Document, getNode, isNode, type Node, resolvePointer, toPointer } from '../openapi/document.ts';
import type { Random } from '../util/random.ts';

/** A schema with all that is said of one value: without references, and with one of its alternatives chosen. */
export interface WholeSchema {
  readonly schema: Node;
  /** The references that led to it. */
  readonly references: readonly string[];
}

/** What is said of a value by a schema, the references, `allOf` and one of each `oneOf` and `anyOf` put together. */
export function wholeSchema(
  document: Document,
  node: unknown,
  random: Random,
  isShort: (reference: string) => boolean,
  above: readonly string[] = [],
): WholeSchema {
  if (!isNode(node)) return { schema: {}, references: [] };
  const { $ref, allOf = [], oneOf, anyOf, if: condition, then, else: _otherwise, ...own } = node;
  const parts: WholeSchema[] = [{ schema: own, references: [] }];
  const add = (part: unknown) => parts.push(wholeSchema(document, part, random, isShort, above));
  const pointer = typeof $ref === 'string' ? resolvePointer(document, toPointer($ref)) : undefined;
  // What is part of itself says no more by that.
  if (pointer !== undefined && !above.includes(pointer)) {
    const target = wholeSchema(document, getNode(document, pointer), random, isShort, [...above, pointer]);
    parts.push({ ...target, references: [pointer, ...target.references] });
  }
  for (const part of Array.isArray(allOf) ? allOf : []) add(part);
  // What holds by the condition and what follows from it holds by all.
  for (const part of condition === undefined ? [] : [condition, then]) add(part);
  for (const alternatives of [oneOf, anyOf]) {
    if (Array.isArray(alternatives) && alternatives.length > 0) add(chosen(alternatives, random, isShort));
  }
  return {
    schema: parts.map(({ schema }) => schema).reduce(both),
    references: parts.flatMap(({ references }) => references),
  };
}

/** One of some alternatives: no null, and none that leads on for ever, where there is another. */
function chosen(alternatives: readonly unknown[], random: Random, isShort: (reference: string) => boolean): unknown {
  const isNull = (one: unknown) => isNode(one) && one.type === 'null';
  const isBrief = (one: unknown) => referencesOf(one).every(isShort);
  const preferred = [
    alternatives.filter((one) => !isNull(one) && isBrief(one)),
    alternatives.filter(isBrief),
    alternatives,
  ];
  return random.pick(preferred.find(({ length }) => length > 0) ?? alternatives);
}

/** What a schema refers to, itself and in the parts of its `allOf`. */
function referencesOf(node: unknown): readonly string[] {
  if (!isNode(node)) return [];
  const own = typeof node.$ref === 'string' ? [toPointer(node.$ref)] : [];
  return [...own, ...(Array.isArray(node.allOf) ? node.allOf.flatMap(referencesOf) : [])];
}

/** What two schemas say of the same value together. */
function both(one: Node, other: Node): Node {
  const together: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    together[key] = key in together ? combined(key, together[key], value) : value;
  }
  return together;
}

function combined(key: string, one: unknown, other: unknown): unknown {
  if (key === 'properties' && isNode(one) && isNode(other)) {
    const shared = Object.keys(other).filter((name) => name in one);
    return {
      ...one,
      ...other,
      ...Object.fromEntries(shared.map((name) => [name, { allOf: [one[name], other[name]] }])),
    };
  }
  if (key === 'pattern') return [...new Set([...list(one), ...list(other)])];
  if (key === 'required') return [...new Set([...list(one), ...list(other)])];
  if (key === 'type') return commonOf(list(one), list(other));
  if (key === 'enum')
    return list(one).filter((value) => list(other).some((another) => isDeepStrictEqual(value, another)));
  if (key === 'items') return { allOf: [one, other] };
  if (LEAST.has(key)) return Math.max(Number(one), Number(other));
  if (MOST.has(key)) return Math.min(Number(one), Number(other));
  if (key === 'additionalProperties') return one === false || other === false ? false : isNode(one) ? one : other;
  return one;
}

const LEAST = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const MOST = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** The types that both allow; a number may be an integer. */
function commonOf(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const allowed = (type: unknown, types: readonly unknown[]) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...one.filter((type) => allowed(type, other)), ...other.filter((type) => allowed(type, one))])];
}

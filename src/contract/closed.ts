import type { Document } from 'openapi-backend';
import { at, isNode, type Node, settledPointer } from './document.ts';

/**
 * The document in which every object schema allows no other properties than its own. An `allOf` of objects becomes one object, since each of its
 * parts by itself would refuse what the others bring. What says something of additional properties already stays.
 */
export function closed(document: Document): Document {
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isNode(node)) return node;
    const whole = mergedParts(document, node);
    const visited = Object.fromEntries(
      Object.entries(whole).map(([key, value]) => [key, VERBATIM.has(key) ? value : visit(value)]),
    );
    return isOpenObject(visited) ? { ...visited, additionalProperties: false } : visited;
  };
  return visit(document) as Document;
}

/** Keys below which stand values, not schemas. */
const VERBATIM = new Set(['example', 'examples', 'enum', 'default', 'x-refused-examples']);

function isOpenObject(node: Node): boolean {
  return node.type === 'object' && isNode(node.properties) && node.additionalProperties === undefined;
}

/** An `allOf` of objects as one object: the properties of all, those of the same name holding together; anything else as it is. */
function mergedParts(document: Document, node: Node): Node {
  if (!Array.isArray(node.allOf)) return node;
  const parts = node.allOf.map((part) => resolved(document, part)).map((part) => mergedParts(document, part));
  if (!parts.every(({ type }) => type === 'object')) return node;
  const { allOf: _, ...rest } = node;
  return {
    ...rest,
    type: 'object',
    properties: mergedProperties(parts),
    required: parts.flatMap(({ required }) => required ?? []),
  };
}

function mergedProperties(parts: readonly Node[]): Node {
  const merged: Record<string, unknown> = {};
  for (const [name, schema] of parts.flatMap(({ properties }) => Object.entries(properties ?? {}))) {
    merged[name] = Object.hasOwn(merged, name) ? { allOf: [merged[name], schema] } : schema;
  }
  return merged;
}

function resolved(document: Document, part: unknown): Node {
  const target =
    isNode(part) && typeof part.$ref === 'string' ? at(document, settledPointer(document, part.$ref.slice(1))) : part;
  return isNode(target) ? target : {};
}

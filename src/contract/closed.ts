import type { Document } from 'openapi-backend';
import { VERBATIM } from './dialect.ts';
import { at, isNode, type Node, pointerOf, settledPointer } from './document.ts';

/**
 * The document in which every object schema allows no other properties than its own. An `allOf` of objects becomes one object, since each of its
 * parts by itself would refuse what the others bring. What says something of additional properties already stays.
 */
export function closed(document: Document): Document {
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isNode(node)) return node;
    const whole = merged(document, node);
    const visited = Object.entries(whole).map(([key, value]) => [key, visitedValue(key, value)]);
    const result = Object.fromEntries(visited);
    return isOpenObject(result) ? { ...result, additionalProperties: false } : result;
  };
  const visitedValue = (key: string, value: unknown) => {
    // Below `properties` stand names, which may be those of keywords.
    if (key === 'properties' && isNode(value)) return mapped(value, visit);
    return VERBATIM.has(key) ? value : visit(value);
  };
  return visit(document) as Document;
}

function isOpenObject(node: Node): boolean {
  return isObjectSchema(node) && isNode(node.properties) && node.additionalProperties === undefined;
}

function isObjectSchema({ type, properties }: Node): boolean {
  return type === 'object' || (type === undefined && isNode(properties));
}

/** An `allOf` of objects as one object, what stands beside it included: the properties of all, those of the same name holding together. */
function merged(document: Document, node: Node): Node {
  if (!Array.isArray(node.allOf)) return node;
  const { allOf, ...beside } = node;
  const own: readonly Node[] = beside.properties || beside.required ? [{ ...beside, type: 'object' }] : [];
  const parts: readonly Node[] = [...allOf.map((part) => merged(document, resolved(document, part))), ...own];
  if (!parts.every(isObjectSchema)) return node;
  const closings = parts.flatMap(({ additionalProperties }) =>
    additionalProperties === undefined ? [] : [additionalProperties],
  );
  return {
    ...beside,
    type: 'object',
    properties: mergedProperties(parts),
    required: parts.flatMap(({ required }) => required ?? []),
    ...(closings.length > 0 ? { additionalProperties: closings[0] } : {}),
  };
}

function mergedProperties(parts: readonly Node[]): Node {
  const properties: Record<string, unknown> = {};
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part.properties ?? {}))) {
    properties[name] = Object.hasOwn(properties, name) ? { allOf: [properties[name], schema] } : schema;
  }
  return properties;
}

function mapped(node: Node, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]));
}

function resolved(document: Document, part: unknown): Node {
  const target =
    isNode(part) && typeof part.$ref === 'string' ? at(document, settledPointer(document, pointerOf(part.$ref))) : part;
  return isNode(target) ? target : {};
}

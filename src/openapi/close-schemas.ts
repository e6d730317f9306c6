import type { Document } from 'openapi-backend';
import { isNode, type Node, resolveNode } from './document.ts';
import { below } from './walk-schemas.ts';

/**
 * The document in which every object schema allows no other properties than its own. An `allOf` of objects becomes one object, since each of its
 * parts by itself would refuse what the others bring. What says something of additional properties already stays, and so does what stands below a
 * `not`: closed, it would apply to fewer values, and the whole would refuse fewer.
 */
export function closeSchemas(document: Document): Document {
  /** `above`: the references that were put together into what the node stands in; one that leads back to itself is left as it is. */
  const visit = (node: unknown, above: readonly string[], isNames: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry) => visit(entry, above, false));
    if (!isNode(node)) return node;
    const { whole, references } = isNames ? { whole: node, references: [] } : merged(document, node, above);
    const within = [...above, ...references];
    const visited = Object.entries(whole).map(([key, value]) => {
      const what = below(key, isNames);
      const isKept = what === 'value' || (key === 'not' && !isNames);
      return [key, isKept ? value : visit(value, within, what === 'names')];
    });
    const result = Object.fromEntries(visited);
    return !isNames && isOpenObject(result) ? { ...result, additionalProperties: false } : result;
  };
  return visit(document, [], false) as Document;
}

function isOpenObject(node: Node): boolean {
  return isObjectSchema(node) && isNode(node.properties) && node.additionalProperties === undefined;
}

function isObjectSchema({ type, properties }: Node): boolean {
  return type === 'object' || (type === undefined && isNode(properties));
}

interface Merged {
  readonly whole: Node;
  /** The references that were put together in it. */
  readonly references: readonly string[];
}

/** An `allOf` of objects as one object, what stands beside it included: the properties of all, those of the same name holding together. */
function merged(document: Document, node: Node, above: readonly string[]): Merged {
  const asItIs = { whole: node, references: [] };
  if (!Array.isArray(node.allOf)) return asItIs;
  const { allOf, ...beside } = node;
  const references = allOf.flatMap((part) => (isNode(part) && typeof part.$ref === 'string' ? [part.$ref] : []));
  if (references.some((reference) => above.includes(reference))) return asItIs;
  const own: readonly Node[] = beside.properties || beside.required ? [{ ...beside, type: 'object' }] : [];
  const inner = allOf.map((part) => merged(document, nodeOf(document, part), [...above, ...references]));
  const parts: readonly Node[] = [...inner.map(({ whole }) => whole), ...own];
  if (!parts.every(isObjectSchema)) return asItIs;
  const closings = parts.flatMap(({ additionalProperties }) =>
    additionalProperties === undefined ? [] : [additionalProperties],
  );
  const whole = {
    ...beside,
    type: 'object',
    properties: mergedProperties(parts),
    required: parts.flatMap(({ required }) => required ?? []),
    ...(closings.length > 0 ? { additionalProperties: closings[0] } : {}),
  };
  return { whole, references: [...references, ...inner.flatMap((one) => one.references)] };
}

function mergedProperties(parts: readonly Node[]): Node {
  const properties: Record<string, unknown> = {};
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part.properties ?? {}))) {
    properties[name] = Object.hasOwn(properties, name) ? { allOf: [properties[name], schema] } : schema;
  }
  return properties;
}

function nodeOf(document: Document, part: unknown): Node {
  const target = resolveNode(document, part);
  return isNode(target) ? target : {};
}

import { type Document, isNode, type Node, resolveNode } from './document.ts';
import { getKind } from './walk-schemas.ts';

/**
 * Returns the document with `additionalProperties: false` in every object schema without `additionalProperties`. Each `allOf` of objects is merged into
 * one object schema, because a closed part would reject the properties of the other parts. Schemas below a `not` stay open: a closed schema matches
 * fewer values, so the `not` would reject fewer values.
 */
export function closeSchemas(document: Document): Document {
  /**
   * `references`: the references whose targets were merged into ancestors of the node. An `allOf` with one of these references is recursive, and it is
   * not merged.
   */
  const visit = (node: unknown, references: readonly string[], isNames: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry) => visit(entry, references, false));
    if (!isNode(node)) return node;
    const merged = isNames ? { schema: node, references: [] } : mergeAllOf(document, node, references);
    const innerReferences = [...references, ...merged.references];
    const entries = Object.entries(merged.schema).map(([key, value]) => {
      const kind = getKind(key, isNames);
      const isUnchanged = kind === 'value' || (key === 'not' && !isNames);
      return [key, isUnchanged ? value : visit(value, innerReferences, kind === 'names')];
    });
    const result = Object.fromEntries(entries);
    const isOpen = isObjectSchema(result) && isNode(result.properties) && result.additionalProperties === undefined;
    return isOpen && !isNames ? { ...result, additionalProperties: false } : result;
  };
  return visit(document, [], false) as Document;
}

function isObjectSchema({ type, properties }: Node): boolean {
  return type === 'object' || (type === undefined && isNode(properties));
}

/** The result of merging several schemas. */
export interface MergedSchema {
  readonly schema: Node;
  /** The references whose targets were merged. */
  readonly references: readonly string[];
}

/**
 * Merges an `allOf` of objects and its sibling keywords into one object schema. If several parts have the same property, its value must be valid in all
 * these parts.
 */
function mergeAllOf(document: Document, node: Node, outerReferences: readonly string[]): MergedSchema {
  const unchanged = { schema: node, references: [] };
  if (!Array.isArray(node.allOf)) return unchanged;
  const { allOf, ...siblings } = node;
  const references = allOf.flatMap((part) => (isNode(part) && typeof part.$ref === 'string' ? [part.$ref] : []));
  if (references.some((reference) => outerReferences.includes(reference))) return unchanged;
  const inner = allOf.map((part) => {
    const target = resolveNode(document, part);
    return mergeAllOf(document, isNode(target) ? target : {}, [...outerReferences, ...references]);
  });
  const own: readonly Node[] = siblings.properties || siblings.required ? [{ ...siblings, type: 'object' }] : [];
  const parts: readonly Node[] = [...inner.map(({ schema }) => schema), ...own];
  if (!parts.every(isObjectSchema)) return unchanged;
  const closed = parts.find(({ additionalProperties }) => additionalProperties !== undefined);
  const schema = {
    ...siblings,
    type: 'object',
    properties: mergeProperties(parts),
    required: parts.flatMap(({ required }) => required ?? []),
    ...(closed && { additionalProperties: closed.additionalProperties }),
  };
  return { schema, references: [...references, ...inner.flatMap((part) => part.references)] };
}

function mergeProperties(parts: readonly Node[]): Node {
  const properties: Record<string, unknown> = {};
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part.properties ?? {}))) {
    properties[name] = Object.hasOwn(properties, name) ? { allOf: [properties[name], schema] } : schema;
  }
  return properties;
}

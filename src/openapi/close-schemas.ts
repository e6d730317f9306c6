import { type Document, isNode, type Node, resolveNode } from './document.ts';
import { getKind } from './walk-schemas.ts';

/**
 * Returns the document with `additionalProperties: false` in every object schema without `additionalProperties`. Each `allOf` of objects is merged into
 * one object schema, because a closed part would reject the properties of the other parts. Schemas below a `not` stay open: a closed schema matches
 * fewer values, so the `not` would reject fewer values. Schemas that depend on a condition stay open too, because the object has other properties.
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
    const distributed = isNames ? merged.schema : distributeAlternatives(document, merged.schema);
    if (distributed !== merged.schema) return visit(distributed, innerReferences, false);
    const entries = Object.entries(merged.schema).map(([key, value]) => {
      const kind = getKind(key, isNames);
      const isUnchanged = kind === 'value' || (OPEN_KEYWORDS.has(key) && !isNames);
      return [key, isUnchanged ? value : visit(value, innerReferences, kind === 'names')];
    });
    const result = Object.fromEntries(entries);
    return isOpen(result) && !isNames ? { ...result, [getClosingKeyword(result)]: false } : result;
  };
  return visit(document, [], false) as Document;
}

/** Keywords whose schemas stay open. */
const OPEN_KEYWORDS = new Set(['not', 'if', 'then', 'else', 'dependentSchemas', 'contains']);

/** Returns the keyword that forbids other properties. Only `unevaluatedProperties` allows the properties of schemas that depend on a condition. */
function getClosingKeyword(schema: Node): string {
  return 'if' in schema || 'dependentSchemas' in schema ? 'unevaluatedProperties' : 'additionalProperties';
}

/**
 * Moves the properties of an object schema into each of its alternatives (`oneOf`, `anyOf`), because a closed alternative would reject these properties.
 * Returns the schema itself if its alternatives have no properties.
 */
function distributeAlternatives(document: Document, node: Node): Node {
  const { oneOf, anyOf, discriminator, ...base } = node;
  const alternatives = oneOf ?? anyOf;
  if (!Array.isArray(alternatives) || (oneOf && anyOf) || !isOpen(base)) return node;
  if (!alternatives.some((alternative) => hasProperties(document, alternative, []))) return node;
  const merged = alternatives.map((alternative) => ({ allOf: [base, alternative] }));
  return { [oneOf ? 'oneOf' : 'anyOf']: merged, ...(discriminator !== undefined && { discriminator }) };
}

function hasProperties(document: Document, node: unknown, ancestors: readonly unknown[]): boolean {
  const schema = resolveNode(document, node);
  if (!isNode(schema) || ancestors.includes(schema)) return false;
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  return isNode(schema.properties) || parts.some((part) => hasProperties(document, part, [...ancestors, schema]));
}

/** Returns whether a schema describes an object and allows undocumented properties only because it does not forbid them. */
function isOpen(schema: Node): boolean {
  const { properties, additionalProperties, unevaluatedProperties } = schema;
  return (
    isObjectSchema(schema) &&
    isNode(properties) &&
    additionalProperties === undefined &&
    unevaluatedProperties === undefined
  );
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
  const { unevaluatedProperties } = parts.find((part) => part.unevaluatedProperties !== undefined) ?? {};
  const schema = {
    ...siblings,
    type: 'object',
    properties: mergeProperties(parts),
    required: parts.flatMap(({ required }) => required ?? []),
    ...(closed && { additionalProperties: closed.additionalProperties }),
    ...(unevaluatedProperties !== undefined && { unevaluatedProperties }),
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

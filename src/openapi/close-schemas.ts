import { type Document, isNode, listNodes, type Node, resolveNode, toNode } from './document.ts';
import { requireKnownValues } from './known-values.ts';
import { getKind } from './walk-schemas.ts';

/**
 * Returns a copy of the document in which object schemas forbid undocumented properties: each object schema without
 * `additionalProperties` gets `additionalProperties: false`.
 * An `allOf` of object schemas is first merged into one schema, because each of them would reject the properties of the
 * others.
 * Schemas in `if`, `then`, `else`, `dependentSchemas` and `contains` stay unchanged, because an object that matches
 * them can have other properties.
 * Schemas in `not` stay unchanged, because a stricter schema would make the `not` less strict.
 * Known values of parameters (`x-known-values`) become an `enum`.
 */
export function closeSchemas(document: Document): Document {
  /**
   * `references`: the `$ref` values whose targets were merged into an ancestor of `node`.
   * An `allOf` with one of them is recursive, and is not merged.
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
    const result = toNode(isNames ? Object.fromEntries(entries) : requireKnownValues(Object.fromEntries(entries)));
    return isOpen(result) && !isNames ? { ...result, [getClosingKeyword(result)]: false } : result;
  };
  return visit(document, [], false) as Document;
}

/** The keywords in whose schemas undocumented properties stay allowed. */
const OPEN_KEYWORDS = new Set(['not', 'if', 'then', 'else', 'dependentSchemas', 'contains']);

/**
 * Returns the keyword that forbids undocumented properties in a schema.
 * A schema with `if` or `dependentSchemas` needs `unevaluatedProperties`: `additionalProperties` would reject the
 * properties that are documented inside these keywords.
 */
function getClosingKeyword(schema: Node): string {
  return 'if' in schema || 'dependentSchemas' in schema ? 'unevaluatedProperties' : 'additionalProperties';
}

/**
 * Moves the properties of an object schema into each of its alternatives (`oneOf`, `anyOf`).
 * Otherwise, each alternative would reject the properties that only the object schema documents.
 * Returns the schema itself if its alternatives have no properties.
 */
function distributeAlternatives(document: Document, node: Node): Node {
  const { oneOf, anyOf, discriminator, ...base } = node;
  const alternatives = oneOf ?? anyOf;
  if (!Array.isArray(alternatives) || (oneOf && anyOf) || !isOpen(base)) return node;
  if (!alternatives.some((alternative) => hasProperties(document, alternative))) return node;
  const merged = alternatives.map((alternative) => ({ allOf: [base, alternative] }));
  return { [oneOf ? 'oneOf' : 'anyOf']: merged, ...(discriminator !== undefined && { discriminator }) };
}

function hasProperties(document: Document, schema: unknown): boolean {
  return listNodes(document, schema).some(({ properties }) => isNode(properties));
}

/**
 * Returns whether a schema describes an object with properties, and has neither `additionalProperties` nor
 * `unevaluatedProperties`.
 */
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
  /** The `$ref` values whose targets were merged into the schema. */
  readonly references: readonly string[];
}

/**
 * Merges the schemas of an `allOf`, and the keywords beside it, into one object schema.
 * If several of these schemas define a property, its value must be valid against all of these definitions.
 * Returns the node unchanged if an entry of `allOf` is not an object schema, or is recursive.
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

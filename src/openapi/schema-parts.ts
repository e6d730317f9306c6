import { formatPointer } from '../util/json-pointer.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, toNode } from './document.ts';

/** A schema that `getSchemaParts` has found, and its JSON Pointer. */
export interface SchemaPart {
  readonly pointer: string;
  readonly node: Node;
}

/** A keyword that combines schemas. */
type PartKeyword = 'allOf' | 'anyOf' | 'oneOf';

/** All keywords that combine schemas. */
export const ALL_PARTS: readonly PartKeyword[] = ['allOf', 'anyOf', 'oneOf'];

/**
 * Returns the schema at a JSON Pointer, and the schemas in its `allOf` at all levels.
 * References are followed, and each schema is returned once.
 * `keywords`: other keywords to follow, for example also `oneOf` (default: only `allOf`).
 * `visited`: the JSON Pointers of schemas to leave out.
 */
export function getSchemaParts(
  document: Document,
  schema: string,
  keywords: readonly PartKeyword[] = ['allOf'],
  visited = new Set<string>(),
): readonly SchemaPart[] {
  const pointer = resolvePointer(document, schema);
  if (visited.has(pointer)) return [];
  visited.add(pointer);
  const node = toNode(getNode(document, pointer));
  const inner = keywords.flatMap((keyword) => {
    const list = node[keyword];
    return Array.isArray(list) ? [...list.keys()].map((index) => `${pointer}/${keyword}/${index}`) : [];
  });
  return [{ pointer, node }, ...inner.flatMap((part) => getSchemaParts(document, part, keywords, visited))];
}

/**
 * Returns the types that a schema allows; an empty array if the schema allows all types.
 * `parts`: the result of `getSchemaParts`.
 */
export function getPartTypes(parts: readonly SchemaPart[]): readonly unknown[] {
  return parts.flatMap(({ node }) => node.type ?? []);
}

/**
 * Returns the JSON Pointers of the property schemas of a schema, by property name.
 * `parts`: the result of `getSchemaParts`.
 */
export function getPartProperties(parts: readonly SchemaPart[]): ReadonlyMap<string, string> {
  return new Map(
    parts.flatMap(({ pointer, node }) =>
      Object.keys(toNode(node.properties)).map((name) => [name, `${pointer}/properties${formatPointer(name)}`]),
    ),
  );
}

/**
 * Returns the JSON Pointer of the `items` of an array schema; undefined if there is none.
 * `parts`: the result of `getSchemaParts`.
 */
export function getPartItems(parts: readonly SchemaPart[]): string | undefined {
  const part = parts.find(({ node }) => isNode(node.items));
  return part && `${part.pointer}/items`;
}

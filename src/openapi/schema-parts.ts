import { formatPointer } from '../util/json-pointer.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, toNode } from './document.ts';

/** A schema, or a part of its `allOf`, and its JSON Pointer. */
export interface SchemaPart {
  readonly pointer: string;
  readonly node: Node;
}

/** The keywords whose schemas are parts of a schema. `allOf`: the parts that apply to each value. */
type PartKeyword = 'allOf' | 'anyOf' | 'oneOf';

/** The keywords whose schemas can apply to a value. */
export const ALL_PARTS: readonly PartKeyword[] = ['allOf', 'anyOf', 'oneOf'];

/** Returns the schema at a JSON Pointer and its parts, with references followed. */
export function getSchemaParts(
  document: Document,
  schema: string,
  keywords: readonly PartKeyword[] = ['allOf'],
  ancestors: readonly string[] = [],
): readonly SchemaPart[] {
  const pointer = resolvePointer(document, schema);
  if (ancestors.includes(pointer)) return [];
  const node = toNode(getNode(document, pointer));
  const below = [...ancestors, pointer];
  const inner = keywords.flatMap((keyword) => {
    const list = node[keyword];
    return Array.isArray(list) ? [...list.keys()].map((index) => `${pointer}/${keyword}/${index}`) : [];
  });
  return [{ pointer, node }, ...inner.flatMap((part) => getSchemaParts(document, part, keywords, below))];
}

/** Returns the types that a schema allows; an empty array if it allows all. */
export function getPartTypes(parts: readonly SchemaPart[]): readonly unknown[] {
  return parts.flatMap(({ node }) => node.type ?? []);
}

/** Returns the JSON Pointers of the properties of a schema by name. */
export function getPartProperties(parts: readonly SchemaPart[]): ReadonlyMap<string, string> {
  return new Map(
    parts.flatMap(({ pointer, node }) =>
      Object.keys(toNode(node.properties)).map((name) => [name, `${pointer}/properties${formatPointer(name)}`]),
    ),
  );
}

/** Returns the JSON Pointer of the schema of the entries of an array. */
export function getPartItems(parts: readonly SchemaPart[]): string | undefined {
  const part = parts.find(({ node }) => isNode(node.items));
  return part && `${part.pointer}/items`;
}

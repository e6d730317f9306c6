import { getNode, resolvePointer, toNode } from '../../openapi/document.ts';
import type { Children, Derived } from '../resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The maximum number of alternatives in each other. */
const MAX_DEPTH = 2;

/** Returns the alternatives of a schema: those of its `oneOf` or `anyOf`, else the schema alone. */
export function listVariants(reader: SchemaReader, schema: string, depth = 0): readonly string[] {
  const pointer = resolvePointer(reader.document, schema);
  const node = toNode(getNode(reader.document, pointer));
  const keyword = ['oneOf', 'anyOf'].find((name) => Array.isArray(node[name]));
  if (keyword === undefined || depth > MAX_DEPTH) return [pointer];
  return [...(node[keyword] as unknown[]).keys()].flatMap((index) =>
    listVariants(reader, `${pointer}/${keyword}/${index}`, depth + 1),
  );
}

/**
 * Finds the entries in a list whose items are alternatives: `oneOf: [Post, Author]`.
 * Returns an empty array unless each alternative has the schema of exactly one resource, and no two have the same one.
 * `property`: the name of the list in the response.
 * `items`: the JSON Pointer of the schema of the items.
 */
export function findMixed(
  reader: SchemaReader,
  property: string,
  items: string,
  children: readonly Children[],
): readonly Derived[] {
  const variants = listVariants(reader, items);
  if (variants.length < 2) return [];
  const found = variants.map((schema) => {
    const own = children.filter(({ resource }) => resource.schema !== '' && reader.contains(schema, resource.schema));
    return { schema, own };
  });
  const resources = new Set(found.flatMap(({ own }) => (own.length === 1 ? own : [])));
  if (resources.size < variants.length) return [];
  return found.flatMap(({ schema, own }) =>
    own.map((one) => ({
      ...{ property, children: one, only: undefined, time: undefined },
      shown: { schema, isList: true, isMixed: true },
    })),
  );
}

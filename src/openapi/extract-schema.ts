import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { type Document, getNode, type Node, parseReference, resolvePointer, toNode } from './document.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * The maximum number of schemas in the `$defs` of an extracted schema.
 * If it is reached, a reference to a further schema is replaced by a schema that allows any value.
 */
const MAX_DEFINITIONS = 50;

/** Returns a self-contained copy of the schema at a JSON Pointer. `$defs` has the schemas to which it refers. */
export function extractSchema(document: Document, schema: string): Node {
  const names = new Map<string, string>();
  const definitions: Record<string, Node> = {};
  const replaceReference = (node: Node): Node => {
    if (typeof node.$ref !== 'string') return node;
    const { $ref, ...others } = node;
    const target = resolvePointer(document, parseReference($ref));
    const name = names.get(target) ?? addName(names, target);
    return name === undefined ? others : { ...others, $ref: `#${formatPointer('$defs', name)}` };
  };
  const copy = (pointer: string) => mapNodes(toNode(getNode(document, pointer)), replaceReference);
  const root = copy(resolvePointer(document, schema));
  // `copy` adds the schemas that it finds to `names`, so the loop visits them too.
  for (const [pointer, name] of names) definitions[name] = copy(pointer);
  return names.size === 0 ? root : { ...root, $defs: definitions };
}

/**
 * Adds the schema at a JSON Pointer to `names`.
 * Returns its name: the last segment of the pointer, such as `Pet`.
 * Returns undefined if `names` already has the maximum number of schemas.
 */
function addName(names: Map<string, string>, pointer: string): string | undefined {
  if (names.size >= MAX_DEFINITIONS) return undefined;
  const own = parsePointer(pointer).at(-1) ?? 'schema';
  const known = new Set(names.values());
  const name = known.has(own) ? `${own}-${names.size}` : own;
  names.set(pointer, name);
  return name;
}

import { isNode, type Node } from '../../../src/openapi/document.ts';
import { type Part, readSubschema, type Schema } from './schema-parts.ts';

const KINDS = ['oneOf', 'anyOf'] as const;

/** The maximum number of alternatives that are compared. If there are more, the schemas count as different. */
export const MAX_ALTERNATIVES = 200;

/** Returns whether a schema has alternatives (`oneOf` or `anyOf`). */
export function hasAlternatives(schema: Schema): boolean {
  return schema.some((part) => getKind(part) !== undefined);
}

/** Returns the keyword of a part's alternatives; undefined if it has none. */
export function getKind({ node }: Part): (typeof KINDS)[number] | undefined {
  return KINDS.find((kind) => Array.isArray(node[kind]));
}

/** A schema without `oneOf` and `anyOf`. `name`: the `$ref` of its innermost named alternative; undefined if there is none. */
interface Unfolded {
  readonly schema: Schema;
  readonly name: string | undefined;
}

/**
 * Returns one schema for each combination of alternatives, without `oneOf` and `anyOf`. Omits recursive alternatives. `above`: the JSON Pointers of the
 * enclosing schemas.
 */
export function unfoldAlternatives(
  schema: Schema,
  name: string | undefined,
  above: readonly string[] = [],
): readonly Unfolded[] {
  const part = schema.find((one) => getKind(one) !== undefined);
  const kind = part && getKind(part);
  if (!part || !kind) return [{ schema, name }];
  const rest = schema.map((one) => (one === part ? removeAlternatives(part, kind) : one));
  const way = [...above, part.pointer];
  const found: Unfolded[] = [];
  for (const [place, entry] of (part.node[kind] as readonly unknown[]).entries()) {
    // The caller does not compare schemas with more alternatives.
    if (found.length > MAX_ALTERNATIVES) break;
    const more = readSubschema(part, kind, String(place)).map((one) => copyNullable(part, one));
    if (more.some((one) => way.includes(one.pointer))) continue;
    const own = isNode(entry) && typeof entry.$ref === 'string' ? entry.$ref : name;
    found.push(...unfoldAlternatives([...rest, ...more], own, way));
  }
  return found;
}

/** Makes an alternative nullable if `nullable` is beside `oneOf` or `anyOf`. OpenAPI ignores `nullable` there, but authors expect it to apply. */
function copyNullable({ node }: Part, alternative: Part): Part {
  return node.nullable === true ? { ...alternative, node: { ...alternative.node, nullable: true } } : alternative;
}

function removeAlternatives(part: Part, kind: string): Part {
  const node: Node = Object.fromEntries(Object.entries(part.node).filter(([key]) => key !== kind));
  return { ...part, node, mark: `${part.mark ?? ''}-${kind}` };
}

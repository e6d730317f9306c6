import type { Document } from 'openapi-backend';
import { isNode, type Node, type Obstacle, pointerTo } from './document.ts';

/** Keywords of JSON Schema 2020-12 that neither the checks nor the mock follow: to leave them out silently would let through what they refuse. */
const UNFOLLOWED = new Set([
  'prefixItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentSchemas',
  'dependentRequired',
  'minContains',
  'maxContains',
  '$dynamicRef',
  '$dynamicAnchor',
  '$anchor',
]);

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

/** Keys below which stand values, not schemas. */
export const VERBATIM: ReadonlySet<string> = new Set([
  'example',
  'examples',
  'enum',
  'default',
  'const',
  'x-refused-examples',
]);

/** Keys below which stand names, which may be those of keywords. */
export const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'schemas',
  'parameters',
  'headers',
  'responses',
  '$defs',
]);

/**
 * A document of OpenAPI 3.0 or 3.1 with its schemas in the dialect that all that follow it share, JSON Schema as ajv has it: `nullable` and exclusive
 * bounds of 3.0 as types and numbers. What can't be followed is an obstacle.
 */
export function inOneDialect(document: Document): {
  readonly document: Document;
  readonly obstacles: readonly Obstacle[];
} {
  const obstacles: Obstacle[] = [];
  const visit = (node: unknown, pointer: string, isNames: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry, at) => visit(entry, pointer + pointerTo(String(at)), false));
    if (!isNode(node)) return node;
    const entries = Object.entries(node).map(([key, value]) => {
      const place = pointer + pointerTo(key);
      if (isNames) return [key, visit(value, place, false)];
      if (UNFOLLOWED.has(key)) obstacles.push({ pointer: place, trouble: `is not supported: say it without ${key}` });
      return [key, VERBATIM.has(key) ? value : visit(value, place, NAMED.has(key))];
    });
    const visited = Object.fromEntries(entries);
    return isNames ? visited : translated(visited);
  };
  return { document: visit(document, '', false) as Document, obstacles };
}

/** A schema of OpenAPI 3.0 in the words of JSON Schema; what is no schema has none of these words. */
function translated(node: Node): Node {
  return withNull(withKnownType(withNumericBounds(node)));
}

function withNumericBounds(node: Node): Node {
  if (typeof node.exclusiveMinimum !== 'boolean' && typeof node.exclusiveMaximum !== 'boolean') return node;
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = node;
  return {
    ...rest,
    ...bound('minimum', 'exclusiveMinimum', minimum, exclusiveMinimum),
    ...bound('maximum', 'exclusiveMaximum', maximum, exclusiveMaximum),
  };
}

function bound(name: string, exclusiveName: string, limit: unknown, exclusive: unknown): Node {
  if (typeof exclusive === 'number')
    return { [exclusiveName]: exclusive, ...(limit === undefined ? {} : { [name]: limit }) };
  if (limit === undefined) return {};
  return { [exclusive === true ? exclusiveName : name]: limit };
}

/** Without a type that JSON doesn't have (documents made of older ones have `file`), and without the `required: true` of older schemas. */
function withKnownType(node: Node): Node {
  const isSchema = typeof node.type === 'string' && !('in' in node) && !('schema' in node) && !('content' in node);
  if (!isSchema || (TYPES.has(String(node.type)) && typeof node.required !== 'boolean')) return node;
  const { type, required, ...rest } = node;
  return {
    ...rest,
    ...(TYPES.has(String(type)) ? { type } : {}),
    ...(Array.isArray(required) ? { required } : {}),
  };
}

function withNull(node: Node): Node {
  if (typeof node.nullable !== 'boolean') return node;
  const { nullable, ...rest } = node;
  if (!nullable) return rest;
  if (typeof rest.type === 'string') {
    const choices = Array.isArray(rest.enum) && !rest.enum.includes(null) ? { enum: [...rest.enum, null] } : {};
    return { ...rest, type: [rest.type, 'null'], ...choices };
  }
  // Beside a reference or an alternative OpenAPI 3.0 gives it no meaning; those who write it mean this.
  return ['$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'properties'].some((key) => key in rest)
    ? { anyOf: [rest, { type: 'null' }] }
    : rest;
}

import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { type Document, getNode, getTarget, isNode, type Node, parseReference, toNode } from './document.ts';
import { compilePattern } from './schema-validator.ts';
import { mapNodes } from './walk-schemas.ts';

/** Keywords of JSON Schema 2020-12 that neither validation nor the mock supports. Ignoring them would accept invalid values. */
const UNSUPPORTED_KEYWORDS = new Set([
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

/**
 * Returns an OpenAPI 3.0 or 3.1 document with its schemas in the dialect of ajv: `nullable` and the boolean exclusive bounds of 3.0 become types and
 * numbers. An unsupported keyword is an error. `warnings` are about keywords that were removed because their values are invalid.
 */
export function normalizeSchemas(document: Document) {
  const errors: Issue[] = [];
  const warnings: Issue[] = [];
  const isVersion30 = document.openapi.startsWith('3.0');
  const normalized = mapNodes(document, (node, pointer) => {
    for (const key of Object.keys(node).filter((keyword) => UNSUPPORTED_KEYWORDS.has(keyword))) {
      const message = `is not supported: rewrite the schema without ${key}`;
      errors.push({ pointer: pointer + formatPointer(key), message });
    }
    const invalid = findInvalidKeywords(node);
    // Older documents have booleans.
    for (const key of invalid.filter((name) => !ID_KEYWORDS.has(name) && typeof node[name] !== 'boolean'))
      warnings.push({ pointer: pointer + formatPointer(key), message: INVALID_KEYWORD });
    return normalizeSchema(omitKeys(node, invalid), document, isVersion30);
  });
  return { document: normalized, errors, warnings };
}

/** Other nodes than schemas have none of the keywords that change. */
function normalizeSchema(node: Node, document: Document, isVersion30: boolean): Node {
  // OpenAPI 3.0 ignores the siblings of a reference.
  const schema = isVersion30 && typeof node.$ref === 'string' && !('get' in node) ? removeSiblings(node) : node;
  return normalizeNullable(normalizeDiscriminator(normalizeBounds(schema), document));
}

function removeSiblings({ $ref, nullable }: Node): Node {
  return typeof nullable === 'boolean' ? { $ref, nullable } : { $ref };
}

/** Adds to each alternative the values of the discriminator that select it. Otherwise a value would match several alternatives that are open objects. */
function normalizeDiscriminator(node: Node, document: Document): Node {
  const { oneOf, anyOf, discriminator } = node;
  if (!isNode(discriminator) || typeof discriminator.propertyName !== 'string') return node;
  const name = discriminator.propertyName;
  const mapping = Object.entries(toNode(discriminator.mapping));
  const addValues = (alternative: unknown): unknown => {
    if (!isNode(alternative) || typeof alternative.$ref !== 'string') return alternative;
    const { $ref } = alternative;
    const schema = $ref.slice($ref.lastIndexOf('/') + 1);
    const values = mapping.flatMap(([value, target]) => (target === $ref || target === schema ? [value] : []));
    const own = getNode(getTarget(document, parseReference($ref)), `/properties${formatPointer(name)}`);
    // The property's own values take precedence.
    if (isNode(own) && ['enum', 'const', '$ref'].some((key) => own[key] !== undefined)) return alternative;
    const property = { enum: values.length > 0 ? values : [schema] };
    return { allOf: [alternative, { required: [name], properties: { [name]: property } }] };
  };
  return {
    ...node,
    ...(Array.isArray(oneOf) ? { oneOf: oneOf.map(addValues) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(addValues) } : {}),
  };
}

function normalizeBounds(node: Node): Node {
  return normalizeBound(normalizeBound(node, 'minimum', 'exclusiveMinimum'), 'maximum', 'exclusiveMaximum');
}

function normalizeBound(node: Node, name: string, exclusiveName: string): Node {
  const { [name]: limit, [exclusiveName]: isExclusive, ...rest } = node;
  if (typeof isExclusive !== 'boolean') return node;
  return limit === undefined ? rest : { ...rest, [isExclusive ? exclusiveName : name]: limit };
}

/** Whether the value of a keyword is valid. Documents converted from older versions have `required: true` and `type: file`. */
const KEYWORD_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => (Array.isArray(value) ? value.every(isType) : isType(value)),
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  enum: isFilledArray,
  properties: isNode,
  pattern: (value) => typeof value === 'string' && compilePattern(value) !== undefined,
  format: (value) => typeof value === 'string',
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  uniqueItems: (value) => typeof value === 'boolean',
  allOf: isFilledArray,
  anyOf: isFilledArray,
  oneOf: isFilledArray,
  // Schema ids are removed: references are resolved within the document.
  id: (value) => typeof value !== 'string',
  $id: () => false,
  $schema: () => false,
};

function isType(value: unknown): boolean {
  return typeof value === 'string' && TYPES.has(value);
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isFilledArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

const INVALID_KEYWORD =
  'is ignored because its value is not valid for this keyword: values are accepted that it should refuse';

/** Keywords that are removed without a warning. */
const ID_KEYWORDS = new Set(['id', '$id', '$schema']);

/** Keys of nodes that are not schemas: parameters, headers, media types and security schemes. */
const OTHER_NODE_KEYS = ['in', 'schema', 'content', 'flows', 'scheme', 'responses', 'openIdConnectUrl'];

/** Returns the keywords of a schema that have invalid values. */
function findInvalidKeywords(node: Node): readonly string[] {
  if (OTHER_NODE_KEYS.some((key) => key in node)) return [];
  return Object.keys(node).filter((key) => Object.hasOwn(KEYWORD_CHECKS, key) && !KEYWORD_CHECKS[key]?.(node[key]));
}

function omitKeys(node: Node, keys: readonly string[]): Node {
  return keys.length === 0 ? node : Object.fromEntries(Object.entries(node).filter(([key]) => !keys.includes(key)));
}

function normalizeNullable(node: Node): Node {
  if (typeof node.nullable !== 'boolean') return node;
  const { nullable, ...rest } = node;
  if (!nullable) return rest;
  if ('properties' in rest && !('type' in rest)) return { ...rest, type: ['object', 'null'] };
  if (typeof rest.type === 'string') {
    const choices = Array.isArray(rest.enum) && !rest.enum.includes(null) ? { enum: [...rest.enum, null] } : {};
    return { ...rest, type: [rest.type, 'null'], ...choices };
  }
  // OpenAPI 3.0 gives `nullable` no meaning beside a reference or alternatives. Authors who write it mean this.
  return ['$ref', 'allOf', 'anyOf', 'oneOf', 'enum'].some((key) => key in rest)
    ? { anyOf: [rest, { type: 'null' }] }
    : rest;
}

import type { Document } from 'openapi-backend';
import { pointerTo } from '../util/json-pointer.ts';
import { type DocumentIssue, getNode, isNode, type Node, resolvePointer, toPointer } from './document.ts';
import { expressionOf } from './link-expression.ts';
import { mapNodes } from './walk-schemas.ts';

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

/**
 * A document of OpenAPI 3.0 or 3.1 with its schemas in the dialect that all that follow it share, JSON Schema as ajv has it: `nullable` and exclusive
 * bounds of 3.0 as types and numbers. What can't be followed is an obstacle.
 */
export function normalizeSchemas(document: Document): {
  readonly document: Document;
  readonly obstacles: readonly DocumentIssue[];
  /** Keywords that say nothing, since their values are none; these were left out. */
  readonly slips: readonly DocumentIssue[];
} {
  const obstacles: DocumentIssue[] = [];
  const slips: DocumentIssue[] = [];
  const isOld = document.openapi.startsWith('3.0');
  const plain = mapNodes(document, (node, pointer) => {
    for (const key of Object.keys(node).filter((one) => UNFOLLOWED.has(one))) {
      obstacles.push({ pointer: pointer + pointerTo(key), trouble: `is not supported: say it without ${key}` });
    }
    const kept = wellFormed(node, (key) => slips.push({ pointer: pointer + pointerTo(key), trouble: SAYS_NOTHING }));
    return translated(kept, document, isOld);
  });
  return { document: plain, obstacles, slips };
}

/** A schema of OpenAPI in the words of JSON Schema; what is no schema has none of these words. */
function translated(node: Node, document: Document, isOld: boolean): Node {
  // In OpenAPI 3.0 a reference stands for itself, whatever stands beside it.
  const whole = isOld && typeof node.$ref === 'string' && !('get' in node) ? alone(node) : node;
  return withNull(told(withNumericBounds(whole), document));
}

function alone({ $ref, nullable }: Node): Node {
  return typeof nullable === 'boolean' ? { $ref, nullable } : { $ref };
}

/** Alternatives with a discriminator, each only where its property tells so: those of open objects would all hold at once. */
function told(node: Node, document: Document): Node {
  const { oneOf, anyOf, discriminator } = node;
  if (!isNode(discriminator) || typeof discriminator.propertyName !== 'string') return node;
  const name = discriminator.propertyName;
  const mapping = Object.entries(isNode(discriminator.mapping) ? discriminator.mapping : {});
  const distinct = (one: unknown): unknown => {
    if (!isNode(one) || typeof one.$ref !== 'string') return one;
    const schema = one.$ref.slice(one.$ref.lastIndexOf('/') + 1);
    const values = mapping.flatMap(([value, target]) => (target === one.$ref || target === schema ? [value] : []));
    const own = getNode(document, `${resolvePointer(document, toPointer(one.$ref))}/properties${pointerTo(name)}`);
    // Where the property says itself what it may be, that holds.
    if (isNode(own) && (own.enum !== undefined || own.const !== undefined || own.$ref !== undefined)) return one;
    return {
      allOf: [one, { required: [name], properties: { [name]: { enum: values.length > 0 ? values : [schema] } } }],
    };
  };
  return {
    ...node,
    ...(Array.isArray(oneOf) ? { oneOf: oneOf.map(distinct) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(distinct) } : {}),
  };
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

/** What the value of a keyword has to be; one that is something else says nothing: documents made of older ones have `required: true` and `type: file`. */
const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => (Array.isArray(value) ? value.every(isType) : isType(value)),
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  enum: (value) => Array.isArray(value) && value.length > 0,
  properties: isNode,
  pattern: (value) => typeof value === 'string' && expressionOf(value) !== undefined,
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
  allOf: isFilled,
  anyOf: isFilled,
  oneOf: isFilled,
  // Ids of schemas; references here are all within the document.
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

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

const SAYS_NOTHING = 'says nothing, since its value is none that it may have: what it was to refuse is let through';

/** Ids are left out without a word, and what older documents have. */
const UNTOLD = new Set(['id', '$id', '$schema']);

/** A schema without keywords whose values are none. What is no schema has names of its own: parameters, headers, media types, security schemes. */
function wellFormed(node: Node, tell: (key: string) => void): Node {
  if (['in', 'schema', 'content', 'flows', 'scheme', 'responses', 'openIdConnectUrl'].some((key) => key in node))
    return node;
  const wrong = Object.keys(node).filter((key) => Object.hasOwn(FORMS, key) && !FORMS[key]?.(node[key]));
  for (const key of wrong.filter((one) => !UNTOLD.has(one) && typeof node[one] !== 'boolean')) tell(key);
  return wrong.length === 0 ? node : Object.fromEntries(Object.entries(node).filter(([key]) => !wrong.includes(key)));
}

function withNull(node: Node): Node {
  if (typeof node.nullable !== 'boolean') return node;
  const { nullable, ...rest } = node;
  if (!nullable) return rest;
  if ('properties' in rest && !('type' in rest)) return { ...rest, type: ['object', 'null'] };
  if (typeof rest.type === 'string') {
    const choices = Array.isArray(rest.enum) && !rest.enum.includes(null) ? { enum: [...rest.enum, null] } : {};
    return { ...rest, type: [rest.type, 'null'], ...choices };
  }
  // Beside a reference or an alternative OpenAPI 3.0 gives it no meaning; those who write it mean this.
  return ['$ref', 'allOf', 'anyOf', 'oneOf', 'enum'].some((key) => key in rest)
    ? { anyOf: [rest, { type: 'null' }] }
    : rest;
}

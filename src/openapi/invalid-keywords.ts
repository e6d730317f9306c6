import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { isNode, type Node, omitKeys, toNode } from './document.ts';
import { isValidPattern } from './patterns/pattern.ts';

const COUNT_KEYWORDS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

/** Keywords whose value is a schema. */
const SCHEMA_KEYWORDS = [
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
];

/** Keywords whose value is a list of schemas. */
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];

/** Keywords whose value is an object with a schema for each name. */
const NAMES_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

type Check = (value: unknown) => boolean;

function createChecks(keywords: readonly string[], check: Check): Readonly<Record<string, Check>> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, check]));
}

/**
 * For each schema keyword: a function that returns whether the value of the keyword is valid.
 * Documents converted from older versions can have `required: true` or `type: file`.
 */
const KEYWORD_CHECKS: Readonly<Record<string, Check>> = {
  type: (value) => [value].flat().every((type) => TYPES.has(type)),
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  enum: isFilledArray,
  pattern: (value) => typeof value === 'string' && isValidPattern(value),
  format: (value) => typeof value === 'string',
  ...createChecks(COUNT_KEYWORDS, isCount),
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  uniqueItems: (value) => typeof value === 'boolean',
  items: (value) => isSchema(value) || Array.isArray(value),
  ...createChecks(SCHEMA_KEYWORDS, isSchema),
  ...createChecks(LIST_KEYWORDS, areSchemas),
  ...createChecks(NAMES_KEYWORDS, isNode),
  minContains: isCount,
  maxContains: isCount,
  dependentRequired: (value) => isNode(value) && Object.values(value).every(Array.isArray),
  // Schema ids and anchors are removed, because references to them have been replaced by pointers.
  id: (value) => typeof value !== 'string',
  $id: () => false,
  $schema: () => false,
  $anchor: () => false,
  $dynamicAnchor: () => false,
};

function isSchema(value: unknown): boolean {
  return isNode(value) || typeof value === 'boolean';
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isFilledArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function areSchemas(value: unknown): boolean {
  return isFilledArray(value) && (value as readonly unknown[]).every(isSchema);
}

const NO_SCHEMA = 'is ignored, because it is not a schema: use an object';

/** Returns the warning about a keyword with an invalid value. */
function describeInvalid(keyword: string): string {
  if (['schema', 'items'].includes(keyword) || SCHEMA_KEYWORDS.includes(keyword)) return NO_SCHEMA;
  if (LIST_KEYWORDS.includes(keyword)) return 'is ignored, because it is not a list of schemas: use a list of objects';
  if (NAMES_KEYWORDS.includes(keyword))
    return 'is ignored, because it is not an object with a schema for each name: use such an object';
  return 'is ignored because its value is not valid for this keyword: correct the value';
}

/** Keywords that are removed without a warning. */
const ID_KEYWORDS = new Set(['id', '$id', '$schema', '$anchor', '$dynamicAnchor']);

/** Keys that a schema never has. They belong to parameters, headers, media types, operations and security schemes. */
const OTHER_NODE_KEYS = ['in', 'schema', 'content', 'flows', 'scheme', 'responses', 'openIdConnectUrl'];

/** Matches the JSON Pointers of media types and headers. */
const SCHEMA_HOLDER = /\/(?:content|mediaTypes|headers)\/[^/]+$/;

/** Names of other languages and of formats that documents have as types, and the keywords that they mean. */
const OTHER_TYPES: Readonly<Record<string, Node>> = {
  ...listMeant(['str', 'text', 'char', 'varchar'], { type: 'string' }),
  ...listMeant(['uuid', 'guid'], { type: 'string', format: 'uuid' }),
  ...listMeant(['datetime', 'date-time', 'timestamp'], { type: 'string', format: 'date-time' }),
  ...Object.fromEntries(
    ['date', 'email', 'uri', 'url', 'password'].map((name) => [
      name,
      { type: 'string', format: name === 'url' ? 'uri' : name },
    ]),
  ),
  ...listMeant(['int', 'int32', 'int64', 'long', 'bigint', 'short'], { type: 'integer' }),
  ...listMeant(['float', 'double', 'decimal', 'numeric'], { type: 'number' }),
  ...listMeant(['bool'], { type: 'boolean' }),
  ...listMeant(['list'], { type: 'array' }),
  ...listMeant(['dict', 'map', 'hash', 'json'], { type: 'object' }),
};

function listMeant(names: readonly string[], meant: Node): Readonly<Record<string, Node>> {
  return Object.fromEntries(names.map((name) => [name, meant]));
}

/** Returns a schema with a type of JSON Schema instead of the name of a format, or of a type in another language. */
function replaceOtherType(node: Node, pointer: string, warnings: Issue[]): Node {
  const { type, ...others } = node;
  if (typeof type !== 'string' || TYPES.has(type) || OTHER_NODE_KEYS.some((key) => key in node)) return node;
  const lower = type.toLowerCase();
  const meant = TYPES.has(lower) ? { type: lower } : Object.hasOwn(OTHER_TYPES, lower) ? OTHER_TYPES[lower] : undefined;
  if (!meant) return node;
  const written = Object.entries(meant)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
  const message = `is the unknown ${type}, and is read as ${written}: correct the type`;
  warnings.push({ pointer: `${pointer}/type`, message });
  return { ...meant, ...others };
}

/**
 * Returns a schema without the keywords that have invalid values, and a media type or a header without a schema that is
 * none.
 * Adds a warning for each of them to `warnings`.
 */
export function omitInvalidKeywords(source: Node, pointer: string, warnings: Issue[]): Node {
  const node = replaceOtherType(source, pointer, warnings);
  const isInvalid = (key: string) => Object.hasOwn(KEYWORD_CHECKS, key) && !KEYWORD_CHECKS[key]?.(node[key]);
  const invalid = OTHER_NODE_KEYS.some((key) => key in node)
    ? ['schema'].filter((key) => key in node && !isSchema(node[key]) && SCHEMA_HOLDER.test(pointer))
    : Object.keys(node).filter(isInvalid);
  // `required: true` is common in documents converted from older versions.
  for (const key of invalid.filter((name) => !ID_KEYWORDS.has(name) && typeof node[name] !== 'boolean'))
    warnings.push({ pointer: pointer + formatPointer(key), message: describeInvalid(key) });
  return omitKeys(node, invalid);
}

/**
 * Returns a node in which each value that should be a schema, but is none, is replaced by an empty schema: a property
 * or another schema with a name, or a component.
 * For example, the YAML line `name:` is invalid, because its value is null.
 * Adds a warning for each replaced value to `warnings`.
 */
export function replaceInvalidSchemas(node: Node, pointer: string, warnings: Issue[]): Node {
  const keywords = pointer === '/components' ? ['schemas'] : NAMES_KEYWORDS;
  let changed: Record<string, unknown> | undefined;
  for (const keyword of keywords) {
    const schemas = node[keyword];
    const names = isNode(schemas) ? listInvalid(schemas) : [];
    if (names.length === 0) continue;
    for (const name of names)
      warnings.push({ pointer: pointer + formatPointer(keyword, name), message: 'is not a schema: add a schema' });
    changed ??= { ...node };
    changed[keyword] = { ...toNode(schemas), ...Object.fromEntries(names.map((name) => [name, {}])) };
  }
  return changed ?? node;
}

/** Returns the names whose value is no schema. */
function listInvalid(schemas: Node): readonly string[] {
  const names: string[] = [];
  for (const name in schemas) if (!isSchema(schemas[name])) names.push(name);
  return names;
}

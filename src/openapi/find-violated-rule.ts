import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import type { Violation } from '../util/problem.ts';
import {
  type Document,
  getNode,
  isNode,
  type Node,
  parseReference,
  resolvePointer,
  type SchemaPart,
  toNode,
} from './document.ts';
import { isJsonType } from './media-types.ts';
import type { Route } from './routes.ts';
import { ALL_PARTS, getSchemaParts } from './schema-parts.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * JSON Schema keywords about the properties of an object.
 * The violation is reported for the property, but the keyword is in the schema of the object.
 */
const OBJECT_RULES = [
  'required',
  'dependentRequired',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
];

/**
 * Returns the JSON Pointer of the keyword that a request violates, such as
 * `/components/schemas/Pet/properties/age/minimum`.
 * If the schema does not have this keyword, returns the JSON Pointer of the schema.
 * Returns undefined if the schema is not found.
 */
export function findViolatedRule(document: Document, route: Route, violation: Violation): string | undefined {
  const { in: part, pointer, rule } = violation;
  const steps = parsePointer(pointer);
  if (rule === 'security')
    return [`${route.pointer}/security`, '/security'].find((one) => getNode(document, one) !== undefined);
  if (part !== 'body') return findInParameter(document, route, violation);
  if (pointer === '' && rule === 'required') return `${route.pointer}/requestBody/required`;
  const schemas = Object.entries(route.bodyMedia).flatMap(([type, { schema }]) =>
    schema === undefined ? [] : [{ type, schema }],
  );
  const schema = (schemas.find(({ type }) => isJsonType(type)) ?? schemas[0])?.schema;
  return schema === undefined ? undefined : findInSchema(document, schema, { steps, rule });
}

function findInParameter(document: Document, route: Route, { in: part, pointer, rule }: Violation): string | undefined {
  const [name = '', ...steps] = parsePointer(pointer);
  const parameter = route.parameters.find(
    (one) => one.in === part && (part === 'header' ? one.name.toLowerCase() === name.toLowerCase() : one.name === name),
  );
  if (!parameter) return undefined;
  if (steps.length === 0 && rule === 'required') return `${parameter.pointer}/required`;
  return findInSchema(document, parameter.schema, { steps, rule }) ?? parameter.pointer;
}

/**
 * A value that violates a rule.
 * `steps`: the path to the value in the body or the parameter, as property names and array indexes.
 * `rule`: the JSON Schema keyword.
 */
interface Place {
  readonly steps: readonly string[];
  readonly rule: string;
}

function findInSchema(document: Document, schema: string, { steps, rule }: Place): string | undefined {
  const name = steps.at(-1);
  const isOfObject = name !== undefined && OBJECT_RULES.includes(rule);
  const parts = walk(document, schema, isOfObject ? steps.slice(0, -1) : steps);
  const part =
    parts.find(({ node }) => hasRule(node, rule, name)) ?? parts.find(({ node }) => Object.hasOwn(node, rule));
  if (!part) return parts[0]?.pointer;
  const { [rule]: value } = part.node;
  const index = rule === 'required' && Array.isArray(value) ? value.indexOf(name) : -1;
  return `${part.pointer}${formatPointer(rule)}${index < 0 ? '' : `/${index}`}`;
}

/**
 * Returns whether a schema has the keyword `rule`.
 * For `required`, returns whether the list contains the property `name`.
 */
function hasRule(node: SchemaPart['node'], rule: string, name: string | undefined): boolean {
  return rule === 'required' ? Array.isArray(node.required) && node.required.includes(name) : Object.hasOwn(node, rule);
}

/**
 * Returns the schemas of a value inside another value, including those in `allOf`, `anyOf` and `oneOf`.
 * `schema`: the JSON Pointer of the outer value's schema.
 * `[step, ...rest]`: the path to the inner value, as property names and array indexes.
 */
function walk(document: Document, schema: string, [step, ...rest]: readonly string[]): readonly SchemaPart[] {
  const parts = getSchemaParts(document, schema, ALL_PARTS);
  if (step === undefined) return parts;
  return parts.flatMap(({ pointer, node }) => {
    const child = findChild(node, step);
    return child === undefined ? [] : walk(document, pointer + child, rest);
  });
}

/**
 * Returns the JSON Pointer from `node` to the schema of a property or an array entry, such as `/properties/name`.
 * Returns undefined if there is none.
 * `step`: the property name or the index.
 */
function findChild(node: SchemaPart['node'], step: string): string | undefined {
  if (Object.hasOwn(toNode(node.properties), step)) return formatPointer('properties', step);
  if (/^\d+$/.test(step) && Array.isArray(node.prefixItems) && node.prefixItems[Number(step)] !== undefined)
    return formatPointer('prefixItems', step);
  if (/^\d+$/.test(step) && isNode(node.items)) return '/items';
  return isNode(node.additionalProperties) ? '/additionalProperties' : undefined;
}

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

import { type Document, isObject, list, type Node, type Operation } from './document.ts';
import { findLeaves, isJson, type Leaf, type RequestBody, replaceAt } from './request-body.ts';
import type { Validate } from './validator.ts';

/** A value in a request body that a response must have too. */
export interface Marker {
  readonly name: string;
  readonly value: string | number;
}

/** A body with a value that no other body has. Without a marker if no property can take one. */
export interface MarkedBody {
  readonly body: RequestBody;
  readonly marker?: Marker;
}

/** The depth of properties in a response that are looked for. */
const MAX_DEPTH = 6;

/** Sets a property of a body to a value that no other body has, if the response has the property and it can have the value. */
export function markBody(
  document: Document,
  validate: Validate,
  { body, read, number, fixed }: { body: RequestBody; read: Operation; number: number; fixed: string },
): MarkedBody {
  const known = responseProperties(document, read);
  const leaves = findLeaves(body.value).filter(
    (leaf) => !leaf.isInList && String(leaf.value) !== fixed && !isIdName(leaf),
  );
  // A response without a schema can have any property.
  const places = leaves.flatMap((leaf) => {
    const property = known ? known.get(leaf.name) : { schema: {}, depth: 0 };
    return property ? [{ leaf, ...property, rank: 10 * property.depth + kindRank(leaf) }] : [];
  });
  for (const { leaf, schema } of places.sort((one, other) => one.rank - other.rank)) {
    for (const value of markerValues(leaf, number)) {
      const changed = replaceAt(body.value, leaf.path, value);
      const isValid = validate(body.schema, changed, 'request').length === 0;
      if (isValid && validate(schema, value, 'response').length === 0)
        return { body: { ...body, value: changed }, marker: { name: leaf.name, value } };
    }
  }
  return { body };
}

/** These are often of another entity. */
function isIdName({ name }: Leaf): boolean {
  return ['id', 'gid', 'uuid', 'sid'].includes(name.toLowerCase());
}

/** Texts first, references and types last. */
function kindRank({ name, value }: Leaf): number {
  return (typeof value === 'string' ? 0 : 4) + (/id$|^type$|kind|version|^object$/i.test(name) ? 2 : 0);
}

function markerValues({ value }: Leaf, number: number): readonly (string | number)[] {
  if (typeof value === 'number')
    return [value + number, value - number, 1 + (number % 5)].filter((one) => one !== value);
  return [`Marker ${number}`, `marker${number}`, `marker-${number}.example.com`, `m${number}`];
}

/** A property of a response. */
interface Property {
  readonly schema: unknown;
  /** How deep it is in the response. */
  readonly depth: number;
}

/**
 * Returns the properties of an operation's success responses by name, the outer one if there are several. Returns undefined if the responses have bodies without a
 * schema.
 */
function responseProperties(document: Document, { node }: Operation): ReadonlyMap<string, Property> | undefined {
  const responses = Object.entries((node.responses ?? {}) as Node).filter(([status]) => /^2|default/.test(status));
  const contents = responses.flatMap(([, response]) =>
    Object.entries((document.resolve(response).content ?? {}) as Node),
  );
  const found = new Map<string, Property>();
  if (responses.every(([status]) => status === '204')) return found;
  let schemas = contents.filter(([type]) => isJson(type)).map(([, media]) => (media as Node).schema);
  if (schemas.every((schema) => schema === undefined)) return undefined;
  const seen = new Set<unknown>();
  for (let depth = 0; depth < MAX_DEPTH && schemas.length > 0; depth++) {
    const nodes = schemas.flatMap((schema) => flattenAll(document, schema)).filter((schema) => !seen.has(schema));
    for (const schema of nodes) seen.add(schema);
    schemas = nodes.flatMap((schema) => innerSchemas(document, schema, { found, depth }));
  }
  return found;
}

/** Returns a schema with all of its alternatives and parts. */
function flattenAll(document: Document, schema: unknown, depth = 0): readonly Node[] {
  const node = document.resolve(schema);
  if (depth > MAX_DEPTH) return [node];
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => list(node[keyword]));
  return [node, ...parts.flatMap((part) => flattenAll(document, part, depth + 1))];
}

function innerSchemas(
  document: Document,
  schema: Node,
  { found, depth }: { found: Map<string, Property>; depth: number },
): readonly unknown[] {
  const properties = Object.entries((schema.properties ?? {}) as Node);
  for (const [name, one] of properties)
    if (!found.has(name) && document.resolve(one).readOnly !== true) found.set(name, { schema: one, depth });
  const items = isObject(schema.items) ? [schema.items] : [];
  return [...items, ...properties.map(([, one]) => one)];
}

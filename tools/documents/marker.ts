import { type Document, isObject, list, type Node, type Operation } from './document.ts';
import { isKeyName } from './entity.ts';
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
    (leaf) => !leaf.isInList && String(leaf.value) !== fixed && !isIdName(leaf) && leaf.path.at(-2) !== 'pagination',
  );
  // A response without a schema can have any property.
  const places = leaves.flatMap((leaf) => {
    const properties = known ? findProperties(known, leaf, body.value) : [{ schema: {}, depth: 0 }];
    const [first] = properties;
    return first ? [{ leaf, properties, rank: 10 * first.depth + kindRank(leaf) }] : [];
  });
  for (const { leaf, properties } of places.sort((one, other) => one.rank - other.rank)) {
    for (const value of markerValues(leaf, number)) {
      const changed = replaceAt(body.value, leaf.path, value);
      const isValid = validate(body.schema, changed, 'request').length === 0;
      if (isValid && properties.every(({ schema }) => validate(schema, value, 'response').length === 0))
        return { body: { ...body, value: changed }, marker: { name: leaf.name, value } };
    }
  }
  return { body };
}

/** Returns the properties of a response that a value of a request can be: in an object of the same name, or both in the entity itself. */
function findProperties(known: readonly Property[], { name, path }: Leaf, body: unknown): readonly Property[] {
  const container = path.at(-2);
  const isOwn = container === undefined || WRAPPERS.includes(container) || Object.keys(body as Node).length === 1;
  return known.filter((one) => one.name === name && (one.container === container || (isOwn && one.isOwn)));
}

/** The names of objects that have the properties of an entity. */
const WRAPPERS = ['data', 'attributes'];

/** These are often of another entity. */
function isIdName({ name }: Leaf): boolean {
  return ['id', 'gid', 'uuid', 'sid'].includes(name.toLowerCase());
}

/** Texts first, references and types last. */
function kindRank({ name, value }: Leaf): number {
  return (typeof value === 'string' ? 0 : 4) + (/id$|^type$|kind|version|^object$/i.test(name) ? 2 : 0);
}

function markerValues({ value }: Leaf, number: number): readonly (string | number)[] {
  if (/^https?:/.test(String(value))) return [`https://marker${number}.example.com`];
  if (typeof value === 'number')
    return [value + number, value - number, 1 + (number % 5)].filter((one) => one !== value);
  return [`Marker ${number}`, `marker${number}`, `marker-${number}.example.com`, `m${number}`];
}

/** A property of a response. */
interface Property {
  readonly name: string;
  readonly schema: unknown;
  /** The name of the object or of the list that has it. */
  readonly container?: string | undefined;
  /** Whether it is a property of the entity itself: the objects around it have no ids. */
  readonly isOwn: boolean;
  /** The depth in the response. */
  readonly depth: number;
}

/** A schema in a response. */
interface Place extends Pick<Property, 'container' | 'isOwn'> {
  readonly schema: unknown;
}

/** Returns the properties of an operation's success responses, the outer ones first. Returns undefined if the responses have bodies without a schema. */
function responseProperties(document: Document, { node }: Operation): readonly Property[] | undefined {
  const responses = Object.entries((node.responses ?? {}) as Node).filter(([status]) => /^2|default/.test(status));
  const contents = responses.flatMap(([, response]) =>
    Object.entries((document.resolve(response).content ?? {}) as Node),
  );
  const found: Property[] = [];
  if (responses.every(([status]) => status === '204')) return found;
  const schemas = contents.filter(([type]) => isJson(type)).map(([, media]) => (media as Node).schema);
  if (schemas.every((schema) => schema === undefined)) return undefined;
  let places: readonly Place[] = schemas.map((schema) => ({ schema, isOwn: true }));
  const seen = new Set<unknown>();
  for (let depth = 0; depth < MAX_DEPTH && places.length > 0; depth++) {
    const nodes = places.filter(({ schema }) => !seen.has(document.resolve(schema)));
    for (const { schema } of nodes) seen.add(document.resolve(schema));
    places = nodes.flatMap((place) => innerPlaces(document, place, { found, depth }));
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

function innerPlaces(
  document: Document,
  { schema, container, isOwn }: Place,
  { found, depth }: { found: Property[]; depth: number },
): readonly Place[] {
  const nodes = flattenAll(document, schema);
  const properties = nodes.flatMap((node) => Object.entries((node.properties ?? {}) as Node));
  const hasId = properties.some(([name]) => isKeyName(name));
  for (const [name, one] of properties) {
    const { readOnly, writeOnly } = document.resolve(one);
    if (readOnly !== true && writeOnly !== true) found.push({ name, schema: one, container, isOwn, depth });
  }
  const items = nodes.flatMap((node) => (isObject(node.items) ? [{ schema: node.items, container, isOwn }] : []));
  const inner = properties.map(([name, one]) => ({
    schema: one,
    container: name,
    isOwn: isOwn && (!hasId || WRAPPERS.includes(name)),
  }));
  return [...items, ...inner];
}

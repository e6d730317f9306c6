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
  const leaves = findLeaves(body.value).filter(({ isInList, value }) => !isInList && String(value) !== fixed);
  for (const leaf of [...leaves].sort((one, other) => kindRank(one) - kindRank(other))) {
    // A response without a schema can have any property.
    const property = known === undefined ? {} : known.get(leaf.name);
    for (const value of property === undefined ? [] : markerValues(leaf, number)) {
      const changed = replaceAt(body.value, leaf.path, value);
      const isValid = validate(body.schema, changed, 'request').length === 0;
      if (isValid && validate(property, value, 'response').length === 0)
        return { body: { ...body, value: changed }, marker: { name: leaf.name, value } };
    }
  }
  return { body };
}

/** Texts first, ids and types last. */
function kindRank({ name, value }: Leaf): number {
  const plain = name.toLowerCase();
  return (typeof value === 'string' ? 0 : 4) + (/id$|^type$|kind|version|^object$/.test(plain) ? 2 : 0);
}

function markerValues({ value }: Leaf, number: number): readonly (string | number)[] {
  if (typeof value === 'number')
    return [value + number, value - number, 1 + (number % 5)].filter((one) => one !== value);
  return [`Marker ${number}`, `marker${number}`, `marker-${number}.example.com`, `m${number}`];
}

/**
 * Returns the schemas of the properties in an operation's success responses by name, of the outer properties if there are several. Returns undefined if no response
 * has a schema.
 */
function responseProperties(document: Document, { node }: Operation): ReadonlyMap<string, unknown> | undefined {
  const responses = Object.entries((node.responses ?? {}) as Node).filter(([status]) => /^2|default/.test(status));
  const contents = responses.flatMap(([, response]) =>
    Object.entries((document.resolve(response).content ?? {}) as Node),
  );
  let schemas = contents.filter(([type]) => isJson(type)).map(([, media]) => (media as Node).schema);
  if (schemas.every((schema) => schema === undefined)) return undefined;
  const found = new Map<string, unknown>();
  const seen = new Set<unknown>();
  for (let depth = 0; depth < MAX_DEPTH && schemas.length > 0; depth++) {
    const nodes = schemas.map(document.resolve).filter((schema) => !seen.has(schema));
    for (const schema of nodes) seen.add(schema);
    schemas = nodes.flatMap((schema) => innerSchemas(document, schema, found));
  }
  return found;
}

function innerSchemas(document: Document, schema: Node, found: Map<string, unknown>): readonly unknown[] {
  const properties = Object.entries((schema.properties ?? {}) as Node);
  for (const [name, one] of properties)
    if (!found.has(name) && document.resolve(one).readOnly !== true) found.set(name, one);
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => list(schema[keyword]));
  const items = isObject(schema.items) ? [schema.items] : [];
  return [...parts, ...items, ...properties.map(([, one]) => one)];
}

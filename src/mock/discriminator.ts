import { type Document, getNode, isNode, type Node, parseReference, toNode } from '../openapi/document.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';

const SCHEMAS = '/components/schemas';

/** Returns the name of the discriminator property of a schema; undefined if the schema has no discriminator. */
export function getDiscriminatorName({ discriminator }: Node): string | undefined {
  const name = isNode(discriminator) ? discriminator.propertyName : undefined;
  return typeof name === 'string' ? name : undefined;
}

/**
 * Returns the JSON Pointer of the schema that a value selects with its discriminator property; undefined if there is
 * none.
 */
export function findSubtype(document: Document, schema: Node, value: unknown): string | undefined {
  const name = getDiscriminatorName(schema);
  if (name === undefined || !isNode(value)) return undefined;
  const type = value[name];
  if (typeof type !== 'string') return undefined;
  const target = toPointer(getMapping(schema).find(([key]) => key === type)?.[1] ?? type);
  return isNode(getNode(document, target)) ? target : undefined;
}

/**
 * Returns the value of the discriminator for the schema at a JSON Pointer: a key of the mapping, else the name of the
 * schema.
 */
export function getDiscriminatorValue(schema: Node, pointer: string): string {
  const mapped = getMapping(schema).find(([, target]) => toPointer(target) === pointer);
  return mapped?.[0] ?? pointer.slice(pointer.lastIndexOf('/') + 1);
}

/** Returns the JSON Pointers of the component schemas that extend the component schema at `pointer` with `allOf`. */
export const getSubtypes = (document: Document, pointer: string): readonly string[] =>
  findExtensions(document).get(pointer) ?? [];

const findExtensions = memoizeByObject((document: Document): ReadonlyMap<string, readonly string[]> => {
  const subtypes = new Map<string, string[]>();
  for (const [name, schema] of Object.entries(toNode(getNode(document, SCHEMAS)))) {
    const parts = isNode(schema) && Array.isArray(schema.allOf) ? schema.allOf : [];
    for (const part of parts) {
      if (!isNode(part) || typeof part.$ref !== 'string') continue;
      const base = parseReference(part.$ref);
      subtypes.set(base, [...(subtypes.get(base) ?? []), SCHEMAS + formatPointer(name)]);
    }
  }
  return subtypes;
});

function getMapping({ discriminator }: Node): readonly (readonly [value: string, target: string])[] {
  const mapping = isNode(discriminator) ? Object.entries(toNode(discriminator.mapping)) : [];
  return mapping.flatMap(([value, target]) => (typeof target === 'string' ? [[value, target] as const] : []));
}

/**
 * Returns the JSON Pointer of a target in the `mapping` of a discriminator.
 * The target is a reference or the name of a component schema.
 */
function toPointer(target: string): string {
  return target.includes('#') ? parseReference(target.slice(target.indexOf('#'))) : SCHEMAS + formatPointer(target);
}

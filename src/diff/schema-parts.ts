import { type Document, getNode, isNode, type Node, parseReference } from '../openapi/document.ts';
import { formatPointer } from '../util/json-pointer.ts';

/** A schema of a document, or a part of a schema, with its JSON Pointer. */
export interface Part {
  readonly document: Document;
  readonly pointer: string;
  readonly node: Node;
  /**
   * A text that names the keywords that were added to the schema at the pointer or removed from it; undefined if the
   * keywords are unchanged.
   */
  readonly mark?: string;
}

/**
 * A schema as a list of parts.
 * A value must be valid against all parts.
 */
export type Schema = readonly Part[];

/**
 * The keyword that replaces a reference to another document.
 * Such references are only compared for equality.
 */
export const EXTERNAL_REFERENCE = 'x-elsewhere';

/**
 * Reads the schema at a JSON Pointer as a list of parts: its own keywords, the target of its `$ref`, and each schema in
 * its `allOf`.
 */
export function readSchema(document: Document, pointer: string, seen: readonly string[] = []): Schema {
  const value = getNode(document, pointer);
  // In JSON Schema, `false` is a schema for which no value is valid.
  if (value === false) return [{ document, pointer, node: { enum: [] } }];
  if (!isNode(value) || seen.includes(pointer)) return [];
  const { $ref, allOf, ...own } = value;
  const within = [...seen, pointer];
  const part: Part = { document, pointer, node: own };
  const beside =
    $ref !== undefined && document.openapi.startsWith('3.0') ? { ...part, node: getIntendedSiblings(own) } : part;
  return withNull(beside, [
    ...(typeof $ref === 'string' ? readReference(document, pointer, $ref, within) : []),
    ...(Array.isArray(allOf)
      ? [...allOf.keys()].flatMap((place) => readSchema(document, `${pointer}/allOf/${place}`, within))
      : []),
  ]);
}

/**
 * Returns the keywords beside a `$ref` that authors expect to apply: `nullable`, `readOnly` and `writeOnly`.
 * OpenAPI 3.0 ignores all keywords beside a `$ref`.
 */
function getIntendedSiblings(own: Node): Node {
  return Object.fromEntries(Object.entries(own).filter(([key]) => ['nullable', 'readOnly', 'writeOnly'].includes(key)));
}

function readReference(document: Document, pointer: string, reference: string, seen: readonly string[]): Schema {
  return reference.startsWith('#')
    ? readSchema(document, parseReference(reference), seen)
    : [{ document, pointer, node: { [EXTERNAL_REFERENCE]: reference } }];
}

/**
 * Returns a list with a part and its nested parts.
 * If the part is `nullable`, the nested parts also allow null.
 */
function withNull(own: Part, others: Schema): Schema {
  // A part without keywords of its own is omitted.
  if (Object.keys(own.node).length === 0 && others.length > 0) return others;
  if (own.node.nullable !== true) return [own, ...others];
  return [own, ...others.map((part) => ({ ...part, node: { ...part.node, nullable: true } }))];
}

/** Returns the subschema of a part at some keys, such as `properties` and `name`. */
export function readSubschema({ document, pointer }: Part, ...steps: readonly string[]): Schema {
  return readSchema(document, pointer + formatPointer(...steps));
}

/**
 * Returns a key that identifies a schema.
 * The key does not depend on the references that lead to the schema.
 */
export function createSchemaKey(schema: Schema): string {
  return schema
    .map(({ pointer, node, mark = '' }) => `${pointer}${mark}${node.nullable === true ? '?' : ''}`)
    .join(' ');
}

/** Returns a text that is equal for equal values, regardless of the order of keys. */
export function toCanonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalText).join()}]`;
  if (!isNode(value)) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${toCanonicalText(entry)}`).join()}}`;
}

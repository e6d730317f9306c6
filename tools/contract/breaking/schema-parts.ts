import { type Document, getNode, isNode, type Node, parseReference } from '../../../src/openapi/document.ts';
import { formatPointer } from '../../../src/util/json-pointer.ts';

/** A schema of a document, or a part of one, and its pointer. */
export interface Part {
  readonly document: Document;
  readonly pointer: string;
  readonly node: Node;
  /** The keywords that were split off, which distinguishes the part from the whole schema. */
  readonly mark?: string;
}

/** A schema as parts that must all be valid; without parts any value is valid. */
export type Schema = readonly Part[];

/** A reference to another document, which can only be compared as text. */
export const ELSEWHERE = 'x-elsewhere';

/** Returns the schema at a pointer, with references followed; its `allOf` and the siblings of its `$ref` are parts. */
export function schemaAt(document: Document, pointer: string, seen: readonly string[] = []): Schema {
  const value = getNode(document, pointer);
  // `false` of JSON Schema: no value is valid.
  if (value === false) return [{ document, pointer, node: { enum: [] } }];
  if (!isNode(value) || seen.includes(pointer)) return [];
  const { $ref, allOf, ...own } = value;
  const within = [...seen, pointer];
  const part: Part = { document, pointer, node: own };
  const beside = $ref !== undefined && document.openapi.startsWith('3.0') ? { ...part, node: meantBeside(own) } : part;
  return withNull(beside, [
    ...(typeof $ref === 'string' ? referred(document, pointer, $ref, within) : []),
    ...(Array.isArray(allOf)
      ? [...allOf.keys()].flatMap((place) => schemaAt(document, `${pointer}/allOf/${place}`, within))
      : []),
  ]);
}

/** Returns the siblings of a reference. OpenAPI 3.0 ignores them, but authors intend them. */
function meantBeside(own: Node): Node {
  return Object.fromEntries(Object.entries(own).filter(([key]) => ['nullable', 'readOnly', 'writeOnly'].includes(key)));
}

function referred(document: Document, pointer: string, reference: string, seen: readonly string[]): Schema {
  return reference.startsWith('#')
    ? schemaAt(document, parseReference(reference), seen)
    : [{ document, pointer, node: { [ELSEWHERE]: reference } }];
}

/** Returns a part with its nested parts; if it is `nullable`, each of them allows null as well. */
function withNull(own: Part, others: Schema): Schema {
  // A part that only refers to others is replaced by them.
  if (Object.keys(own.node).length === 0 && others.length > 0) return others;
  if (own.node.nullable !== true) return [own, ...others];
  return [own, ...others.map((part) => ({ ...part, node: { ...part.node, nullable: true } }))];
}

/** Returns the subschema at a key of a part, such as that of a property. */
export function schemaBelow({ document, pointer }: Part, ...steps: readonly string[]): Schema {
  return schemaAt(document, pointer + formatPointer(...steps));
}

/** Returns a key of a schema that does not depend on the reference to it. */
export function keyOf(schema: Schema): string {
  return schema
    .map(({ pointer, node, mark = '' }) => `${pointer}${mark}${node.nullable === true ? '?' : ''}`)
    .join(' ');
}

/** Returns a text that is equal for equal values, regardless of the order of keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isNode(value)) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`).join()}}`;
}

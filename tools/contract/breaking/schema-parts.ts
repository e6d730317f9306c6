import { type Document, getNode, isNode, type Node, parseReference } from '../../../src/openapi/document.ts';
import { formatPointer } from '../../../src/util/json-pointer.ts';

/** A schema of a document, or a part of one, with its place. */
export interface Part {
  readonly document: Document;
  readonly pointer: string;
  readonly node: Node;
  /** What of it was taken apart, so that it isn't taken for the whole. */
  readonly mark?: string;
}

/** A schema as the parts that have to hold together; with none of them anything holds. */
export type Schema = readonly Part[];

/** A reference into another document, which can be compared by its text alone. */
export const ELSEWHERE = 'x-elsewhere';

/** The schema at a pointer: with its references followed, and what stands in its `allOf` and beside its `$ref` as parts. */
export function schemaAt(document: Document, pointer: string, seen: readonly string[] = []): Schema {
  const value = getNode(document, pointer);
  // `false` of JSON Schema: nothing holds.
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

/** In OpenAPI 3.0 a reference stands for itself, whatever stands beside it: but these are written there, and meant. */
function meantBeside(own: Node): Node {
  return Object.fromEntries(Object.entries(own).filter(([key]) => ['nullable', 'readOnly', 'writeOnly'].includes(key)));
}

function referred(document: Document, pointer: string, reference: string, seen: readonly string[]): Schema {
  return reference.startsWith('#')
    ? schemaAt(document, parseReference(reference), seen)
    : [{ document, pointer, node: { [ELSEWHERE]: reference } }];
}

/** The parts together; `nullable` of the part that holds them lets each of them be null too. */
function withNull(own: Part, others: Schema): Schema {
  // What only leads elsewhere is what it leads to.
  if (Object.keys(own.node).length === 0 && others.length > 0) return others;
  if (own.node.nullable !== true) return [own, ...others];
  return [own, ...others.map((part) => ({ ...part, node: { ...part.node, nullable: true } }))];
}

/** The schema at a key of a part, such as that of a property. */
export function schemaBelow({ document, pointer }: Part, ...steps: readonly string[]): Schema {
  return schemaAt(document, pointer + formatPointer(...steps));
}

/** A name for a schema that is the same wherever it is referred to from. */
export function keyOf(schema: Schema): string {
  return schema
    .map(({ pointer, node, mark = '' }) => `${pointer}${mark}${node.nullable === true ? '?' : ''}`)
    .join(' ');
}

/** A value as a text that is the same for equal ones, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isNode(value)) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`).join()}}`;
}

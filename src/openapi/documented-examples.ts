import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, toNode } from './document.ts';
import { mapNodes } from './walk-schemas.ts';

/** An example in a document whose value can be sent in a response: the example of a response, of a header or of a schema. */
export interface DocumentedExample {
  /** The JSON Pointer of the value. */
  readonly pointer: string;
  /** The JSON Pointer of the schema. */
  readonly schema: string;
  readonly value: unknown;
}

/** Returns the examples of responses, headers and schemas in a document. Leaves out the examples of parameters and of request bodies, and values without a schema. */
export const listExamples = memoizeByObject((document: Document): readonly DocumentedExample[] => {
  const examples = new Map<string, DocumentedExample>();
  mapNodes(document, (node, pointer) => {
    if (!('example' in node) && !('examples' in node)) return node;
    if (IN_REQUEST.test(pointer)) return node;
    const found = isNode(node.schema) ? listMediaExamples(document, node, pointer) : listOwnExamples(node, pointer);
    for (const example of found) examples.set(example.pointer, example);
    return node;
  });
  return [...examples.values()];
});

/** Matches the JSON Pointers of parts that only requests have. */
const IN_REQUEST = /\/(?:parameters|requestBody|requestBodies|callbacks|webhooks)\//;

/** Returns the examples of a media type or a header, which has its schema in the keyword `schema`. */
function listMediaExamples(document: Document, { example, examples, ...rest }: Node, pointer: string) {
  const schema = `${pointer}/schema`;
  const own = example === undefined ? [] : [{ pointer: `${pointer}/example`, schema, value: example }];
  // A parameter outside of a request has a name and a place.
  if (typeof rest.in === 'string') return [];
  const named = Object.keys(toNode(examples)).flatMap((name) => {
    const place = `${resolvePointer(document, `${pointer}/examples${formatPointer(name)}`)}/value`;
    const value = getNode(document, place);
    return value === undefined ? [] : [{ pointer: place, schema, value }];
  });
  // Like the mock, uses `example` only if there are no named examples.
  return named.length > 0 ? named : own;
}

/** Returns the examples of a schema: the keyword `example`, or the entries of the keyword `examples` (JSON Schema 2020-12). */
function listOwnExamples({ example, examples }: Node, schema: string): readonly DocumentedExample[] {
  const list = Array.isArray(examples) ? examples : [];
  const several = list.map((value, index) => ({ pointer: `${schema}/examples/${index}`, schema, value }));
  return example === undefined ? several : [{ pointer: `${schema}/example`, schema, value: example }, ...several];
}

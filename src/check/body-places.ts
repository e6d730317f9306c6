import { type Document, getPart, isNode, listSchemas, type Node, type SchemaPart } from '../openapi/document.ts';
import { decodeStep, formatPointer } from '../util/json-pointer.ts';

/**
 * Returns a place in a response with `*` for what a server generates: the indices of lists, and the keys of maps.
 * So `body/scores/ann` ends with `/*` if the schema of `scores` has `additionalProperties`.
 * `schema`: the JSON Pointer of the schema of the body; undefined if there is none.
 */
export function generalizePlace(document: Document, schema: string | undefined, where: string): string {
  const [part = '', ...steps] = where.split('/');
  let schemas = schema !== undefined && part === 'body' ? [getPart(document, schema)] : [];
  const shown = steps.map((step) => {
    const parts = schemas.flatMap((one) => listSchemas(document, one, ['allOf', 'oneOf', 'anyOf']));
    const name = decodeStep(step);
    const named = parts.flatMap((one) => getInner(one, 'properties', name));
    if (named.length > 0) {
      schemas = named;
      return step;
    }
    const entries = parts.flatMap((one) => getInner(one, 'items'));
    const values = parts.flatMap((one) => [...getInner(one, 'additionalProperties'), ...getPatterns(one)]);
    const isIndex = /^\d+$/.test(step);
    schemas = isIndex && entries.length > 0 ? entries : values;
    return isIndex || values.length > 0 ? '*' : step;
  });
  return [part, ...shown].join('/');
}

/** Returns the schema at a keyword, or at a name in a keyword; an empty list if there is none. */
function getInner({ pointer, node }: SchemaPart, ...keys: readonly string[]): readonly SchemaPart[] {
  let inner: unknown = node;
  for (const key of keys) inner = isNode(inner) && Object.hasOwn(inner, key) ? (inner as Node)[key] : undefined;
  return isNode(inner) ? [{ pointer: pointer + formatPointer(...keys), node: inner }] : [];
}

function getPatterns(part: SchemaPart): readonly SchemaPart[] {
  const { patternProperties } = part.node;
  return Object.keys(isNode(patternProperties) ? patternProperties : {}).flatMap((pattern) =>
    getInner(part, 'patternProperties', pattern),
  );
}

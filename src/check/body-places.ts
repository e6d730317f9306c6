import { type Document, getPart, isNode, listSchemas, type Node, type SchemaPart } from '../openapi/document.ts';
import { decodeStep, formatPointer } from '../util/json-pointer.ts';

/**
 * Returns a place in a response with `*` for what a server generates: the indices of lists, and the keys of maps.
 * So `body/scores/ann` ends with `/*` if the schema of `scores` has `additionalProperties`.
 * `schema`: the JSON Pointer of the schema of the body; undefined if there is none.
 */
export function generalizePlace(document: Document, schema: string | undefined, where: string): string {
  const [part = '', ...steps] = where.split('/');
  const shown = walk(document, part === 'body' ? schema : undefined, steps).map(({ name }) => name);
  return [part, ...shown].join('/');
}

/**
 * Returns the JSON Pointer of the innermost property that a place such as `body/items/0/price` has in a schema.
 * Returns the schema itself if it has no such property.
 */
export function findPlacePointer(document: Document, schema: string, where: string): string {
  const [, ...steps] = where.split('/');
  return walk(document, schema, steps).findLast(({ pointer }) => pointer !== undefined)?.pointer ?? schema;
}

/**
 * Returns the JSON Pointer of a property of an entry, which is the body of a response, or a value in it, as in an
 * envelope or a list.
 * `name`: can lead to the property of an inner object: `address.city`, or `items[].price` for the entries of a list.
 */
export function findPropertyPointer(document: Document, schema: string, name: string): string | undefined {
  const own = findEntryProperty(document, schema, name);
  const [first = '', ...steps] = name.replaceAll('[].', '.0.').split('.');
  const start = own ?? findEntryProperty(document, schema, first);
  return own !== undefined || start === undefined
    ? start
    : findPlacePointer(document, start, `body${formatPointer(...steps)}`);
}

function findEntryProperty(document: Document, schema: string, name: string): string | undefined {
  let schemas = [getPart(document, schema)];
  for (let depth = 0; depth < MAX_ENVELOPES; depth++) {
    const parts = schemas.flatMap((one) => listSchemas(document, one, ALTERNATIVES));
    const [found] = parts.flatMap((one) => getInner(one, 'properties', name));
    if (found) return found.pointer;
    schemas = parts.flatMap((one) => [...getInner(one, 'items'), ...getAll(one, 'properties')]);
  }
  return undefined;
}

/** The maximum depth of an entry in a response: a list in an envelope. */
const MAX_ENVELOPES = 3;

const ALTERNATIVES = ['allOf', 'oneOf', 'anyOf'];

/**
 * Returns the steps of a place in a schema: `*` for what a server generates, and the JSON Pointer of each property that
 * the schema describes.
 */
function walk(document: Document, schema: string | undefined, steps: readonly string[]) {
  let schemas = schema === undefined ? [] : [getPart(document, schema)];
  return steps.map((step): { readonly name: string; readonly pointer?: string | undefined } => {
    const parts = schemas.flatMap((one) => listSchemas(document, one, ALTERNATIVES));
    const named = parts.flatMap((one) => getInner(one, 'properties', decodeStep(step)));
    if (named.length > 0) {
      schemas = named;
      return { name: step, pointer: named[0]?.pointer };
    }
    const entries = parts.flatMap((one) => getInner(one, 'items'));
    const values = parts.flatMap((one) => [...getInner(one, 'additionalProperties'), ...getPatterns(one)]);
    const isIndex = /^\d+$/.test(step);
    schemas = isIndex && entries.length > 0 ? entries : values;
    return { name: isIndex || values.length > 0 ? '*' : step };
  });
}

/** Returns the schema at a keyword, or at a name in a keyword; an empty list if there is none. */
function getInner({ pointer, node }: SchemaPart, ...keys: readonly string[]): readonly SchemaPart[] {
  let inner: unknown = node;
  for (const key of keys) inner = isNode(inner) && Object.hasOwn(inner, key) ? (inner as Node)[key] : undefined;
  return isNode(inner) ? [{ pointer: pointer + formatPointer(...keys), node: inner }] : [];
}

function getPatterns(part: SchemaPart): readonly SchemaPart[] {
  return getAll(part, 'patternProperties');
}

function getAll(part: SchemaPart, keyword: string): readonly SchemaPart[] {
  const named = part.node[keyword];
  return Object.keys(isNode(named) ? named : {}).flatMap((name) => getInner(part, keyword, name));
}

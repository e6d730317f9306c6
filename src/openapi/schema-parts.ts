import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import {
  type Document,
  getPart,
  isNode,
  listSchemas,
  type Node,
  resolvePointer,
  type SchemaPart,
  toNode,
} from './document.ts';
import { createPattern } from './patterns/pattern.ts';

/** A keyword that combines schemas. */
type PartKeyword = 'allOf' | 'anyOf' | 'oneOf';

/** All keywords that combine schemas. */
export const ALL_PARTS: readonly PartKeyword[] = ['allOf', 'anyOf', 'oneOf'];

/**
 * Returns the schema at a JSON Pointer, and the schemas in its `allOf` at all levels.
 * References are followed, and each schema is returned once.
 * `keywords`: other keywords to follow, for example also `oneOf` (default: only `allOf`).
 */
export function getSchemaParts(
  document: Document,
  schema: string,
  keywords: readonly PartKeyword[] = ['allOf'],
): readonly SchemaPart[] {
  const start = getPart(document, resolvePointer(document, schema));
  return listSchemas(document, start, keywords).filter(({ node }) => typeof node.$ref !== 'string');
}

/**
 * Returns the types that a schema allows; an empty array if the schema allows all types.
 * `parts`: the result of `getSchemaParts`.
 */
export function getPartTypes(parts: readonly SchemaPart[]): readonly unknown[] {
  return parts.flatMap(({ node }) => node.type ?? []);
}

/**
 * Returns the JSON Pointers of the property schemas of a schema, by property name.
 * `parts`: the result of `getSchemaParts`.
 */
export function getPartProperties(parts: readonly SchemaPart[]): ReadonlyMap<string, string> {
  return new Map(
    parts.flatMap(({ pointer, node }) =>
      Object.keys(toNode(node.properties)).map((name) => [name, `${pointer}/properties${formatPointer(name)}`]),
    ),
  );
}

/**
 * Returns the JSON Pointer of the `items` of an array schema; undefined if there is none.
 * `parts`: the result of `getSchemaParts`.
 */
export function getPartItems(parts: readonly SchemaPart[]): string | undefined {
  const part = parts.find(({ node }) => isNode(node.items));
  return part && `${part.pointer}/items`;
}

/** One alternative of a schema: schemas without `oneOf`, `anyOf` and `if`, all of which apply to a value. */
export interface Branch {
  /** The types that the schemas allow. Undefined if they say nothing about the type. */
  readonly types: ReadonlySet<string> | undefined;
  /** Returns the JSON Pointers of the schemas of a property. */
  getProperty(name: string): readonly string[];
  /** Returns the JSON Pointers of the schemas of an array entry. */
  getItem(index: number): readonly string[];
}

/** The maximum number of alternatives of a schema. Further ones are ignored. */
const MAX_BRANCHES = 64;

/** The maximum number of alternatives at all levels that are read for a schema. Further ones are ignored. */
const MAX_LISTED = 2_000;

/**
 * Returns the alternatives of a value to which several schemas apply, at most 64.
 * References are followed.
 * Combines the alternatives of several `oneOf`, `anyOf` and `if`, also of those in `allOf`.
 * `schemas`: the JSON Pointers of the schemas, separated by spaces.
 */
export const getBranches = memoizeByObject((document: Document) => {
  const known = new Map<string, readonly Branch[]>();
  return (schemas: readonly string[]): readonly Branch[] => {
    const key = schemas.length === 1 ? (schemas[0] ?? '') : schemas.join(' ');
    const branches = known.get(key) ?? listAllParts(document, schemas).map(createBranch);
    known.set(key, branches);
    return branches;
  };
});

/** Returns the schemas of each alternative of the schema at a JSON Pointer, at most 64. References are followed. */
export function getBranchParts(document: Document, schema: string): readonly Parts[] {
  return listAllParts(document, [schema]);
}

type Parts = readonly SchemaPart[];

function listAllParts(document: Document, schemas: readonly string[]): readonly Parts[] {
  return listParts(document, schemas, { around: new Set(), budget: { left: MAX_LISTED } });
}

/**
 * Where a list of alternatives is read.
 * `around`: the schemas that are being listed, at which a recursion ends.
 * `budget`: how many alternatives are still read. Schemas that refer to each other have more than can be read.
 */
interface Listing {
  readonly around: ReadonlySet<Node>;
  readonly budget: { left: number };
}

/** Returns the schemas of each alternative. */
function listParts(document: Document, schemas: readonly string[], { around, budget }: Listing): readonly Parts[] {
  budget.left--;
  const visited = new Set(around);
  const parts = schemas.flatMap((schema) => listSchemas(document, getPart(document, schema), ['allOf'], visited));
  let combined: readonly Parts[] = [parts];
  for (const alternatives of parts.flatMap(listAlternatives)) {
    const lists: Parts[] = [];
    for (const alternative of alternatives) {
      if (lists.length >= MAX_BRANCHES || budget.left <= 0) break;
      lists.push(...listParts(document, alternative, { around: visited, budget }));
    }
    if (lists.length === 0) continue;
    combined = combined.flatMap((one) => lists.map((list) => [...one, ...list])).slice(0, MAX_BRANCHES);
  }
  return combined;
}

/** Returns the alternatives of each `oneOf`, `anyOf` and `if` in a schema, as lists of JSON Pointers. */
function listAlternatives({ pointer, node }: SchemaPart): readonly (readonly (readonly string[])[])[] {
  const unions = ['oneOf', 'anyOf'].flatMap((keyword) => {
    const list = node[keyword];
    return Array.isArray(list) ? [[...list.keys()].map((index) => [`${pointer}/${keyword}/${index}`])] : [];
  });
  if (!isNode(node.if)) return unions;
  const toPointers = (...keywords: readonly string[]) =>
    keywords.filter((keyword) => isNode(node[keyword])).map((keyword) => `${pointer}/${keyword}`);
  return [...unions, [toPointers('if', 'then'), toPointers('else')]];
}

function createBranch(parts: Parts): Branch {
  const properties = new Map<string, readonly string[]>();
  const firstItems = Math.max(
    0,
    ...parts.map(({ node }) => (Array.isArray(node.prefixItems) ? node.prefixItems.length : 0)),
  );
  const items = parts.flatMap((part) => findItem(part, firstItems));
  return {
    types: getTypes(parts),
    getProperty(name) {
      const found = properties.get(name) ?? parts.flatMap((part) => findProperty(part, name));
      // Clients can send any number of different names.
      if (parts.some(({ node }) => Object.hasOwn(toNode(node.properties), name))) properties.set(name, found);
      return found;
    },
    getItem: (index) => (index < firstItems ? parts.flatMap((part) => findItem(part, index)) : items),
  };
}

function findProperty({ pointer, node }: SchemaPart, name: string): readonly string[] {
  const own = Object.hasOwn(toNode(node.properties), name) ? [pointer + formatPointer('properties', name)] : [];
  const matching = Object.keys(toNode(node.patternProperties))
    .filter((pattern) => createPattern(pattern).test(name))
    .map((pattern) => pointer + formatPointer('patternProperties', pattern));
  const found = [...own, ...matching];
  return found.length === 0 && isNode(node.additionalProperties) ? [`${pointer}/additionalProperties`] : found;
}

function findItem({ pointer, node }: SchemaPart, index: number): readonly string[] {
  if (Array.isArray(node.prefixItems) && index < node.prefixItems.length) return [`${pointer}/prefixItems/${index}`];
  return isNode(node.items) ? [`${pointer}/items`] : [];
}

/**
 * Returns the types that all schemas allow.
 * If none has the keyword `type`, returns the types of the allowed values, or the types to which other keywords refer.
 */
function getTypes(parts: Parts): ReadonlySet<string> | undefined {
  const nodes = parts.map(({ node }) => node);
  for (const list of [listTypes, listValueTypes, listKeywordTypes]) {
    const found = nodes.map(list).filter((types) => types !== undefined);
    const [first, ...others] = found.map((types) => new Set(types));
    if (first) return others.reduce(intersect, first);
  }
  return undefined;
}

function intersect(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  const isIn = (types: ReadonlySet<string>, type: string) =>
    types.has(type) || (type === 'integer' && types.has('number'));
  return new Set([...[...one].filter((type) => isIn(other, type)), ...[...other].filter((type) => isIn(one, type))]);
}

function listTypes({ type }: Node): readonly string[] | undefined {
  return type === undefined ? undefined : ([type].flat() as string[]);
}

function listValueTypes(node: Node): readonly string[] | undefined {
  if (Array.isArray(node.enum)) return node.enum.map(getType);
  return 'const' in node ? [getType(node.const)] : undefined;
}

function getType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The types to which keywords refer, for schemas without `type`. */
const KEYWORD_TYPES: Readonly<Record<string, readonly string[]>> = {
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
};

/** The formats of numbers (OpenAPI 3.0, section 4.4). */
const NUMBER_FORMATS: readonly unknown[] = ['int32', 'int64', 'float', 'double'];

/** Returns the types to which the keywords of a schema refer; undefined if there is no such keyword. */
export function listKeywordTypes(node: object): readonly string[] | undefined {
  if ('format' in node && NUMBER_FORMATS.includes(node.format)) return ['number'];
  const types = Object.entries(KEYWORD_TYPES).filter(([, keywords]) => keywords.some((keyword) => keyword in node));
  return types.length === 0 ? undefined : types.map(([type]) => type);
}

/**
 * Returns the JSON Pointer, from a schema, of the only schema in its `allOf`, or of its only alternative that is not
 * null. Returns undefined for other schemas.
 */
export function findOnlyPart({ allOf, anyOf, oneOf, properties }: Node): string | undefined {
  if (properties !== undefined) return undefined;
  const parts = Object.entries({ allOf, anyOf, oneOf }).flatMap(([keyword, list]) =>
    (Array.isArray(list) ? list : []).map((part, index) => ({
      part: toNode(part),
      place: formatPointer(keyword, index),
    })),
  );
  const [only, ...others] = parts.filter(({ part }) => part.type !== 'null');
  return others.length === 0 ? only?.place : undefined;
}

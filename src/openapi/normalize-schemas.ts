import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { isPictureName } from '../util/names.ts';
import { removeContradictions } from './contradictions.ts';
import {
  type Document,
  getNode,
  getTarget,
  isNode,
  type Node,
  omitKeys,
  parseReference,
  resolveNode,
  resolvePointer,
  toNode,
} from './document.ts';
import { omitInvalidKeywords, replaceInvalidSchemas } from './invalid-keywords.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * Converts the schemas of an OpenAPI 3.0, 3.1 or 3.2 document to the JSON Schema dialect of ajv.
 * For example, `nullable` becomes the type `null`, and a boolean `exclusiveMinimum` becomes a number.
 * `warnings`: the keywords and schemas that were removed because of invalid values or contradictions, and the entries
 * of `allOf`, `anyOf` and `oneOf` that were removed because they lead back to their own schema.
 */
export function normalizeSchemas(document: Document): {
  readonly document: Document;
  readonly warnings: readonly Issue[];
} {
  const warnings: Issue[] = [];
  const composed: string[] = [];
  const isVersion30 = document.openapi.startsWith('3.0');
  const normalized = mapNodes(document, (node, pointer) => {
    if (LOOP_KEYWORDS.some((keyword) => Array.isArray(node[keyword]))) composed.push(pointer);
    const possible = removeContradictions(omitInvalidKeywords(node, pointer, warnings), pointer, warnings);
    const valid = replaceInvalidSchemas(possible, pointer, warnings);
    const form = isFileForm(pointer, node) ? { type: 'object' } : renameListFields(valid, pointer);
    return normalizeSchema(markFiles(form, pointer, isVersion30), document, isVersion30);
  });
  const loops = findLoops(document, composed);
  if (loops.length === 0) return { document: normalized, warnings };
  const rest = normalizeSchemas(removeLoops(document, loops));
  const removed = loops.flatMap(({ pointer, message }) => (message === undefined ? [] : { pointer, message }));
  return { ...rest, warnings: [...rest.warnings, ...removed] };
}

/** Returns a copy of the document with the replacements of the loops. */
function removeLoops(document: Document, loops: readonly Loop[]): Document {
  const byPointer = new Map(loops.map((loop) => [loop.pointer, loop]));
  return mapNodes(document, (node, pointer) => {
    const changed = LOOP_KEYWORDS.flatMap((keyword) => {
      const list: unknown = node[keyword];
      if (!Array.isArray(list) || !list.some((_, index) => byPointer.has(`${pointer}/${keyword}/${index}`))) return [];
      const rest = list.flatMap((part, index): readonly unknown[] => {
        const loop = byPointer.get(`${pointer}/${keyword}/${index}`);
        if (!loop) return [part];
        return loop.replacement ? [loop.replacement] : [];
      });
      return [[keyword, rest] as const];
    });
    if (changed.length === 0) return node;
    const kept = changed.filter(([, list]) => list.length > 0);
    return {
      ...omitKeys(
        node,
        changed.map(([keyword]) => keyword),
      ),
      ...Object.fromEntries(kept),
    };
  });
}

/**
 * Returns whether a node is the schema of a `multipart/form-data` body, and has the type `string`.
 * Some documents use `{ type: string, format: binary }` for an uploaded file.
 * But the body is an object with the fields of the form.
 */
function isFileForm(pointer: string, { type }: Node): boolean {
  return type === 'string' && pointer.endsWith('/multipart~1form-data/schema');
}

/** Matches the JSON Pointer of a form in the document, and that of its schema. */
const FORM = /\/(?:multipart~1form-data|application~1x-www-form-urlencoded)(?:\/schema(?:\/(?:all|any|one)Of\/\d+)?)?$/;

/** Matches the name of a field that is a list, as PHP and Rails read it: `photos[]`. */
const LIST_FIELD = /^([^[\]]+)\[\]$/;

/** The keyword of a property with the name of its form field, in a normalized document. */
export const FIELD_NAME = 'fieldName';

/** Renames the fields of a form such as `photos[]` in a schema or in a Media Type Object. Their value is `photos`. */
function renameListFields(node: Node, pointer: string): Node {
  if (!FORM.test(pointer)) return node;
  const { properties, encoding, required } = node;
  const known = toNode(properties);
  const rename = (name: unknown) => {
    const [, own] = LIST_FIELD.exec(String(name)) ?? [];
    return own === undefined || Object.hasOwn(known, own) ? name : own;
  };
  const renameKeys = (values: Node) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [String(rename(name)), value]));
  if (isNode(encoding)) return { ...node, encoding: renameKeys(encoding) };
  if (!isNode(properties) || !Object.keys(properties).some((name) => rename(name) !== name)) return node;
  const marked = Object.entries(properties).map(([name, schema]): [string, unknown] =>
    rename(name) === name || !isNode(schema) ? [name, schema] : [name, { ...schema, [FIELD_NAME]: name }],
  );
  return {
    ...node,
    properties: renameKeys(Object.fromEntries(marked)),
    ...(Array.isArray(required) ? { required: required.map(rename) } : {}),
  };
}

/** Matches the media types of files. */
const FILE_TYPE = /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|pdf|zip)\b/i;

/**
 * Adds `format: binary` to the fields of a multipart form that are files: those whose Encoding Object has the media
 * type of a file, and since OpenAPI 3.1 also those without a type.
 * Documents also omit the type of a text, so only names such as `file` and `avatar` count.
 */
function markFiles(node: Node, pointer: string, isVersion30: boolean): Node {
  if (!pointer.endsWith('/multipart~1form-data') || !isNode(node.schema)) return node;
  const { properties } = node.schema;
  if (!isNode(properties)) return node;
  const marked = Object.entries(properties).map(([name, schema]): [string, unknown] => {
    const type = toNode(toNode(node.encoding)[name]).contentType;
    const isFile = typeof type === 'string' && FILE_TYPE.test(type);
    const allowsAny = !isVersion30 && (isPictureName(name) || FILE_FIELD.test(name));
    return [name, isNode(schema) ? markFile(schema, isFile, allowsAny) : schema];
  });
  return { ...node, schema: { ...node.schema, properties: Object.fromEntries(marked) } };
}

function markFile(schema: Node, isFile: boolean, allowsAny: boolean): Node {
  if (isNode(schema.items)) return { ...schema, items: markFile(schema.items, isFile, allowsAny) };
  const isUntyped = allowsAny && Object.keys(schema).every((key) => ANNOTATIONS.includes(key));
  const isText = schema.type === undefined || schema.type === 'string';
  return isUntyped || (isFile && isText && schema.format === undefined) ? { ...schema, format: 'binary' } : schema;
}

/** Matches the names of form fields that are files. */
const FILE_FIELD = /^(?:files?|uploads?|attachments?|documents?|media)$/i;

/** The keywords that say nothing about the values of a schema. */
const ANNOTATIONS = ['title', 'description', 'fieldName'];

/** Normalizes a schema. Other nodes of the document stay unchanged, because they don't have the keywords of schemas. */
function normalizeSchema(node: Node, document: Document, isVersion30: boolean): Node {
  // OpenAPI 3.0 ignores the siblings of a reference.
  const schema = isVersion30 && typeof node.$ref === 'string' && !('get' in node) ? removeSiblings(node) : node;
  const bounded = normalizeBound(normalizeTuple(schema), 'minimum', 'exclusiveMinimum');
  return normalizeNullable(normalizeDiscriminator(normalizeBound(bounded, 'maximum', 'exclusiveMaximum'), document));
}

function removeSiblings(node: Node): Node {
  const { $ref, nullable } = node;
  // Most references have no siblings. The same node is returned, so that the nodes around it are not copied.
  if (Object.keys(node).length === 1) return node;
  return typeof nullable === 'boolean' ? { $ref, nullable } : { $ref };
}

/**
 * Adds the values of the discriminator, such as `kind: dog`, to the schema of each alternative.
 * So a value can't match several alternatives.
 */
function normalizeDiscriminator(node: Node, document: Document): Node {
  const { oneOf, anyOf, discriminator } = node;
  if (!isNode(discriminator) || typeof discriminator.propertyName !== 'string') return node;
  const name = discriminator.propertyName;
  const mapping = Object.entries(toNode(discriminator.mapping));
  const others = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list.filter(isNode) : []));
  const { defaultMapping } = discriminator;
  const isDefault = ({ $ref }: Node) => [$ref, getSchemaName($ref)].includes(defaultMapping);
  const listValues = ({ $ref }: Node): readonly string[] => {
    const values = mapping.flatMap(([value, target]) =>
      target === $ref || target === getSchemaName($ref) ? [value] : [],
    );
    return values.length > 0 ? values : [getSchemaName($ref)];
  };
  const addValues = (alternative: unknown): unknown => {
    if (!isNode(alternative) || typeof alternative.$ref !== 'string') return alternative;
    const { $ref } = alternative;
    if (isDefault(alternative)) {
      // Values without the property, or with a value that no other alternative has, are of this alternative.
      const taken = others.filter((other) => typeof other.$ref === 'string' && !isDefault(other)).flatMap(listValues);
      return taken.length === 0
        ? alternative
        : { allOf: [alternative, { not: { required: [name], properties: { [name]: { enum: taken } } } }] };
    }
    const schema = getSchemaName($ref);
    const values = mapping.flatMap(([value, target]) => (target === $ref || target === schema ? [value] : []));
    const own = getNode(getTarget(document, parseReference($ref)), `/properties${formatPointer(name)}`);
    const known = isNode(own) ? resolveNode(document, own) : undefined;
    const hasValues = isNode(known) && ['enum', 'const'].some((key) => known[key] !== undefined);
    // Values in the schema of the property take precedence over the name of the alternative, and over a mapping to
    // other values.
    if (hasValues && !values.some((value) => [known.enum, known.const].flat().includes(value))) return alternative;
    const property = { enum: values.length > 0 ? values : [schema] };
    return { allOf: [alternative, { required: [name], properties: { [name]: property } }] };
  };
  const alternatives = Object.entries({ oneOf, anyOf }).filter(([, list]) => Array.isArray(list));
  return {
    ...node,
    ...Object.fromEntries(alternatives.map(([key, list]) => [key, (list as unknown[]).map(addValues)])),
  };
}

/** Returns the last segment of a reference: the name of a component schema. */
function getSchemaName(reference: unknown): string {
  return String(reference).slice(String(reference).lastIndexOf('/') + 1);
}

/** Converts `items` with an array of schemas, as in earlier drafts of JSON Schema, to the keywords of draft 2020-12. */
function normalizeTuple(node: Node): Node {
  if (!Array.isArray(node.items)) return node;
  const { items, additionalItems, ...rest } = node;
  return {
    ...rest,
    ...(items.length > 0 && { prefixItems: items }),
    ...(additionalItems !== undefined && { items: additionalItems }),
  };
}

function normalizeBound(node: Node, name: string, exclusiveName: string): Node {
  const { [name]: limit, [exclusiveName]: isExclusive, ...rest } = node;
  if (typeof isExclusive !== 'boolean') return node;
  return limit === undefined ? rest : { ...rest, [isExclusive ? exclusiveName : name]: limit };
}

function normalizeNullable(node: Node): Node {
  if (typeof node.nullable !== 'boolean') return node;
  const { nullable, ...rest } = node;
  if (!nullable) return rest;
  // A schema in these keywords can refuse null.
  // OpenAPI 3.0 allows null only beside `type`, but authors also intend it beside a reference.
  if (['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'].some((key) => key in rest))
    return { anyOf: [rest, { type: 'null' }] };
  if ('properties' in rest && !('type' in rest)) return { ...rest, type: ['object', 'null'] };
  if (rest.type === undefined) return 'enum' in rest || 'const' in rest ? { anyOf: [rest, { type: 'null' }] } : rest;
  const types = [...new Set([rest.type, 'null'].flat())];
  const choices = Array.isArray(rest.enum) && !rest.enum.includes(null) ? { enum: [...rest.enum, null] } : {};
  return 'const' in rest ? { anyOf: [rest, { type: 'null' }] } : { ...rest, type: types, ...choices };
}

/** The keywords whose entries can lead back to their own schema. */
const LOOP_KEYWORDS = ['allOf', 'anyOf', 'oneOf'] as const;

/** An entry of `allOf`, `anyOf` or `oneOf`. */
interface Edge {
  readonly keyword: (typeof LOOP_KEYWORDS)[number];
  /** The JSON Pointer of the entry. */
  readonly pointer: string;
  /** The JSON Pointer of the schema to which the entry refers, or of the entry itself. */
  readonly target: string;
}

/** An entry through which a schema contains itself, and what the server uses instead. */
interface Loop {
  /** The JSON Pointer of the entry. */
  readonly pointer: string;
  /** The schema in place of the entry. Undefined if the entry is left out. */
  readonly replacement: Node | undefined;
  /** The warning about the entry. Undefined if the entry needs no change. */
  readonly message: string | undefined;
}

/**
 * Returns the entries of `allOf`, `anyOf` and `oneOf` through which a schema contains itself.
 * Many documents have a schema that lists its subtypes in `oneOf`, and subtypes that extend this schema with `allOf`.
 * These subtypes extend the schema without its `oneOf`.
 * Other entries that lead back are left out.
 * `composed`: the JSON Pointers of all schemas with one of these keywords.
 */
function findLoops(document: Document, composed: readonly string[]): readonly Loop[] {
  const visited = new Set<string>();
  const loops = new Map<string, Loop>();
  /** Each schema of `around` contains the next one through the edge with the same index. */
  const visit = (schema: string, around: readonly string[], edges: readonly Edge[]): void => {
    const start = around.indexOf(schema);
    if (start !== -1) {
      const loop = createLoop(document, edges.slice(start));
      loops.set(loop.pointer, loop);
    }
    if (visited.has(schema)) return;
    visited.add(schema);
    for (const edge of listEdges(document, schema)) visit(edge.target, [...around, schema], [...edges, edge]);
  };
  for (const pointer of composed) visit(resolvePointer(document, pointer), [], []);
  return [...loops.values()];
}

function listEdges(document: Document, schema: string): readonly Edge[] {
  return LOOP_KEYWORDS.flatMap((keyword) =>
    listParts(document, schema, [keyword]).map((pointer) => ({
      keyword,
      pointer,
      target: resolvePointer(document, pointer),
    })),
  );
}

/** `edges`: those from a schema to itself. */
function createLoop(document: Document, edges: readonly Edge[]): Loop {
  for (const [index, { keyword, pointer, target }] of edges.entries()) {
    const next = edges[(index + 1) % edges.length]?.keyword ?? keyword;
    if (keyword === 'allOf' && next !== 'allOf')
      return {
        pointer,
        replacement: omitKeys(toNode(getNode(document, target)), [next, 'discriminator']),
        message: undefined,
      };
  }
  // One of the entries is a reference. The others are inside the schema that it refers to.
  const { keyword = 'allOf', pointer = '' } = edges.findLast((edge) => edge.pointer !== edge.target) ?? {};
  const message = `is ignored, because this entry of ${keyword} leads back to the schema itself: remove the entry`;
  return { pointer, replacement: keyword === 'allOf' ? {} : undefined, message };
}

/**
 * The maximum number of schemas that a value can be validated against, because a schema contains them at any level:
 * through `allOf`, and through all keywords that apply schemas to the same value.
 * A repeated schema is counted each time, because it is also validated each time.
 */
const MAX_PARTS = { allOf: 1_000, all: 20_000 };

/** A schema that contains too many schemas through one of these keywords is not supported. */
const KINDS = [
  { keywords: ['allOf'], most: MAX_PARTS.allOf, name: 'allOf' },
  {
    keywords: ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
    most: MAX_PARTS.all,
    name: 'allOf, anyOf, oneOf, not and if',
  },
] as const;

/**
 * Returns the schemas that contain too many schemas.
 * This happens with ten levels of schemas if each level contains the next one twice.
 * `composed`: the JSON Pointers of all schemas with a keyword in `COMPOSING_KEYWORDS`.
 */
export function findLargeSchemas(document: Document, composed: readonly string[]): readonly Issue[] {
  for (const { keywords, most, name } of KINDS) {
    const issues = findLarge(document, composed, keywords, most).map(({ pointer, count }) => ({
      pointer,
      message: `contains ${count} schemas through ${name}, but at most ${most} are supported: remove repeated schemas`,
    }));
    if (issues.length > 0) return issues;
  }
  return [];
}

/** The keywords that apply schemas to the same value as the schema around them. */
export const COMPOSING_KEYWORDS: readonly string[] = KINDS[1].keywords;

function findLarge(document: Document, composed: readonly string[], keywords: readonly string[], most: number) {
  const counts = new Map<string, number>();
  const count = (pointer: string): number => {
    const target = resolvePointer(document, pointer);
    const known = counts.get(target);
    if (known !== undefined) return known;
    // A schema that contains itself counts as 0 inside itself.
    counts.set(target, 0);
    const total = listParts(document, target, keywords).reduce((sum, part) => sum + count(part), 1);
    counts.set(target, total);
    return total;
  };
  const isLarge = (pointer: string) => count(pointer) > most;
  return composed
    .filter((pointer) => isLarge(pointer) && !listParts(document, pointer, keywords).some(isLarge))
    .map((pointer) => ({ pointer, count: count(pointer) }));
}

/** The keywords whose value is one schema, not a list. */
const SINGLE_KEYWORDS = ['not', 'if', 'then', 'else'];

/** Returns the JSON Pointers of the schemas in some keywords of a schema. `pointer`: the JSON Pointer of the schema. */
function listParts(document: Document, pointer: string, keywords: readonly string[]): readonly string[] {
  const node = toNode(getNode(document, pointer));
  return keywords.flatMap((keyword) => {
    const value = node[keyword];
    if (Array.isArray(value)) return [...value.keys()].map((index) => `${pointer}/${keyword}/${index}`);
    return SINGLE_KEYWORDS.includes(keyword) && value !== undefined ? [`${pointer}/${keyword}`] : [];
  });
}

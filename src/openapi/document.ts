import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type * as JsYaml from 'js-yaml';
import type { Document } from 'openapi-backend';
import { type Issue, UserError } from '../util/issue.ts';
import { decodeStep, formatPointer } from '../util/json-pointer.ts';
import { findInexactIntegers, isInexactInteger } from '../util/limits.ts';
import { loadPackage } from '../util/load-package.ts';
import { limitList } from '../util/text.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { getKind, isNode, type Node } from './walk-schemas.ts';

export type { Document } from 'openapi-backend';
export { isNode, type Node } from './walk-schemas.ts';

/**
 * Parses an OpenAPI document in YAML or JSON.
 * Throws `UserError` if the text is not an OpenAPI 3.0, 3.1 or 3.2 document.
 * `path`: used in the error message.
 */
export function parseDocument(path: string, text: string): Document {
  return toDocument(path, parseText(path, text));
}

/**
 * Returns a parsed value as an OpenAPI document.
 * Throws `UserError` if the value is not an OpenAPI 3.0, 3.1 or 3.2 document.
 * `path`: used in the error message.
 */
export function toDocument(path: string, value: unknown): Document {
  const document = value as Document | null;
  if (isNode(document) && /^3\.[012]\./.test(String(document.openapi))) return document;
  throw new UserError(`${path} ${describeVersion(toNode(document))}`);
}

/** The complete versions, by their first two numbers. */
const COMPLETE_VERSIONS: Readonly<Record<number, string>> = { 3: '3.0.3', 3.1: '3.1.1', 3.2: '3.2.0' };

/** Tells why a document has no supported version, and what to do. */
function describeVersion({ openapi, swagger }: Node): string {
  const start = 'is not an OpenAPI 3.0, 3.1 or 3.2 document';
  // Swagger 2.0 is converted before.
  if (swagger !== undefined) return `${start}, but Swagger ${swagger}: convert it to Swagger 2.0 or OpenAPI 3`;
  if (/^3\.[3-9]\./.test(String(openapi)))
    return `${start}, but ${openapi}: write "openapi: 3.2.0", and remove what OpenAPI 3.2 does not have`;
  const version = JSON.stringify(openapi);
  // YAML reads 3.1 as a number.
  const complete = COMPLETE_VERSIONS[Number(openapi)];
  if (complete !== undefined) return `has the incomplete version ${version}: write "openapi: ${complete}"`;
  if (openapi !== undefined)
    return `${start}, but has the version ${version}: convert it to OpenAPI 3.1, and write "openapi: 3.1.1"`;
  return `${start}: it must have a version such as "openapi: 3.0.3" at the top level`;
}

/** Parses JSON or YAML, as `parseSource` does. Returns the content. */
export function parseText(path: string, text: string): unknown {
  return parseSource(path, text).content;
}

/**
 * Parses JSON or YAML.
 * Throws a `UserError` for a syntax error.
 * Uses the core schema of YAML 1.2, so `2025-06-01` is a string and not a date.
 * Also supports the merge key `<<` of YAML 1.1, because many documents use it.
 * Examples that JavaScript can't represent exactly are removed, with an issue for each.
 */
export function parseSource(path: string, text: string): ParsedSource {
  const isJson = text.trimStart().startsWith('{');
  try {
    // Large documents are JSON, which JSON.parse reads many times faster than js-yaml.
    if (isJson) return removeInexactData(JSON.parse(text), text);
  } catch {
    // The text may be a YAML flow mapping. If not, js-yaml reports the position.
  }
  const { load, YAMLException } = loadYamlParser();
  try {
    const document = load(text, { schema: getYamlSchema() });
    // Each alias starts with an asterisk. Its name can have almost any characters.
    if (text.includes('*')) checkAliases(path, document);
    return removeInexactData(document, undefined);
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    // An error about the whole file has no position (`mark`), for example if the file has several YAML documents.
    const { mark } = cause as { readonly mark?: { readonly line: number; readonly column: number } };
    const place = mark ? `${path}:${mark.line + 1}:${mark.column + 1}` : path;
    throw new UserError(`${place} is not valid ${isJson ? 'JSON' : 'YAML'}: ${cause.reason}`, { cause });
  }
}

/**
 * The maximum number of values in a document with YAML aliases.
 * A few lines with nested aliases can have billions of values.
 */
const MAX_VALUES = 1_000_000;

/** Throws a `UserError` if aliases create a cycle or too many values. */
function checkAliases(path: string, document: unknown): void {
  const counts = new Map<unknown, number>();
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = counts.get(value);
    if (known !== undefined) return known;
    // The count is Infinity while a value is being counted. A value that contains itself keeps this count.
    counts.set(value, Number.POSITIVE_INFINITY);
    const sum = Object.values(value).reduce<number>((total, inner) => total + count(inner), 1);
    counts.set(value, sum);
    return sum;
  };
  const total = count(document);
  if (total === Number.POSITIVE_INFINITY)
    throw new UserError(`${path} has an alias that refers to its own anchor: remove the cycle`);
  if (total > MAX_VALUES)
    throw new UserError(`${path} has ${total} values after its aliases are resolved: use at most ${MAX_VALUES}`);
}

/**
 * Formats a document as YAML that parsers of YAML 1.1 and 1.2 read in the same way.
 * So strings that look like dates or booleans are quoted.
 */
export function formatYaml(document: Document): string {
  return loadYamlParser().dump(document, { noRefs: true, lineWidth: -1 });
}

/**
 * Formats a document as JSON if its original text is JSON, else as YAML.
 * Formatting JSON is many times faster.
 * `text`: the original text.
 */
export function formatLike(text: string, document: Document): string {
  return text.trimStart().startsWith('{') ? JSON.stringify(document, null, 2) : formatYaml(document);
}

/** The maximum size of a file of a document, in bytes. The largest known public documents have about 40 MB. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Reads the text of the contract file at `path`, as `readContractBytes` does. */
export function readContract(path: string): string {
  return readContractBytes(path).toString();
}

/**
 * Reads the contract file at `path`.
 * Throws `UserError` if the file can't be read, is not a regular file, or is too large.
 * Reading a device or a named pipe could last forever.
 * A size of 0 says nothing: files in `/proc` have it.
 */
export function readContractBytes(path: string): Buffer {
  try {
    // Without the flag, opening a named pipe waits for a writer. Windows does not have the flag.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!fstatSync(file).isFile()) throw new UserError(`${path} can't be read, because it is not a regular file`);
      return readBytes(path, file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'does not exist: check the path' : `can't be read (${code ?? message})`;
    throw new UserError(`${path} ${reason}`, { cause });
  }
}

/** The number of bytes that are read at once. */
const CHUNK_BYTES = 1024 * 1024;

function readBytes(path: string, file: number): Buffer {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    const chunk = Buffer.allocUnsafe(Math.min(Math.max(fstatSync(file).size + 1 - length, 64 * 1024), CHUNK_BYTES));
    const bytes = readSync(file, chunk);
    if (bytes === 0) return Buffer.concat(chunks);
    length += bytes;
    if (length > MAX_FILE_BYTES)
      throw new UserError(`${path} can't be read, because it has more than ${MAX_FILE_BYTES / 1024 / 1024} MB`);
    chunks.push(chunk.subarray(0, bytes));
  }
}

/** The maximum number of issues in a message. */
const MAX_LISTED_ISSUES = 3;

/**
 * Formats the first three issues with their positions, followed by the number of further issues.
 * `locate`: formats the position of a JSON Pointer.
 */
export function formatIssues(locate: (pointer: string) => string, issues: readonly Issue[]): string {
  return limitList(issues, MAX_LISTED_ISSUES, ({ pointer, message }) => `${locate(pointer)} ${message}`).join('; ');
}

/** Returns the value if it is an object, else an empty object. */
export function toNode(value: unknown): Node {
  return isNode(value) ? value : {};
}

/** Returns an object without the given keys. */
export function omitKeys(node: Node, keys: readonly string[]): Node {
  return keys.length === 0 ? node : Object.fromEntries(Object.entries(node).filter(([key]) => !keys.includes(key)));
}

/** Returns an object with only the given keys. */
export function pickKeys(node: Node, keys: readonly string[]): Node {
  return Object.fromEntries(Object.entries(node).filter(([key]) => keys.includes(key)));
}

/** Returns the value at a JSON Pointer (RFC 6901); undefined if there is none. */
export function getNode(document: unknown, pointer: string): unknown {
  let node = document;
  // Creates no array of steps, because the start reads thousands of pointers.
  for (let start = pointer.indexOf('/') + 1; start > 0 && start <= pointer.length; ) {
    const slash = pointer.indexOf('/', start);
    const end = slash === -1 ? pointer.length : slash;
    const step = decodeStep(pointer.slice(start, end));
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
    node = (node as Node)[step];
    start = end + 1;
  }
  return node;
}

/** Returns the JSON Pointer in a reference `#/…`, percent-decoded (RFC 6901, section 6). */
export function parseReference(reference: string): string {
  const pointer = reference.slice(1);
  return tryOrUndefined(() => decodeURIComponent(pointer)) ?? pointer;
}

/** Returns the target if the node is a reference, else the node itself. */
export function resolveNode(document: unknown, node: unknown): unknown {
  return isNode(node) && typeof node.$ref === 'string' ? getTarget(document, parseReference(node.$ref)) : node;
}

/** Returns the value at a JSON Pointer. If the value is a reference, returns its target. */
export function getTarget(document: unknown, pointer: string): unknown {
  return getNode(document, resolvePointer(document, pointer));
}

/**
 * Returns the names of the properties that a schema documents, including those in its `allOf`, `oneOf`, `anyOf`, `if`,
 * `then`, `else` and `dependentSchemas`.
 * References are followed.
 * `schema`: the JSON Pointer of the schema.
 */
export function getPropertyNames(document: unknown, schema: string): readonly string[] {
  const nodes = listNodes(document, getTarget(document, schema), COMPOSITION_KEYWORDS);
  return [...new Set(nodes.flatMap(({ properties }) => Object.keys(toNode(properties))))];
}

/** A schema, and its JSON Pointer. */
export interface SchemaPart {
  readonly pointer: string;
  readonly node: Node;
}

/**
 * Returns a schema, and the schemas that apply to the same value: those in `keywords`, and the targets of references,
 * at all levels.
 * Each schema is returned once, before the schemas inside it, so a schema can contain itself.
 * A schema with a reference is returned too, because OpenAPI 3.1 allows keywords beside `$ref`.
 * `visited`: the schemas to leave out; the returned schemas are added.
 */
export function listSchemas(
  document: unknown,
  schema: SchemaPart,
  keywords: readonly string[] = ['allOf'],
  visited: Set<Node> = new Set(),
): readonly SchemaPart[] {
  const { pointer, node } = schema;
  if (visited.has(node)) return [];
  visited.add(node);
  const inner = keywords.flatMap((keyword) => listInner(pointer, node, keyword));
  if (typeof node.$ref === 'string') inner.push(getPart(document, parseReference(node.$ref)));
  return [schema, ...inner.flatMap((part) => listSchemas(document, part, keywords, visited))];
}

/** Returns the schema at a JSON Pointer, without following a reference. */
export function getPart(document: unknown, pointer: string): SchemaPart {
  return { pointer, node: toNode(getNode(document, pointer)) };
}

function listInner(pointer: string, node: Node, keyword: string): SchemaPart[] {
  const value = node[keyword];
  if (value === undefined) return [];
  const place = `${pointer}/${keyword}`;
  if (keyword !== 'dependentSchemas' && !Array.isArray(value)) return [{ pointer: place, node: toNode(value) }];
  return Object.entries(Array.isArray(value) ? value : toNode(value)).map(([key, inner]) => ({
    pointer: place + formatPointer(key),
    node: toNode(inner),
  }));
}

/** Like `listSchemas`, for a schema whose JSON Pointer is not known. */
export function listNodes(document: unknown, schema: unknown, keywords?: readonly string[]): readonly Node[] {
  if (!isNode(schema)) return [];
  return listSchemas(document, { pointer: '', node: schema }, keywords).map(({ node }) => node);
}

const COMPOSITION_KEYWORDS = ['allOf', 'oneOf', 'anyOf', 'if', 'then', 'else', 'dependentSchemas'];

/**
 * Returns the JSON Pointer of the final target if the value at a JSON Pointer is a reference.
 * For any other value, returns the pointer unchanged.
 */
export function resolvePointer(document: unknown, pointer: string): string {
  const node = getNode(document, pointer);
  return isNode(node) && typeof node.$ref === 'string' ? resolvePointer(document, parseReference(node.$ref)) : pointer;
}

/** Returns the module js-yaml, which is loaded on first use. A server with a precompiled contract does not load it. */
export function loadYamlParser(): typeof JsYaml {
  return loadPackage('js-yaml');
}

/** The types of the standard schemas, which the type definitions of js-yaml lack. */
type StandardTypes = Readonly<Record<'merge' | 'int', JsYaml.Type>>;

let schema: JsYaml.Schema | undefined;

/**
 * Returns the core schema of YAML 1.2, with the merge key of YAML 1.1.
 * An integer that JavaScript can't represent becomes an `InexactNumber`.
 */
function getYamlSchema(): JsYaml.Schema {
  const { CORE_SCHEMA, Type, types } = loadYamlParser() as typeof JsYaml & { readonly types: StandardTypes };
  schema ??= CORE_SCHEMA.extend({
    implicit: [
      types.merge,
      new Type('tag:yaml.org,2002:int', {
        kind: 'scalar',
        resolve: types.int.resolve,
        construct: (text: string) => toExactNumber(text, types.int.construct(text)),
      }),
    ],
  });
  return schema;
}

/**
 * An integer of a YAML file that JavaScript can't represent.
 * It is a part of the parsed content until `removeInexactData` replaces it.
 */
class InexactNumber {
  constructor(readonly text: string) {}
}

/** Returns the value of an integer in YAML. `value`: the number that the parser returns for it. */
function toExactNumber(text: string, value: number): number | InexactNumber {
  const decimal = text.replace(/^\+/, '');
  return /^-?\d+$/.test(decimal) && isInexactInteger(decimal) ? new InexactNumber(decimal) : value;
}

/** The parsed content of a file, and a warning for each example that was removed. */
interface ParsedSource {
  readonly content: unknown;
  readonly issues: readonly Issue[];
}

/**
 * Removes the examples, defaults and allowed values with integers that JavaScript can't represent, because a response
 * would have other numbers.
 * Other integers, such as a `maximum`, are rounded.
 * `json`: the text of the file, if it is JSON.
 */
function removeInexactData(content: unknown, json: string | undefined): ParsedSource {
  const places = json === undefined ? findMarkers(content) : findInexactIntegers(json);
  const rounded = json === undefined && places.length > 0 ? roundMarkers(content) : content;
  // Starts with the last place, because the entries after a removed one get other indexes.
  return places.reduceRight(
    (source: ParsedSource, { path, text }) => {
      const removed = remove(source.content, path, false);
      if (removed === source.content) return source;
      const message = `has the integer ${text}, which JavaScript can't represent exactly, so the server does not use this value: write it as a string`;
      return { content: removed, issues: [{ pointer: formatPointer(...path), message }, ...source.issues] };
    },
    { content: rounded, issues: [] },
  );
}

interface Place {
  readonly path: readonly string[];
  readonly text: string;
}

function findMarkers(content: unknown, path: readonly string[] = []): readonly Place[] {
  if (content instanceof InexactNumber) return [{ path, text: content.text }];
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).flatMap(([key, value]) => findMarkers(value, [...path, key]));
}

function roundMarkers(content: unknown): unknown {
  if (content instanceof InexactNumber) return Number(content.text);
  if (Array.isArray(content)) return content.map(roundMarkers);
  if (!isNode(content)) return content;
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, roundMarkers(value)]));
}

/** The keywords with data for responses, and with the allowed values. */
const DATA_KEYWORDS: readonly string[] = ['example', 'examples', 'default', 'enum'];

/**
 * Returns a copy of a node without the example, default or allowed value at a path.
 * Returns the node itself if the path leads to no such data.
 */
function remove(node: unknown, [key = '', ...rest]: readonly string[], isNames: boolean): unknown {
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return node;
  const child = (node as Node)[key];
  const isKeyword = !Array.isArray(node) && !isNames;
  const isData = isKeyword && DATA_KEYWORDS.includes(key);
  if (isData) return replace(node, key, key === 'example' || key === 'default' ? undefined : removeEntry(child, rest));
  if (isKeyword && getKind(key, false) === 'value') return node;
  const changed = remove(child, rest, isKeyword && getKind(key, false) === 'names');
  return changed === child ? node : replace(node, key, changed);
}

/**
 * Returns `examples` or `enum` without the entry at a path.
 * A named example only loses its value, because references can point to it.
 */
function removeEntry(list: unknown, [key = '', member]: readonly string[]): unknown {
  if (Array.isArray(list)) return list.filter((_, index) => index !== Number(key));
  const value = member === 'dataValue' ? member : 'value';
  return isNode(list) ? { ...list, [key]: replace(list[key] as Node, value, undefined) } : undefined;
}

/** Returns a copy of a node with another child, or without it if `child` is undefined. */
function replace(node: object, key: string, child: unknown): unknown {
  if (Array.isArray(node)) return node.map((entry, index) => (index === Number(key) ? child : entry));
  const { [key]: _old, ...others } = node as Node;
  return child === undefined ? others : { ...node, [key]: child };
}

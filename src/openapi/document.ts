import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, dump, load, YAMLException } from 'js-yaml';
import type { Document } from 'openapi-backend';
import type { Issue } from '../util/issue.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createLocator } from './source-location.ts';

export type { Document } from 'openapi-backend';

/** Thrown for a contract that can't be loaded. `message` says which file, where in it, and what is wrong. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** Parses an OpenAPI document in YAML or JSON. Throws `ContractError`, with `path` in its message, if the text is no OpenAPI 3.0 or 3.1 document. */
export function parseDocument(path: string, text: string): Document {
  const document = parseText(path, text) as Document | null;
  if (isNode(document) && /^3\.[01]\./.test(String(document.openapi))) return document;
  throw new ContractError(
    `${path} is not an OpenAPI 3.0 or 3.1 document: it must have a version such as "openapi: 3.0.3" at the top level`,
  );
}

/** The core schema of YAML 1.2 doesn't turn strings into dates. */
function parseText(path: string, text: string): unknown {
  const isJson = text.trimStart().startsWith('{');
  try {
    // Large documents are JSON, which JSON.parse reads many times faster than js-yaml.
    if (isJson) return JSON.parse(text);
  } catch {
    // The text may be a YAML flow mapping. If not, js-yaml reports the position.
  }
  try {
    const document = load(text, { schema: CORE_SCHEMA });
    // Only an alias can make a cycle, which JSON.stringify refuses with a TypeError.
    if (/[*&]\w/.test(text)) JSON.stringify(document);
    return document;
  } catch (cause) {
    if (cause instanceof TypeError)
      throw new ContractError(`${path} has an alias that refers to its own anchor: remove the cycle`, { cause });
    if (!(cause instanceof YAMLException)) throw cause;
    const { line, column } = cause.mark;
    throw new ContractError(
      `${path}:${line + 1}:${column + 1} is not valid ${isJson ? 'JSON' : 'YAML'}: ${cause.reason}`,
      { cause },
    );
  }
}

/** Formats a document as YAML that YAML 1.1 and 1.2 parsers read alike: strings that look like dates or booleans are quoted. */
export function formatYaml(document: Document): string {
  return dump(document, { noRefs: true, lineWidth: -1 });
}

/** Returns the text of the file at `path`. Throws `ContractError` if it can't be read. */
export function readContract(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new ContractError(`${path} can't be read (${code ?? message})`, { cause });
  }
}

/** The number of issues that a message lists. */
const MAX_LISTED_ISSUES = 3;

/** Formats the first three issues with file, line and column, and counts the others. */
export function formatIssues(path: string, text: string, issues: readonly Issue[]): string {
  const locate = createLocator(path, text);
  return limitList(issues, MAX_LISTED_ISSUES, ({ pointer, message }) => `${locate(pointer)} ${message}`).join('; ');
}

/** An object in a document or a schema. */
export type Node = { readonly [key: string]: unknown };

/** Returns whether a value is an object, and neither an array nor null. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object; else an object without properties. */
export function toNode(value: unknown): Node {
  return isNode(value) ? value : {};
}

/** Returns the value at a JSON Pointer (RFC 6901); undefined if there is none. */
export function getNode(document: unknown, pointer: string): unknown {
  return parsePointer(pointer).reduce<unknown>(
    (node, step) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, step) ? (node as Node)[step] : undefined,
    document,
  );
}

/** Returns the JSON Pointer in a reference `#/…`, percent-decoded (RFC 6901, section 6). */
export function parseReference(reference: string): string {
  const pointer = reference.slice(1);
  return tryOrUndefined(() => decodeURIComponent(pointer)) ?? pointer;
}

/** Returns the target of a reference, or the node itself if it is not a reference. */
export function resolveNode(document: unknown, node: unknown): unknown {
  return isNode(node) && typeof node.$ref === 'string' ? getTarget(document, parseReference(node.$ref)) : node;
}

/** Returns the value at a JSON Pointer; if it is a reference, its final target. */
export function getTarget(document: unknown, pointer: string): unknown {
  return getNode(document, resolvePointer(document, pointer));
}

/** Returns the names of the properties of the schema at a JSON Pointer, following references. */
export function getPropertyNames(document: unknown, schema: string): readonly string[] {
  return Object.keys(toNode(toNode(getTarget(document, schema)).properties));
}

/** Follows references: returns the pointer of the final target, or the pointer itself if there is no `$ref` at it. */
export function resolvePointer(document: unknown, pointer: string): string {
  const node = getNode(document, pointer);
  return isNode(node) && typeof node.$ref === 'string' ? resolvePointer(document, parseReference(node.$ref)) : pointer;
}

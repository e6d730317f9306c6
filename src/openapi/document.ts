import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, dump, load, YAMLException } from 'js-yaml';
import type { Document } from 'openapi-backend';
import { stepsOf } from '../util/json-pointer.ts';

export type { Document } from 'openapi-backend';

/** A contract that can't be read: `message` names the file, the place and what is wrong. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** A place in a document (JSON Pointer) that can't be served, and why: the end of a sentence that begins with the place. */
export interface DocumentIssue {
  readonly pointer: string;
  readonly trouble: string;
}

/** The OpenAPI document in the YAML or JSON text of the file at `path`; throws `ContractError`, with line and column, where it is none. */
export function parseDocument(path: string, text: string): Document {
  const document = parsed(path, text) as Document | null;
  if (isNode(document) && /^3\.[01]\./.test(String(document.openapi))) return document;
  throw new ContractError(
    `${path} is not an OpenAPI document of version 3.0 or 3.1: it has to begin with, say, openapi: 3.0.3`,
  );
}

/** js-yaml reads in 20 ms what the package `yaml` reads in 110, and openapi-backend brings it along. Its core schema makes no dates of texts. */
function parsed(path: string, text: string): unknown {
  try {
    // Large documents come as JSON, which its own parser reads many times as quickly.
    if (text.trimStart().startsWith('{')) return JSON.parse(text);
  } catch {
    // It may be YAML in braces; if not, js-yaml says where.
  }
  try {
    const document = load(text, { schema: CORE_SCHEMA });
    if (/[*&]\w/.test(text)) JSON.stringify(document);
    return document;
  } catch (cause) {
    if (cause instanceof TypeError)
      throw new ContractError(`${path} has an alias that leads back to itself`, { cause });
    if (!(cause instanceof YAMLException)) throw cause;
    const { line, column } = cause.mark;
    throw new ContractError(
      `${path}:${line + 1}:${column + 1} is not ${text.trimStart().startsWith('{') ? 'JSON' : 'YAML'}: ${cause.reason}`,
      { cause },
    );
  }
}

/** A document as YAML that parsers of all versions read alike: texts that look like dates or like booleans of old versions are quoted. */
export function yamlOf(document: Document): string {
  return dump(document, { noRefs: true, lineWidth: -1 });
}

/** The text of the contract's file; throws `ContractError` where it can't be read. */
export function readContract(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new ContractError(`${path} can't be read (${code ?? message})`, { cause });
  }
}

/** How many obstacles a sentence names; the rest are counted. */
const OBSTACLES_TOLD = 3;

/** The longest text in which places are looked for, in characters: a second's work. */
const PLACED_LENGTH = 2_000_000;

/** The fault of a document in which there are obstacles: each with file, line and column, as far as the place is there. */
export async function createContractError(
  path: string,
  text: string,
  obstacles: readonly DocumentIssue[],
): Promise<ContractError> {
  return new ContractError(await formatIssues(path, text, obstacles));
}

/** Obstacles as a sentence: the first of them, each with file, line and column. */
export async function formatIssues(path: string, text: string, obstacles: readonly DocumentIssue[]): Promise<string> {
  const placeOf = await createLocator(path, text);
  const told = obstacles.slice(0, OBSTACLES_TOLD).map(({ pointer, trouble }) => `${placeOf(pointer)} ${trouble}`);
  const rest = obstacles.length - told.length;
  return `${told.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

/** Tells where in the text of a document a node is, by its JSON Pointer: file, line and column, as far as the node is there, and the pointer. */
export async function createLocator(path: string, text: string): Promise<(pointer: string) => string> {
  if (text.length > PLACED_LENGTH) return (pointer) => `${path} #${pointer}`;
  // Some 100 ms, which nobody else is to wait for.
  const { isNode: hasRange, LineCounter, parseDocument: parseWithPlaces } = await import('yaml');
  const lines = new LineCounter();
  const read = parseWithPlaces(text, { lineCounter: lines });
  const placeOf = (steps: readonly string[]): string => {
    const node = read.getIn(steps, true);
    if (!hasRange(node) || !node.range) return steps.length > 0 ? placeOf(steps.slice(0, -1)) : path;
    const { line, col } = lines.linePos(node.range[0]);
    return `${path}:${line}:${col}`;
  };
  return (pointer) => `${placeOf(stepsOf(pointer))} #${pointer}`;
}

/** Any node of a document or a schema. */
export type Node = { readonly [key: string]: unknown };

/** Whether a value is an object with keys: no list, no null. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What `pointer` (JSON Pointer, RFC 6901) leads to in a document; undefined where it leads nowhere. */
export function getNode(document: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>(
    (node, step) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, step) ? (node as Node)[step] : undefined,
    document,
  );
}

/** The pointer of a reference within its document, `#/…`; its percent-encoding is undone (RFC 6901, section 6). */
export function toPointer(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

/** A node, or what it refers to. */
export function resolveNode(document: unknown, node: unknown): unknown {
  return isNode(node) && typeof node.$ref === 'string'
    ? getNode(document, resolvePointer(document, toPointer(node.$ref)))
    : node;
}

/** Where a node of a document really stands: the pointer itself, or that which its `$ref` leads to, over any number of them. */
export function resolvePointer(document: unknown, pointer: string): string {
  const node = getNode(document, pointer);
  return isNode(node) && typeof node.$ref === 'string' ? resolvePointer(document, toPointer(node.$ref)) : pointer;
}

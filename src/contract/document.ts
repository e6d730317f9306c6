import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import type { Document } from 'openapi-backend';

/** A contract that can't be read: `message` names the file, the place and what is wrong. */
export class ContractFault extends Error {
  override readonly name = 'ContractFault';
}

/** The OpenAPI document in the YAML text of the file at `path`; throws `ContractFault`, with line and column, where it is none. */
export function parseDocument(path: string, text: string): Document {
  const document = parsed(path, text) as Document | null;
  if (!document?.openapi?.startsWith('3.0.')) throw new ContractFault(`${path} is not an OpenAPI 3.0 document`);
  return document;
}

/** js-yaml reads in 20 ms what the package `yaml` reads in 110, and openapi-backend brings it along. Its core schema makes no dates of texts. */
function parsed(path: string, text: string): unknown {
  try {
    return load(text, { schema: CORE_SCHEMA });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const { line, column } = cause.mark;
    throw new ContractFault(`${path}:${line + 1}:${column + 1} is not YAML: ${cause.reason}`, { cause });
  }
}

/** The text of the contract's file; throws `ContractFault` where it can't be read. */
export function readContract(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new ContractFault(`${path} can't be read (${code ?? message})`, { cause });
  }
}

/** Any node of a document or a schema. */
export type Node = { readonly [key: string]: unknown };

/** Whether a value is an object with keys: no list, no null. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What `pointer` (JSON Pointer, RFC 6901) leads to in a document; undefined where it leads nowhere. */
export function at(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (isNode(node) && Object.hasOwn(node, step) ? node[step] : undefined), document);
}

/** `steps` as a JSON Pointer. */
export function pointerTo(...steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Where a node of a document really stands: the pointer itself, or that which its `$ref` leads to, over any number of them. */
export function settledPointer(document: unknown, pointer: string): string {
  const node = at(document, pointer);
  return isNode(node) && typeof node.$ref === 'string' ? settledPointer(document, node.$ref.slice(1)) : pointer;
}

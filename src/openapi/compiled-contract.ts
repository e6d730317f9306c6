import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ValidateFunction } from 'ajv';
import { loadPackage } from '../util/load-package.ts';
import { createPattern } from './ajv.ts';
import { type Document, getNode } from './document.ts';
import { formats } from './formats.ts';

/** The documents of a contract that is precompiled. */
export interface CompiledDocuments {
  readonly document: Document;
  readonly normalized: Document;
  readonly warning?: string;
  /** The key of the edit with which the contract was compiled. */
  readonly editKey?: string | undefined;
}

/** A change of a document. `edit` returns an edited copy. `key` identifies the change: edits with the same key have the same result. */
export interface DocumentEdit {
  readonly key: string;
  edit(document: Document): Document;
  /** The names of the component schemas that the edit replaces, if it changes nothing else. All such edits of a document share a compiled form. */
  readonly schemas?: readonly string[];
}

/** The groups of validators: of parameters, of request bodies, of responses (with open or closed schemas), and of the application's state. */
export type ValidatorGroup = 'parameters' | 'request' | 'open' | 'closed' | 'state';

/** The code of the validators of a group, by JSON Pointer of the schema, or by operationId for parameters. Each code is the body of a function that returns the validator. */
export type ValidatorCode = Readonly<Record<string, string>>;

/** A contract that the build has precompiled, so that a start parses no YAML and compiles no schema. */
export interface CompiledContract {
  readonly documents: CompiledDocuments;
  /** Returns the code of all validators of a group. */
  readCode(group: ValidatorGroup): ValidatorCode;
  /** Returns the validator for a JSON Pointer or operationId; undefined if it is not precompiled. */
  getValidator(group: ValidatorGroup, key: string): ValidateFunction | undefined;
}

/** Returns the name of the folder with the compiled form of a contract: a hash of `parts`, which determine the compiled form. */
export function hashContract(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_LENGTH);
}

const HASH_LENGTH = 16;

/** The path of the folder with the compiled contracts: beside the modules of the packaged program. Without a build, it does not exist. */
const COMPILED_FOLDER = fileURLToPath(new URL('compiled', import.meta.url));

/** The compiled forms that have been read, by folder. */
const cache = new Map<string, CompiledContract>();

/** Returns the compiled form of a contract; undefined if the build has not compiled it. `name`: see `hashContract`. */
export function findCompiledContract(name: string, folder = COMPILED_FOLDER): CompiledContract | undefined {
  const path = join(folder, name);
  const compiled = cache.get(path) ?? readCompiledContract(path);
  if (compiled) cache.set(path, compiled);
  return compiled;
}

/** Returns the compiled form of a contract with another edit of the same schemas. It has no validators of what refers to these schemas. */
export function editCompiledContract(compiled: CompiledContract, { key, edit, schemas = [] }: DocumentEdit) {
  const { documents } = compiled;
  if (documents.editKey === key) return compiled;
  const edited = {
    ...documents,
    editKey: key,
    document: edit(documents.document),
    normalized: edit(documents.normalized),
  };
  const targets = schemas.map((name) => `/components/schemas/${name}`);
  const getValidator: CompiledContract['getValidator'] = (group, pointer) =>
    group !== 'parameters' && refersTo(edited.normalized, pointer, targets)
      ? undefined
      : compiled.getValidator(group, pointer);
  return { ...compiled, documents: edited, getValidator };
}

/** Returns whether a node of a document is one of the targets, or refers to one. All are JSON Pointers. */
function refersTo(document: Document, node: string, targets: readonly string[]): boolean {
  const pointers = new Set([node]);
  for (const pointer of pointers) {
    const text = JSON.stringify(getNode(document, pointer) ?? null);
    for (const [, reference = ''] of text.matchAll(/"\$ref":"#(.*?)"/g)) pointers.add(reference);
  }
  return targets.some((target) => pointers.has(target));
}

/** Reads the compiled form of a contract from a folder; undefined if the folder does not exist. */
function readCompiledContract(folder: string): CompiledContract | undefined {
  const readFile = <Value>(file: string): Value | undefined => readIfExists(join(folder, file));
  const documents = readFile<CompiledDocuments>('documents.json');
  if (!documents) return undefined;
  const groups = new Map<ValidatorGroup, ValidatorCode>();
  const validators = new Map<string, ValidateFunction>();
  const readCode = (group: ValidatorGroup): ValidatorCode => {
    const code = groups.get(group) ?? readFile<ValidatorCode>(`${group}.json`) ?? {};
    groups.set(group, code);
    return code;
  };
  return {
    documents,
    readCode,
    getValidator(group, key) {
      const id = `${group} ${key}`;
      const validator = validators.get(id) ?? createValidator(readCode(group)[key]);
      if (validator) validators.set(id, validator);
      return validator;
    },
  };
}

/** Creates a validator from its code, as ajv does. */
function createValidator(code: string | undefined): ValidateFunction | undefined {
  return code === undefined
    ? undefined
    : new Function('require', 'createPattern', 'formats', code)(loadPackage, createPattern, formats);
}

/** Reads a JSON file; undefined if it does not exist. */
function readIfExists<Value>(path: string): Value | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

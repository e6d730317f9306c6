import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { getPackageFile } from '../package-file.ts';
import { loadPackage } from '../util/load-package.ts';
import { type Document, getNode } from './document.ts';
import { findEqualEntries, formats } from './formats.ts';
import { createPattern } from './patterns/pattern.ts';

/** The documents of a precompiled contract. */
export interface CompiledDocuments {
  readonly document: Document;
  readonly normalized: Document;
  readonly warning?: string;
  /** The `key` of the edit that was applied to the document before the compilation; absent if there was no edit. */
  readonly editKey?: string | undefined;
}

/**
 * A change of a document.
 * `edit` returns the changed copy.
 * `key` identifies the change: changes with the same key have the same result.
 */
export interface DocumentEdit {
  readonly key: string;
  edit(document: Document): Document;
  /**
   * The names of the component schemas that the edit replaces.
   * Present only if the edit changes nothing but these schemas.
   * Edits that replace the same schemas share one precompiled contract.
   */
  readonly schemas?: readonly string[];
}

/**
 * A group of precompiled validators.
 * `parameters`: for request parameters.
 * `request`: for request bodies.
 * `open` and `closed`: for responses.
 * Undocumented properties are allowed with `open`, and are errors with `closed`.
 * `state`: for the application's data.
 */
export type ValidatorGroup = 'parameters' | 'request' | 'open' | 'closed' | 'state';

/**
 * The JavaScript code of all validators in a group.
 * The keys are the JSON Pointers of the schemas; in the group `parameters`, they are operationIds.
 * Each value is the body of a function that returns the validator.
 */
export type ValidatorCode = Readonly<Record<string, string>>;

/**
 * A contract that the build has precompiled, so that the server starts without parsing YAML and without compiling
 * schemas.
 */
export interface CompiledContract {
  readonly documents: CompiledDocuments;
  /** Returns the code of all validators of a group. */
  readCode(group: ValidatorGroup): ValidatorCode;
  /** Returns the validator for a JSON Pointer or operationId; undefined if it is not precompiled. */
  getValidator(group: ValidatorGroup, key: string): ValidateFunction | undefined;
}

/**
 * Returns the name of the folder for a precompiled contract: a hash of `parts`.
 * `parts`: all texts on which the result of the compilation depends.
 */
export function hashContract(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_LENGTH);
}

const HASH_LENGTH = 16;

/** The path of the folder with all precompiled contracts, which the build creates. */
const COMPILED_FOLDER = getPackageFile('dist/compiled');

/** The precompiled contracts that have been read, by the path of their folder. */
const cache = new Map<string, CompiledContract>();

/**
 * Returns a precompiled contract; undefined if the build has not compiled it.
 * `name`: the result of `hashContract`.
 * `folder`: the folder with all precompiled contracts.
 */
export function findCompiledContract(name: string, folder = COMPILED_FOLDER): CompiledContract | undefined {
  const path = join(folder, name);
  const compiled = cache.get(path) ?? readCompiledContract(path);
  if (compiled) cache.set(path, compiled);
  return compiled;
}

/**
 * Applies an edit to a precompiled contract.
 * The contract was compiled with another edit that replaces the same schemas.
 * The result has no validators for these schemas, and none for schemas that refer to them.
 */
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

/**
 * Returns whether a node of a document is one of `targets`, or refers to a target directly or through other nodes.
 * `node` and `targets` are JSON Pointers.
 */
function refersTo(document: Document, node: string, targets: readonly string[]): boolean {
  const pointers = new Set([node]);
  for (const pointer of pointers) {
    const text = JSON.stringify(getNode(document, pointer) ?? null);
    for (const [, reference = ''] of text.matchAll(/"\$ref":"#(.*?)"/g)) pointers.add(reference);
  }
  return targets.some((target) => pointers.has(target));
}

/** Reads a precompiled contract from its folder. Returns undefined if the folder does not exist. */
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

/** The values that the code of validators uses, by name. */
const NAMES = { createPattern, findEqualEntries, formats };

/** Runs the code of a validator and returns the validator; undefined if there is no code. */
function createValidator(code: string | undefined): ValidateFunction | undefined {
  return code === undefined
    ? undefined
    : new Function('require', ...Object.keys(NAMES), code)(loadPackage, ...Object.values(NAMES));
}

/** Reads and parses a JSON file. Returns undefined if the file does not exist. */
function readIfExists<Value>(path: string): Value | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ValidateFunction } from 'ajv';
import { loadPackage } from '../util/load-package.ts';
import { createPattern } from './ajv.ts';
import type { Document } from './document.ts';
import { formats } from './formats.ts';

/** The documents of a contract that is precompiled. */
export interface CompiledDocuments {
  readonly document: Document;
  readonly normalized: Document;
  readonly warning?: string;
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

/** Returns the compiled form of a contract; undefined if the build has not compiled it. `name`: see `hashContract`. */
export function findCompiledContract(name: string, folder = COMPILED_FOLDER): CompiledContract | undefined {
  const readFile = <Value>(file: string): Value | undefined => readIfExists(join(folder, name, file));
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

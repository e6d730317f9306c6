import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import { createPattern } from './ajv.ts';
import type { Document } from './document.ts';
import { formats } from './formats.ts';

/** The validators that are compiled ahead: by JSON Pointer of the schema, or by operationId for parameters. */
export type CompiledValidators = Readonly<Record<string, ValidateFunction>>;

/** The documents of a contract that is compiled ahead. */
export interface CompiledDocuments {
  readonly document: Document;
  readonly normalized: Document;
  readonly warning?: string;
}

/** The groups of validators. `parameters`, `request`, `open`, `closed`: see `Contract`. `state`: entries of the application's state. */
export type ValidatorGroup = 'parameters' | 'request' | 'open' | 'closed' | 'state';

/** A contract that the build has compiled ahead, so that a start parses no YAML and compiles no schema. */
export interface CompiledContract {
  readonly documents: CompiledDocuments;
  /** Returns the validators of a group. Loads their code on the first call. */
  getValidators(group: ValidatorGroup): CompiledValidators;
}

/** The values that the compiled code of validators uses. */
export type CompiledCode = (parts: {
  readonly createPattern: typeof createPattern;
  readonly formats: object;
}) => CompiledValidators;

/** Returns the name of the folder with the compiled form of a contract. Equal names mean that everything that determines the compiled form is equal. */
export function hashContract(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

const requireNearby = createRequire(import.meta.url);

/**
 * Returns the compiled form of a contract; undefined if the build has not compiled it. Only the packaged program has compiled contracts, beside its modules.
 * `name`: see `hashContract`.
 */
export function findCompiledContract(name: string, require = requireNearby): CompiledContract | undefined {
  const load = <Value>(file: string): Value => require(`./compiled/${name}/${file}`);
  const documents = tryLoad(() => load<CompiledDocuments>('documents.json'));
  if (!documents) return undefined;
  const groups = new Map<ValidatorGroup, CompiledValidators>();
  return {
    documents,
    getValidators(group) {
      const validators = groups.get(group) ?? load<CompiledCode>(`${group}.cjs`)({ createPattern, formats });
      groups.set(group, validators);
      return validators;
    },
  };
}

/** Returns the result of a function; undefined if the file that it loads does not exist. */
function tryLoad<Result>(load: () => Result): Result | undefined {
  try {
    return load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

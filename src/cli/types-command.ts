import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type * as OpenapiTypescript from 'openapi-typescript';
import { loadDocument } from '../server/load-document.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { UserError } from '../util/user-error.ts';
import { parsePaths } from './option-values.ts';

/** A parsed `storefront types` command. */
export interface TypesCommand {
  /** The path of the contract, an OpenAPI document. */
  readonly contract: string;
  /** Files and folders outside the folder of the document that it can include with `$ref`. Default: none. */
  readonly allowRefs?: readonly string[] | undefined;
  /** The path of the file to write; undefined for standard output. */
  readonly output?: string | undefined;
}

/** Creates the command `types`. Calls `onTypes` with the parsed command. */
export function createTypesCommand(onTypes: (command: TypesCommand) => void): Command {
  return new Command('types')
    .description('Generate TypeScript types from a contract, for openapi-fetch and similar clients.')
    .argument('<file>', 'contract, an OpenAPI 3.0 or 3.1 document')
    .option(
      '--allow-refs <paths>',
      'comma-separated files and folders that the contract can include with $ref, outside its own folder or Git repository',
      parsePaths,
    )
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .action((contract: string, options: object) => onTypes({ contract, ...options }));
}

/** The environment of the command `storefront types`. */
export interface TypesEnvironment {
  /** The folder of the project. Paths are relative to this folder. Packages in this project take precedence over packages of storefront. */
  readonly folder: string;
  readonly print: (text: string) => void;
}

/**
 * Generates the types of a contract, and writes them to a file or prints them. Rejects with a `UserError` if the contract can't be read, the file can't be
 * written, or a package is missing.
 */
export async function writeTypes(
  { contract, output, allowRefs }: TypesCommand,
  environment: TypesEnvironment,
): Promise<void> {
  const { default: generate, astToString, COMMENT_HEADER } = loadGenerator(environment.folder, contract);
  const path = resolve(environment.folder, contract);
  // The generator itself would load files from anywhere, and send requests for the URLs of other hosts.
  const nodes = await loadDocument(path, allowRefs)
    .then((document) => generate(document as OpenapiTypescript.OpenAPI3, { silent: true }))
    .catch((cause: Error) => {
      throw new UserError(`${contract} can't be read as an OpenAPI document: ${getFirstLine(cause)}`, { cause });
    });
  const text = COMMENT_HEADER + astToString(nodes);
  if (output === undefined) return environment.print(text);
  try {
    writeFileSync(resolve(environment.folder, output), text);
  } catch (cause) {
    throw new UserError(`${output} can't be written: ${(cause as Error).message}`, { cause });
  }
}

/** Loads the optional peer dependency openapi-typescript from the project. If the project does not have it, loads the version that this package can import. */
function loadGenerator(folder: string, contract: string): typeof OpenapiTypescript {
  const name = 'openapi-typescript';
  const path = findPackage(join(folder, 'package.json'), name) ?? findPackage(import.meta.url, name);
  if (!path || !findPackage(path, 'typescript'))
    throw new UserError(
      `storefront types requires the packages openapi-typescript and typescript. ${getRemedy(contract)}`,
    );
  try {
    return createRequire(path)(path);
  } catch (cause) {
    const reason = `can't be loaded with the installed version of TypeScript (${getFirstLine(cause as Error)})`;
    throw new UserError(`openapi-typescript ${reason}: it needs TypeScript 5. ${getRemedy(contract)}`, { cause });
  }
}

function getRemedy(contract: string): string {
  return `Install them: npm install --save-dev openapi-typescript@7 typescript@5. Or run them without installing: npx --package=openapi-typescript@7 --package=typescript@5 -- openapi-typescript ${contract}`;
}

/** Returns the path of a package that the module `importer` can import. Returns undefined if the package is not installed. */
function findPackage(importer: string, name: string): string | undefined {
  return tryOrUndefined(() => createRequire(importer).resolve(name));
}

function getFirstLine({ message }: Error): string {
  return message.split('\n')[0] ?? '';
}

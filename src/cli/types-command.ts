import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as OpenapiTypescript from 'openapi-typescript';
import type { TypesCommand } from './types-options.ts';

/** Types that can't be written: `message` says why, and what to do. */
export class TypesError extends Error {
  override readonly name = 'TypesError';
}

/** Where `storefront types` runs. */
export interface TypesSurroundings {
  /** The folder of the project, whose packages are used first. */
  readonly folder: string;
  readonly print: (text: string) => void;
}

/** How the packages are installed, or used without changing the project. */
const remedy = (contract: string) =>
  'Install them: npm install --save-dev openapi-typescript@7 typescript@5. Or run them without installing: ' +
  `npx --package=openapi-typescript@7 --package=typescript@5 -- openapi-typescript ${contract}`;

/** Writes the types of a contract to a file, or prints them. Throws a `TypesError` where it can't. */
export async function writeTypes({ contract, output }: TypesCommand, surroundings: TypesSurroundings): Promise<void> {
  const { default: generate, astToString, COMMENT_HEADER } = loadGenerator(surroundings.folder, contract);
  const url = pathToFileURL(resolve(surroundings.folder, contract));
  const nodes = await generate(url, { silent: true }).catch((cause: Error) => {
    throw new TypesError(`${contract} can't be read as an OpenAPI document: ${firstLine(cause)}`, { cause });
  });
  const text = COMMENT_HEADER + astToString(nodes);
  if (output === undefined) return surroundings.print(text);
  try {
    writeFileSync(resolve(surroundings.folder, output), text);
  } catch (cause) {
    throw new TypesError(`${output} can't be written: ${(cause as Error).message}`, { cause });
  }
}

/** Loads openapi-typescript, which few installations need: from the project, or from beside this package. */
function loadGenerator(folder: string, contract: string): typeof OpenapiTypescript {
  const places = [createRequire(join(folder, 'package.json')), createRequire(import.meta.url)];
  const require = places.find((place) => canResolve(place, 'openapi-typescript'));
  if (!require || !canResolve(createRequire(require.resolve('openapi-typescript')), 'typescript')) {
    throw new TypesError(`types need the packages openapi-typescript and typescript. ${remedy(contract)}`);
  }
  try {
    return require('openapi-typescript');
  } catch (cause) {
    const why = `can't be loaded with the installed version of TypeScript (${firstLine(cause as Error)})`;
    throw new TypesError(`openapi-typescript ${why}: it needs TypeScript 5. ${remedy(contract)}`, { cause });
  }
}

function canResolve(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    // It is not installed: the caller says so.
    return false;
  }
}

function firstLine({ message }: Error): string {
  return message.split('\n')[0] ?? '';
}

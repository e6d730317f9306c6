import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/** The function that the build makes of a CommonJS module. */
type ModuleFunction = (
  exports: object,
  require: (id: string) => unknown,
  module: { exports: object },
  filename: string,
  dirname: string,
  importFromBundle: (specifier: string) => Promise<unknown>,
) => void;

/** The loaded bundles by file name. */
const bundles = new Map<string, { exports: object }>();

/** The compiled scripts by path. The build gets the code cache of each script from V8 after the script has run. */
export const scripts = new Map<string, Script>();

const folder = dirname(fileURLToPath(import.meta.url));
const nodeRequire = createRequire(import.meta.url);
const requireFromBundle = Object.assign(
  (id: string) => (id.startsWith('./') ? loadBundle(id.slice(2)) : nodeRequire(id)),
  nodeRequire,
);

/**
 * Loads a CommonJS file of `dist/` with its code cache, and returns its exports. With the code cache, V8 does not parse the file and does not compile the
 * functions that a start needs: a start takes two thirds of the time. Node 20 has no code cache for ES modules. Without a code cache for this version of Node,
 * V8 compiles the file. `name`: the name of the file.
 */
export function loadBundle(name: string): object {
  const loaded = bundles.get(name);
  if (loaded) return loaded.exports;
  const path = join(folder, name);
  const module = { exports: {} };
  bundles.set(name, module);
  compile(path)(module.exports, requireFromBundle, module, path, folder, (specifier) => import(specifier));
  return module.exports;
}

/** Returns the path of the code cache of a file. V8 can read a code cache only on the same architecture, with the version that wrote it. */
export function getCachePath(path: string): string {
  return `${path}.${process.version}-${process.arch}.cache`;
}

function compile(path: string): ModuleFunction {
  const cachePath = getCachePath(path);
  // The build escapes all characters that are not ASCII, and V8 stores such a text with one byte for each character.
  const script = new Script(readFileSync(path, 'latin1'), {
    filename: path,
    ...(existsSync(cachePath) && { cachedData: readFileSync(cachePath) }),
  });
  scripts.set(path, script);
  return script.runInThisContext();
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

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

/** The compiled scripts, by the path of their code cache. The build gets the code cache of each script from V8 after the script has run. */
export const scripts = new Map<string, Script>();

const folder = dirname(fileURLToPath(import.meta.url));
const nodeRequire = createRequire(import.meta.url);
const requireFromBundle = Object.assign(
  (id: string) => (id.startsWith('./') ? loadBundle(id.slice(2)) : nodeRequire(id)),
  nodeRequire,
);

/**
 * Loads a CommonJS file of `dist/` with its code cache, and returns its exports. With the code cache, V8 does not parse the file and does not compile the
 * functions that a start needs: a start takes two thirds of the time. Node 20 has no code cache for ES modules. Without a code cache for this file and this
 * version of Node, V8 compiles the file. `name`: the name of the file. Throws the error of the file system if the file can't be read.
 */
export function loadBundle(name: string): object {
  const loaded = bundles.get(name);
  if (loaded) return loaded.exports;
  const path = join(folder, name);
  const run = compile(path);
  const module = { exports: {} };
  bundles.set(name, module);
  run(module.exports, requireFromBundle, module, path, folder, (specifier) => import(specifier));
  return module.exports;
}

/**
 * Returns the path of the code cache of a file. The name of the cache has the version of Node and the architecture, because V8 can't read other caches. It also
 * has a checksum of the file: V8 itself only compares the length, and would run the earlier code of an edited file.
 */
export function getCachePath(path: string, content: Buffer): string {
  return `${path}.${crc32(content).toString(16)}.${process.version}-${process.arch}.cache`;
}

function compile(path: string): ModuleFunction {
  const content = readFileSync(path);
  const cachePath = getCachePath(path, content);
  const cachedData = readCache(cachePath);
  // The build escapes all characters that are not ASCII, and V8 stores such a text with one byte for each character.
  const script = new Script(content.toString('latin1'), { filename: path, ...(cachedData && { cachedData }) });
  scripts.set(cachePath, script);
  return script.runInThisContext();
}

/** Returns the content of a code cache. Returns undefined if it does not exist or can't be read, because the program also starts without it. */
function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

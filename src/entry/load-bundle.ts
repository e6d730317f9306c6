import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
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

/** A compiled script, and the checksum of its file. */
interface LoadedScript {
  readonly script: Script;
  readonly fileChecksum: number;
}

/** The loaded scripts by the path of their code cache. The build gets the code cache of each script from V8 after the script has run. */
export const scripts = new Map<string, LoadedScript>();

/** The size of the checksum at the end of a code cache, in bytes. */
const CHECKSUM_BYTES = 4;

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

/** Returns the path of the code cache of a file. V8 can't read the cache of another version or platform. */
export function getCachePath(path: string): string {
  return `${path}.${process.version}-${process.platform}-${process.arch}.cache`;
}

function compile(path: string): ModuleFunction {
  // The build escapes all characters that are not ASCII, and V8 stores such a text with one byte for each character.
  const code = readFileSync(path, 'latin1');
  const fileChecksum = crc32(code);
  const cachePath = getCachePath(path);
  const cachedData = readCache(cachePath, fileChecksum);
  // On Node 20, stack traces have the name from the cache, so the name must not depend on the folder of the package.
  const filename = `storefront/dist/${basename(path)}`;
  const script = new Script(code, { filename, ...(cachedData && { cachedData }) });
  scripts.set(cachePath, { script, fileChecksum });
  return script.runInThisContext();
}

/** Returns the data of a code cache. Returns undefined if it does not exist, can't be read, or is damaged, because the program also starts without it. */
function readCache(path: string, fileChecksum: number): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    const data = bytes.subarray(0, -CHECKSUM_BYTES);
    return bytes.readUInt32LE(data.length) === computeChecksum(data, fileChecksum) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the content of the code cache of a script: the data from V8, and a checksum. */
export function formatCache({ script, fileChecksum }: LoadedScript): Buffer {
  const data = script.createCachedData();
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(computeChecksum(data, fileChecksum));
  return Buffer.concat([data, checksum]);
}

/**
 * Returns the checksum of the data of a code cache and of its file together. V8 itself only compares the lengths: it would run the earlier code of an edited
 * file, and damaged data would end the process.
 */
function computeChecksum(data: Buffer, fileChecksum: number): number {
  return crc32(data, fileChecksum);
}

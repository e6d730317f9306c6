import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

const require = createRequire(import.meta.url);

/**
 * Loads an npm package that only some requests need, when it is first used.
 * So the server starts faster and needs less memory.
 */
export function loadPackage<Package>(name: string): Package {
  return require(name);
}

/**
 * Loads the package re2js, which matches regular expressions without backtracking.
 * Loading takes 7 ms, and most servers do not need it.
 */
export function loadRe2(): typeof Re2 {
  return loadPackage('re2js');
}

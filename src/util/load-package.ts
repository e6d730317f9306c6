import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Loads an npm package that only some requests need, when it is first used.
 * So the server starts faster and needs less memory.
 */
export function loadPackage<Package>(name: string): Package {
  return require(name);
}

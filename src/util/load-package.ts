import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Loads an npm package when it is first used. Packages that only some requests need are loaded in this way, so that the server starts faster and needs less
 * memory.
 */
export function loadPackage<Package>(name: string): Package {
  return require(name);
}

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads a package on first use. The server starts faster and needs less memory without the packages that only some requests need. */
export function loadPackage<Package>(name: string): Package {
  return require(name);
}

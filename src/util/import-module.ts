/**
 * Imports a module that is not part of the bundles. `specifier`: a URL, or the name of a package. The build replaces this function by one of
 * `entry/load-bundle.ts`, because Node 20 has no `import()` in code that V8 loads from a code cache.
 */
export function importModule<Module>(specifier: string): Promise<Module> {
  return import(specifier);
}

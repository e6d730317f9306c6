import { fileURLToPath } from 'node:url';

/**
 * Returns the path of a file in this package.
 * The folder of this module, `src` or `dist`, must be in the root of the package.
 */
export function getPackageFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

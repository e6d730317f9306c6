import { fileURLToPath } from 'node:url';

/** Returns the path of a file that ships with this package. This module stands one folder below the package's root, in `src` as in `dist`. */
export function getPackageFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

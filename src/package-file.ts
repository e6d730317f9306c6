import { fileURLToPath } from 'node:url';

/** Returns the path of a file that ships with this package. This module must stay one folder below the root of the package, in `src` as in `dist`. */
export function getPackageFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

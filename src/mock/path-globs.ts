import type { Route } from '../openapi/routes.ts';

/** The maximum length of a glob that is compared with the paths of the contract, in characters. */
export const MAX_PATH_LENGTH = 500;

/** Returns the operations whose path can match a glob; all operations if the glob is undefined or too long. */
export function filterByPath(routes: readonly Route[], glob: string | undefined): readonly Route[] {
  if (glob === undefined || glob.length > MAX_PATH_LENGTH) return routes;
  return routes.filter(({ path, basePaths }) => {
    const template = path.replaceAll(/\{.*?\}/g, '*');
    // Requests can have a trailing slash.
    return ['', ...basePaths].some(
      (base) => canBothMatch(glob, base + template) || canBothMatch(glob, `${base}${template}/`),
    );
  });
}

/**
 * Returns whether a string exists that matches both globs.
 * `*` matches any string.
 * The time grows with the length of `a` times the length of `b`.
 */
export function canBothMatch(a: string, b: string): boolean {
  /** For each index in `a`: whether the rest of `a` from this index and the rest of `b` can match the same string. */
  let nextRow: readonly boolean[] = [];
  for (let indexB = b.length; indexB >= 0; indexB--) {
    const row = new Array<boolean>(a.length + 1).fill(false);
    for (let indexA = a.length; indexA >= 0; indexA--) {
      const [characterA, characterB] = [a[indexA], b[indexB]];
      const canSkipA = indexA < a.length && row[indexA + 1] === true;
      const canSkipB = indexB < b.length && nextRow[indexA] === true;
      const areBothAtEnd = characterA === undefined && characterB === undefined;
      const isSame = characterA !== undefined && characterA === characterB && nextRow[indexA + 1] === true;
      const isStar = characterA === '*' || characterB === '*';
      row[indexA] = areBothAtEnd || isSame || (isStar && (canSkipA || canSkipB));
    }
    nextRow = row;
  }
  return nextRow[0] === true;
}

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
  /** For each index in `a`: 1 if the rest of `a` from this index and the rest of `b` can match the same string. */
  let [row, nextRow] = [new Uint8Array(a.length + 1), new Uint8Array(a.length + 1)];
  for (let indexB = b.length; indexB >= 0; indexB--) {
    const characterB = b.charCodeAt(indexB);
    for (let indexA = a.length; indexA >= 0; indexA--) {
      const characterA = a.charCodeAt(indexA);
      // After the end of a string, `charCodeAt` returns NaN.
      const [isEndA, isEndB] = [indexA === a.length, indexB === b.length];
      const canSkip = (!isEndA && row[indexA + 1] === 1) || (!isEndB && nextRow[indexA] === 1);
      const isStar = characterA === STAR || characterB === STAR;
      const isSame = characterA === characterB && nextRow[indexA + 1] === 1;
      row[indexA] = Number((isEndA && isEndB) || isSame || (isStar && canSkip));
    }
    [row, nextRow] = [nextRow, row];
  }
  return nextRow[0] === 1;
}

const STAR = '*'.charCodeAt(0);

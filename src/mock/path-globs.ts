import type { Route } from '../openapi/routes.ts';

/** The maximum length of a path that is compared with those of the contract, in characters. */
export const MAX_PATH_LENGTH = 500;

/** Returns the operations with a path that can match a glob; all of them if there is none. */
export function filterByPath(routes: readonly Route[], glob: string | undefined): readonly Route[] {
  if (glob === undefined || glob.length > MAX_PATH_LENGTH) return routes;
  return routes.filter((route) => canMatchPath(route.path, glob));
}

/** A trailing slash in the path of a request is ignored. */
function canMatchPath(template: string, glob: string): boolean {
  const templateGlob = template.replaceAll(/\{.*?\}/g, '*');
  return canBothMatch(glob, templateGlob) || canBothMatch(glob, `${templateGlob}/`);
}

/** Returns whether a string exists that matches two globs, in which `*` stands for any string. Takes time proportional to length × length. */
export function canBothMatch(a: string, b: string): boolean {
  /** For each index in `a`: whether the rests of both globs can match the same string. */
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

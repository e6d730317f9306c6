/** A version tag (Semantic Versioning 2.0.0), with or without the prefix `v`. */
const VERSION = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Returns the tags that are version tags, the newest version first. */
export function sortVersionTags(tags: readonly string[]): readonly string[] {
  return tags.filter((tag) => VERSION.test(tag)).toSorted((one, other) => compareVersions(other, one));
}

/** Compares two versions (Semantic Versioning 2.0.0, section 11). Returns a positive number if the first is newer. */
function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((tag) => VERSION.exec(tag) ?? []);
  const [numbers, others] = [left, right].map((match = []) => match.slice(1, 4));
  const byNumber = compareParts(numbers ?? [], others ?? []);
  if (byNumber !== 0) return byNumber;
  const [early, otherEarly] = [left?.[4], right?.[4]];
  // A release is newer than its pre-releases.
  if (early === undefined || otherEarly === undefined)
    return Number(early === undefined) - Number(otherEarly === undefined);
  return compareParts(early.split('.'), otherEarly.split('.'));
}

/** Compares lists of identifiers by their first difference. Numbers come before words. If one list is the start of the other, the shorter list comes first. */
function compareParts(parts: readonly string[], others: readonly string[]): number {
  for (const [place, part] of parts.entries()) {
    const other = others[place];
    if (other === undefined) return 1;
    const difference = comparePart(part, other);
    if (difference !== 0) return difference;
  }
  return parts.length - others.length;
}

function comparePart(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [one, other].map((part) => /^\d+$/.test(part));
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

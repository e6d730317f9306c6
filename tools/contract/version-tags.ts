/** A tag that names a version, by Semantic Versioning 2.0.0, with or without a v before it. */
const VERSION = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Those of some tags that name versions, the newest version first. */
export function newestFirst(tags: readonly string[]): readonly string[] {
  return tags.filter((tag) => VERSION.test(tag)).toSorted((one, other) => precedence(other, one));
}

/** Which of two versions is the later one (section 11): positive where it is the first. */
function precedence(one: string, other: string): number {
  const [left, right] = [one, other].map((tag) => VERSION.exec(tag) ?? []);
  const [numbers, others] = [left, right].map((match = []) => match.slice(1, 4));
  const byNumber = compared(numbers ?? [], others ?? []);
  if (byNumber !== 0) return byNumber;
  const [early, otherEarly] = [left?.[4], right?.[4]];
  // A version comes after what was released before it.
  if (early === undefined || otherEarly === undefined)
    return Number(early === undefined) - Number(otherEarly === undefined);
  return compared(early.split('.'), otherEarly.split('.'));
}

/** Lists by their first difference: numbers by their size and before words, the shorter list first. */
function compared(parts: readonly string[], others: readonly string[]): number {
  for (const [place, part] of parts.entries()) {
    const other = others[place];
    if (other === undefined) return 1;
    const difference = comparedParts(part, other);
    if (difference !== 0) return difference;
  }
  return parts.length - others.length;
}

function comparedParts(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [one, other].map((part) => /^\d+$/.test(part));
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * Returns the edit distance of two texts: the number of missing, extra, wrong and swapped letters (optimal string alignment). It is computed directly from
 * the definition, to test faster algorithms.
 */
export function editDistance(one: string, other: string): number {
  const distances: number[][] = [];
  const distance = (row: number, column: number) => distances[row]?.[column] ?? Number.POSITIVE_INFINITY;
  const leastOf = (row: number, column: number) => {
    if (row === 0 || column === 0) return row + column;
    const isSame = one[row - 1] === other[column - 1];
    const isSwapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
    return Math.min(
      distance(row - 1, column) + 1,
      distance(row, column - 1) + 1,
      distance(row - 1, column - 1) + (isSame ? 0 : 1),
      isSwapped ? distance(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
    );
  };
  for (let row = 0; row <= one.length; row++) {
    const cells: number[] = [];
    distances.push(cells);
    for (let column = 0; column <= other.length; column++) cells.push(leastOf(row, column));
  }
  return distance(one.length, other.length);
}

/** Returns all prefixes of a text, including the empty text and the text itself. */
export function getPrefixes(text: string): readonly string[] {
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length));
}

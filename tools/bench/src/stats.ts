/** The median, the lowest and the highest result of several rounds. All rounds count. */
export interface Figure {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Returns the median, the lowest and the highest value of a list. The list must not be empty. */
export function figure(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (at(sorted, Math.floor(middle)) + at(sorted, Math.ceil(middle))) / 2;
  return { median, lowest: at(sorted, 0), highest: at(sorted, sorted.length - 1) };
}

/**
 * Divides the results of two servers round by round, and returns the median, the lowest and the highest ratio. Other load on the machine affects both
 * servers in a round, so these ratios vary less than the ratio of two medians.
 */
export function ratio(numerators: readonly number[], denominators: readonly number[]): Figure {
  return figure(numerators.map((numerator, round) => numerator / at(denominators, round)));
}

/** Formats a figure as `MEDIAN (LOWEST–HIGHEST)`: `17.3 (16.9–18.0)`. */
export function show({ median, lowest, highest }: Figure, digits: number): string {
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`;
}

function at(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`there is no value ${index} among ${values.length}`);
  return value;
}

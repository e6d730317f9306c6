import type { CoverageKind, CoverageReport } from '../control/operation.ts';
import { isTouched, POINT_KINDS, toPoint } from './totals.ts';

type OperationReport = CoverageReport['operations'][number];
type PointReport = OperationReport['points'][number];

/** The names of the kinds in tables and messages. */
export const KIND_NAMES: Readonly<Record<CoverageKind, string>> = {
  operation: 'operations',
  status: 'statuses',
  example: 'examples',
  'media-type': 'media types',
  parameter: 'optional parameters',
  property: 'request properties',
  value: 'enum values',
};

/** The names of the kinds in the limit `min`. */
const MIN_NAMES = {
  operation: 'operations',
  status: 'statuses',
  example: 'examples',
  'media-type': 'media-types',
  parameter: 'parameters',
  property: 'properties',
  value: 'values',
} as const satisfies Readonly<Record<CoverageKind, string>>;

/** The minimum percentages of touched points, by kind. */
export type MinimumByKind = { readonly [Name in (typeof MIN_NAMES)[CoverageKind]]?: number | undefined };

/** When a coverage is too low. */
export interface CoverageLimits {
  /** The minimum percentage of touched points: of all, or by kind, such as `{ operations: 60, statuses: 20 }`. */
  readonly min?: number | MinimumByKind | undefined;
  /** The kinds of points that must all be touched, such as `untouched-operation`. */
  readonly failOn?: readonly `untouched-${CoverageKind}`[] | undefined;
  /** The operationIds of the operations that do not count. */
  readonly ignore?: readonly string[] | undefined;
}

/** Returns the first limit whose value is invalid, with what to use instead. Returns undefined if all are valid. */
export function findInvalidLimit({ min, failOn, ignore }: Readonly<Record<keyof CoverageLimits, unknown>>) {
  if (min !== undefined && !isMinimum(min)) {
    const remedy = `a number from 0 to 100, or numbers for the kinds ${Object.values(MIN_NAMES).join(', ')}`;
    return { option: 'min', value: min, remedy };
  }
  const kinds: readonly unknown[] = POINT_KINDS.map((kind) => `untouched-${kind}`);
  if (failOn !== undefined && !(Array.isArray(failOn) && failOn.every((name) => kinds.includes(name))))
    return { option: 'failOn', value: failOn, remedy: `a list of ${kinds.join(', ')}` };
  if (ignore !== undefined && !(Array.isArray(ignore) && ignore.every((id) => typeof id === 'string')))
    return { option: 'ignore', value: ignore, remedy: 'a list of operationIds' };
  return undefined;
}

function isMinimum(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isPercentage(value);
  const names: readonly string[] = Object.values(MIN_NAMES);
  return Object.entries(value).every(
    ([name, percentage]) => names.includes(name) && (percentage === undefined || isPercentage(percentage)),
  );
}

function isPercentage(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 100;
}

/** Returns the percentage of touched points; 100 if there are no points. */
export function getPercentage(totals: CoverageReport['totals']): number {
  const total = sum(totals.map((one) => one.total));
  return total === 0 ? 100 : (sum(totals.map(({ touched }) => touched)) / total) * 100;
}

/** Returns a sentence for each limit that a coverage does not reach. Those of `failOn` have the missing points. */
export function findFailures(report: CoverageReport, { min, failOn = [] }: CoverageLimits): readonly string[] {
  const missing = failOn.flatMap((name) => {
    const kind = POINT_KINDS.find((one) => name === `untouched-${one}`) as CoverageKind;
    const points = report.operations.flatMap((operation) =>
      [toPoint(operation), ...operation.points]
        .filter((point) => point.kind === kind && !isTouched(point))
        .map((point) => `\n  ${formatLine(operation, point)}`),
    );
    return points.length === 0 ? [] : [`Never touched, of ${KIND_NAMES[kind]}:${points.join('')}`];
  });
  return [...findLowPercentages(report.totals, min), ...missing];
}

function findLowPercentages(totals: CoverageReport['totals'], min: CoverageLimits['min']): readonly string[] {
  const compare = (subject: string, own: CoverageReport['totals'], minimum = 0) => {
    const percentage = getPercentage(own);
    return percentage < minimum
      ? [`${subject} is ${formatPercentage(percentage, minimum)}, which is below ${minimum} %.`]
      : [];
  };
  if (typeof min !== 'object') return compare('The coverage', totals, min);
  return totals.flatMap((one) => compare(`The coverage of ${KIND_NAMES[one.kind]}`, [one], min[MIN_NAMES[one.kind]]));
}

/** Formats a point as a line with its place in the contract, its operation and its name. */
export function formatLine(
  { operationId, method, path }: OperationReport,
  { kind, name, file, line }: PointReport,
): string {
  const what = kind === 'operation' ? `${method} ${path}` : `${kind.replace('-', ' ')} ${name}`;
  return `${file}:${line} ${operationId}: ${what}`;
}

/**
 * Formats a percentage with one decimal, rounded half up.
 * A percentage below `limit` is shown as less than it, and one above 0 as more than 0.
 */
export function formatPercentage(percentage: number, limit = 100): string {
  const rounded = Math.round(percentage * 10) / 10;
  const shown = percentage < limit && rounded >= limit ? Math.floor(percentage * 10) / 10 : rounded;
  return `${percentage > 0 ? Math.max(0.1, shown) : shown} %`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

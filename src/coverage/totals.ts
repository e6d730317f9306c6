import type { CoverageKind, CoverageReport } from '../control/operation.ts';
import { suggestOneOf } from '../util/names.ts';

type OperationReport = CoverageReport['operations'][number];
type PointReport = OperationReport['points'][number];

/** The kinds of points of a contract, in the order of reports. */
export const POINT_KINDS: readonly CoverageKind[] = [
  'operation',
  'status',
  'example',
  'media-type',
  'parameter',
  'property',
  'value',
];

/** Counts the points of operations by kind. */
export function countTotals(operations: readonly OperationReport[]): CoverageReport['totals'] {
  const points = operations.flatMap((operation) => [toPoint(operation), ...operation.points]);
  return POINT_KINDS.map((kind) => {
    const own = points.filter((point) => point.kind === kind);
    return {
      kind,
      total: own.length,
      touched: own.filter(isTouched).length,
      onlyForced: own.filter(isOnlyForced).length,
    };
  });
}

/** Returns the point of an operation itself. */
export function toPoint({ operationId, file, line, requests, forced }: OperationReport): PointReport {
  return { kind: 'operation', name: operationId, file, line, count: requests, forced };
}

export function isTouched({ count }: Pick<PointReport, 'count'>): boolean {
  return count > 0;
}

export function isOnlyForced({ count, forced }: Pick<PointReport, 'count' | 'forced'>): boolean {
  return count > 0 && count === forced;
}

/** Returns a coverage without the operations with the ids `ignore`. */
export function omitOperations(report: CoverageReport, ignore: readonly string[] = []): CoverageReport {
  const operations = report.operations.filter(({ operationId }) => !ignore.includes(operationId));
  if (operations.length === report.operations.length) return report;
  return { ...report, operations, totals: countTotals(operations) };
}

/** Returns a sentence about the first of the operationIds that no coverage has, or undefined. */
export function describeUnknownOperation(
  reports: readonly CoverageReport[],
  operationIds: readonly string[] = [],
): string | undefined {
  const knownIds = reports.flatMap(({ operations }) => operations.map(({ operationId }) => operationId));
  const unknownId = operationIds.find((id) => !knownIds.includes(id));
  if (unknownId === undefined) return undefined;
  return `The operation "${unknownId}" does not exist: ${suggestOneOf(unknownId, knownIds, 'operations')}.`;
}

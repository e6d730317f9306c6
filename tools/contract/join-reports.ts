import type { Report, Row } from '../../src/check/report/report.ts';

/** The results of a further check. */
export type ReportPart = Omit<Report, 'title' | 'unchecked'>;

/** Returns a report joined with the results of a further check. */
export function joinReports(report: Report, { checks, rows, failures, notes }: ReportPart): Report {
  const isSame = (one: Row, other: Row) => one.operationId === other.operationId && one.status === other.status;
  const added = rows.filter((row) => !report.rows.some((other) => isSame(row, other)));
  const countsFor = (row: Row) => rows.find((other) => isSame(row, other))?.counts ?? {};
  return {
    ...report,
    checks: [...report.checks, ...checks],
    rows: [...report.rows.map((row) => ({ ...row, counts: { ...row.counts, ...countsFor(row) } })), ...added],
    failures: [...report.failures, ...failures],
    notes: [...report.notes, ...notes],
  };
}

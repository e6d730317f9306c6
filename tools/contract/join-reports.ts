import type { Report, Row } from '../../src/check/report/report.ts';

/** The results of an additional check, such as dredd. */
export type ReportPart = Omit<Report, 'title' | 'coverage' | 'unchecked' | 'unreached'>;

/** Returns a report with the results of an additional check. */
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

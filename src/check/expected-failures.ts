import type { Route } from '../openapi/routes.ts';
import type { ExpectedFailure, GetSettings } from './operation-settings.ts';
import type { Failure, Report } from './report/report.ts';

/**
 * Moves the failures that the configuration expects to a list of their own.
 * Adds a note about those that did not occur, although the check has tested their rules.
 */
export function applyExpectedFailures(report: Report, routes: readonly Route[], getSettings: GetSettings): Report {
  const all = routes.flatMap((route) =>
    (getSettings(route).expected ?? []).map((expected) => ({ operationId: route.operationId, expected })),
  );
  if (all.length === 0) return report;
  const find = ({ operationId, rule, status }: Failure) =>
    all.find((one) => one.operationId === operationId && isExpected(one.expected, rule?.name, status));
  const expected = report.failures.flatMap((failure) => {
    const found = find(failure);
    return found ? [{ ...failure, reason: found.expected.reason }] : [];
  });
  const isMissed = (one: (typeof all)[number]) =>
    !report.failures.some((failure) => find(failure) === one) && wasTested(report, one.operationId, one.expected.rule);
  const missed = all.filter(isMissed).map(({ operationId, expected: { rule } }) => `${operationId} ${rule}`);
  return {
    ...report,
    failures: report.failures.filter((failure) => !find(failure)),
    expected,
    notes: [
      ...report.notes,
      ...(missed.length > 0
        ? [
            `Expected failures that did not occur: ${missed.join(', ')}. If they are fixed, remove them from check.operations`,
          ]
        : []),
    ],
  };
}

function isExpected(expected: ExpectedFailure, rule: string | undefined, status: string): boolean {
  return expected.rule === rule && (expected.status === undefined || String(expected.status) === status);
}

function wasTested({ coverage }: Report, operationId: string, rule: string): boolean {
  const own = coverage.operations.find((one) => one.operationId === operationId);
  return own !== undefined && own.requests > 0 && own.rules.find((one) => one.rule === rule)?.count !== 0;
}

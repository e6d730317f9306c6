import { type CheckedRule, describeCoverage, groupByReason, type OperationCoverage } from './coverage.ts';
import type { Failure, Report } from './report.ts';
import {
  createCells,
  escapeReport,
  formatHeading,
  formatKnown,
  formatRule,
  formatUnchecked,
  formatVerdict,
  groupFailures,
} from './text.ts';

/** The maximum number of failures in a summary. */
const MAX_FAILURES = 30;

/** The maximum number of requests that a summary lists for each failure. */
const MAX_STEPS = 6;

/** Formats a report as Markdown, for the summary page of a CI service. */
export function toMarkdown(report: Report): string {
  const readable = escapeReport(report);
  const { title, checks, rows, failures, notes, coverage } = readable;
  const line = (cells: readonly string[]) => `| ${cells.map(escapeText).join(' | ')} |`;
  const table = [
    line(['operation', 'response', ...checks]),
    `|---|---|${checks.map(() => '--:|').join('')}`,
    ...rows.map((row) => line(createCells(row, checks))),
  ];
  const known = formatKnown(readable);
  const sections = groupFailures(failures)
    .slice(0, MAX_FAILURES)
    .map(([first, ...others]) => (first ? formatFailure(first, others) : ''));
  return [
    `## ${escapeText(formatVerdict(readable))}`,
    '',
    escapeText(title),
    '',
    ...sections,
    ...known.map((line) => `- ${escapeText(line)}`),
    ...(known.length > 0 ? [''] : []),
    ...[...describeCoverage(coverage), ...notes, ...formatUnchecked(readable)].map(escapeText),
    '',
    ...table,
    '',
    ...(coverage.operations.length > 0
      ? [...COVERAGE_HEAD, ...coverage.operations.map(toCoverageCells).map(line), '']
      : []),
  ].join('\n');
}

const COVERAGE_HEAD = [
  '| operation | requests | succeeded | sequences | checked rules | not checked |',
  '|---|--:|--:|--:|---|---|',
];

/** Returns the cells of a table row: what the check covered with an operation. */
function toCoverageCells({ operationId, requests, accepted, sequences, rules }: OperationCoverage): readonly string[] {
  const isChecked = ({ count }: CheckedRule) => count > 0;
  const checked = rules.filter(isChecked).map(({ rule, count }) => `${rule} ${count}`);
  const skipped = groupByReason(rules).map(([reason, names]) => `${names.join(', ')}: ${reason}`);
  return [operationId, ...[requests, accepted, sequences].map(String), checked.join(', '), skipped.join('; ')];
}

function formatFailure(failure: Failure, others: readonly Failure[]): string {
  const { title, rule, message, place, steps } = failure;
  const places = others.map(
    (other) => `${other.operationId} ${other.status}${other.title === title ? '' : ` (${other.title})`}`,
  );
  const also = places.length > 0 ? [escapeText(`Also: ${places.join(', ')}`), ''] : [];
  return [
    `### ${escapeText(formatHeading(failure))}`,
    '',
    escapeText(message),
    '',
    `Contract: \`${place.replaceAll('`', "'")}\``,
    '',
    ...(rule ? [`Rule: ${formatRule(rule)}`, ''] : []),
    ...(rule?.remedy ? [`If the server is right: ${rule.remedy}`, ''] : []),
    ...also,
    '````sh',
    ...steps.slice(-MAX_STEPS).flatMap(({ request, response }) => [request, `# ${response}`]),
    '````',
    '',
  ].join('\n');
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|#]/g, String.raw`\$&`).replaceAll('\n', ' ');
}

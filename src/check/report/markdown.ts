import { toReadable } from './readable-body.ts';
import type { Failure, Report } from './report.ts';
import { cellsOf, failuresByRule, unjudgedLines, verdictLine } from './text.ts';

/** The number of failures on a page, and the number of steps of a failure. */
const FAILURES = 30;
const STEPS = 6;

/** Returns a report as Markdown, for the pages of a CI service. */
export function toMarkdown(report: Report): string {
  const { title, judges, rows, failures, notes, unjudged } = toReadable(report);
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  const table = [
    line(['operation', 'response', ...judges]),
    `|---|---|${judges.map(() => '--:|').join('')}`,
    ...rows.map((row) => line(cellsOf(row, judges))),
  ];
  const sections = failuresByRule(failures)
    .slice(0, FAILURES)
    .map(([first, ...others]) => (first ? failureText(first, others) : ''));
  return [
    `## ${escaped(verdictLine(failures, unjudged))}`,
    '',
    escaped(title),
    '',
    ...sections,
    ...[...notes, ...unjudgedLines(unjudged)].map(escaped),
    '',
    ...table,
    '',
  ].join('\n');
}

function failureText(
  { judge, operationId, status, rule, message: said, place, steps }: Failure,
  others: readonly Failure[],
): string {
  const also =
    others.length > 0 ? [`Also: ${others.map((one) => `${one.operationId} ${one.status}`).join(', ')}`, ''] : [];
  return [
    `### ${escaped(`${operationId} ${status} (${judge}): ${rule}`)}`,
    '',
    escaped(said),
    '',
    `Contract: \`${place.replaceAll('`', "'")}\``,
    '',
    ...also,
    '````sh',
    ...steps.slice(-STEPS).flatMap(({ request, answer }) => [request, `# ${answer}`]),
    '````',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|#]/g, String.raw`\$&`).replaceAll('\n', ' ');
}

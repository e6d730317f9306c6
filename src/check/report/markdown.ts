import { toReadable } from './readable-body.ts';
import type { Failure, Report } from './report.ts';
import { cellsOf, failuresByRule, unjudgedLines, verdictLine } from './text.ts';

/** How many failures and how many lines of each a page shows. */
const FAILURES = 30;
const STEPS = 6;

/** A report as Markdown, for the pages of a CI service. */
export function toMarkdown(report: Report): string {
  const { title, judges, rows, failures, notes, unjudged } = toReadable(report);
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  const table = [
    line(['operation', 'answer', ...judges]),
    `|---|---|${judges.map(() => '--:|').join('')}`,
    ...rows.map((row) => line(cellsOf(row, judges))),
  ];
  const told = failuresByRule(failures)
    .slice(0, FAILURES)
    .map(([first, ...others]) => (first ? failureText(first, others) : ''));
  return [
    `## Contract: ${escaped(verdictLine(failures, unjudged))}`,
    '',
    escaped(title),
    '',
    ...told,
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
    `The contract: \`${place.replaceAll('`', "'")}\``,
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

import type { Count } from '../findings.ts';
import { toReadable } from './readable-body.ts';
import type { Failure, Report, Row } from './report.ts';

/** How many of the failures of one rule are told in full, how many in a line each, and how many of the steps that led to one. */
const IN_FULL = 1;
const IN_LINES = 8;
const STEPS = 40;

/** A report for people at a terminal: one table, each failure with its request and answer, and the verdict in a line. */
export function toText(given: Report): string {
  const report = toReadable(given);
  const { title, failures, notes, unjudged } = report;
  const told = failuresByRule(failures).map((group, number) => groupText(group, number + 1));
  return [
    title,
    '',
    tableText(report),
    ...(told.length > 0 ? ['', ...told] : []),
    '',
    ...notes,
    ...unjudgedLines(unjudged),
    verdictLine(failures, unjudged),
  ].join('\n');
}

/** The verdict in a line. */
export function verdictLine(failures: readonly Failure[], unjudged: readonly string[] = []): string {
  const ways = failuresByRule(failures).length;
  if (ways === 0 && unjudged.length > 0)
    return 'incomplete: nothing was found that breaks the contract, but not all was judged';
  if (ways === 0) return 'kept: nothing was found that breaks the contract';
  const broken = `broken: ${ways} ${ways === 1 ? 'rule' : 'rules'} of the contract, in ${failures.length} ${failures.length === 1 ? 'place' : 'places'}`;
  return unjudged.length > 0 ? `${broken}; not all was judged` : broken;
}

/** How much of what was not judged is named. */
const UNJUDGED_SHOWN = 20;

/** What was not judged, in a line; none where all was. */
export function unjudgedLines(unjudged: readonly string[]): readonly string[] {
  const rest = unjudged.length - UNJUDGED_SHOWN;
  const shown = unjudged.slice(0, UNJUDGED_SHOWN).join('; ');
  return unjudged.length > 0 ? [`not judged, or not to the end: ${shown}${rest > 0 ? `; and ${rest} more` : ''}`] : [];
}

/** The failures of one rule together, in the order in which they were found. */
export function failuresByRule(failures: readonly Failure[]): readonly (readonly Failure[])[] {
  const rules = new Map<string, Failure[]>();
  for (const failure of failures) rules.set(failure.rule, [...(rules.get(failure.rule) ?? []), failure]);
  return [...rules.values()];
}

function groupText(group: readonly Failure[], number: number): string {
  const full = group.slice(0, IN_FULL).map((failure) => failureText(failure, number));
  const lines = group
    .slice(IN_FULL, IN_FULL + IN_LINES)
    .map(({ operationId, status, steps }) => `   also ${operationId} ${status}: ${steps.at(-1)?.request ?? ''}`);
  const rest = group.length - IN_FULL - IN_LINES;
  return [...full, ...lines, ...(rest > 0 ? [`   and ${rest} more`] : []), ''].join('\n');
}

function failureText(failure: Failure, number: number): string {
  const { judge, operationId, status, rule, message: said, place, steps, again } = failure;
  const shown = steps.slice(-STEPS);
  return [
    `${number}. ${operationId} ${status} (${judge}): ${rule}`,
    `   ${said}`,
    `   the contract: ${place}`,
    ...shown.flatMap(({ request, answer }) => [`   $ ${request}`, `     ${answer}`]),
    ...(again === undefined ? [] : [`   again: ${again}`]),
  ].join('\n');
}

function tableText({ judges, rows }: Report): string {
  const cells = [['operation', 'answer', ...judges], ...rows.map((row) => cellsOf(row, judges))];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The cells of a row: how many answers a judge has seen, and how many of them were wrong. */
export function cellsOf({ operationId, status, counts }: Row, judges: readonly string[]): readonly string[] {
  return [operationId, status, ...judges.map((judge) => countText(counts[judge]))];
}

function countText(count: Count | undefined): string {
  if (!count) return '-';
  return count.wrong > 0 ? `${count.seen || ''} FAILED ${count.wrong}`.trim() : String(count.seen);
}

import { limitList } from '../../util/limit-list.ts';
import type { Count } from '../findings.ts';
import { toReadable } from './readable-body.ts';
import type { Failure, Report, Row } from './report.ts';

/** The number of failures of one rule that are printed in full, the number printed in one line each, and the number of steps of a failure. */
const IN_FULL = 1;
const IN_LINES = 8;
const STEPS = 40;

/** Returns a report for a terminal: a table, each failure with its requests and responses, and the verdict. */
export function toText(unsafeReport: Report): string {
  const report = toReadable(unsafeReport);
  const { title, failures, notes, unjudged } = report;
  const groups = failuresByRule(failures).map((group, number) => groupText(group, number + 1));
  return [
    title,
    '',
    tableText(report),
    ...(groups.length > 0 ? ['', ...groups] : []),
    '',
    ...notes,
    ...unjudgedLines(unjudged),
    verdictLine(failures, unjudged),
  ].join('\n');
}

/** Returns the verdict as one line. */
export function verdictLine(failures: readonly Failure[], unjudged: readonly string[] = []): string {
  const rules = failuresByRule(failures).length;
  if (rules > 0) {
    const counts = `${toCount(rules, 'rule')} violated, ${toCount(failures.length, 'finding')}`;
    return `Contract check failed: ${counts}${unjudged.length > 0 ? '; not everything was checked' : ''}`;
  }
  return unjudged.length > 0
    ? 'Contract check incomplete: no violations found, but not everything was checked'
    : 'Contract check passed: no violations found';
}

function toCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The number of unchecked parts that a report names. */
const MAX_UNCHECKED = 20;

/** Returns what was not checked as one line; none if everything was. */
export function unjudgedLines(unjudged: readonly string[]): readonly string[] {
  return unjudged.length > 0 ? [`Not checked, or only in part: ${limitList(unjudged, MAX_UNCHECKED).join('; ')}`] : [];
}

/** Returns the failures grouped by rule, in the order in which they were found. */
export function failuresByRule(failures: readonly Failure[]): readonly (readonly Failure[])[] {
  const rules = new Map<string, Failure[]>();
  for (const failure of failures) rules.set(failure.rule, [...(rules.get(failure.rule) ?? []), failure]);
  return [...rules.values()];
}

function groupText(group: readonly Failure[], number: number): string {
  const full = group.slice(0, IN_FULL).map((failure) => failureText(failure, number));
  const lines = group
    .slice(IN_FULL)
    .map(({ operationId, status, steps }) => `also ${operationId} ${status}: ${steps.at(-1)?.request ?? ''}`);
  return [...full, ...limitList(lines, IN_LINES).map((line) => `   ${line}`), ''].join('\n');
}

function failureText(failure: Failure, number: number): string {
  const { judge, operationId, status, rule, message: said, place, steps, again } = failure;
  const shown = steps.slice(-STEPS);
  return [
    `${number}. ${operationId} ${status} (${judge}): ${rule}`,
    `   ${said}`,
    `   contract: ${place}`,
    ...shown.flatMap(({ request, answer }) => [`   $ ${request}`, `     ${answer}`]),
    ...(again === undefined ? [] : [`   reproduce: ${again}`]),
  ].join('\n');
}

function tableText({ judges, rows }: Report): string {
  const cells = [['operation', 'response', ...judges], ...rows.map((row) => cellsOf(row, judges))];
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

/** Returns the cells of a row: for each check the number of responses, and the number of failures. */
export function cellsOf({ operationId, status, counts }: Row, judges: readonly string[]): readonly string[] {
  return [operationId, status, ...judges.map((judge) => countText(counts[judge]))];
}

function countText(count: Count | undefined): string {
  if (!count) return '-';
  return count.wrong > 0 ? `${count.seen || ''} FAILED ${count.wrong}`.trim() : String(count.seen);
}

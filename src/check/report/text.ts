import { escapeControls, joinList, limitList } from '../../util/text.ts';
import type { Count } from '../findings.ts';
import { describeCoverage } from './coverage.ts';
import { type Failure, getCounting, hasStaleEntries, type Report, type Row } from './report.ts';

/** The number of failures of each cause that are printed with all their requests. */
const MAX_IN_FULL = 1;

/** The maximum number of further failures of each cause. Each of them is printed in one line. */
const MAX_IN_LINES = 8;

/** The maximum length of the request of a further failure of a cause, in characters. A long one has a long body. */
const MAX_FURTHER_LENGTH = 200;

/** The maximum number of requests that are printed for a failure. */
const MAX_STEPS = 40;

/** Formats a report for a terminal: a table of responses, the failures with their requests, and the verdict. */
export function toText(unsafeReport: Report): string {
  const report = escapeReport(unsafeReport);
  const { title, failures, notes } = report;
  const groups = groupFailures(failures).map((group, number) => formatGroup(group, number + 1));
  const known = formatKnown(report);
  return [
    title,
    '',
    formatResponseTable(report),
    ...(groups.length > 0 ? ['', ...groups] : []),
    ...(known.length > 0 ? [...(groups.length > 0 ? [] : ['']), ...known] : []),
    '',
    ...describeCoverage(report.coverage),
    ...notes,
    ...formatUnchecked(report),
    formatVerdict(report),
  ].join('\n');
}

/** Returns a line for each expected and known failure, and for each fixed one. */
export function formatKnown({ baseline, expected = [] }: Report): readonly string[] {
  const accepted = expected.map((failure) => `expected failure: ${formatHeading(failure)} (${failure.reason})`);
  if (!baseline) return limitList(accepted, MAX_KNOWN);
  const known = baseline.known.map((failure) => `known failure: ${formatHeading(failure)}`);
  const incomplete = baseline.incomplete.map((text) => `known, not checked completely: ${text}`);
  return [
    ...limitList([...accepted, ...known, ...incomplete], MAX_KNOWN),
    ...baseline.fixed.map((text) => `fixed, but in the baseline: ${text}`),
  ];
}

/** The maximum number of known failures that are printed. */
const MAX_KNOWN = 100;

/** Returns the verdict as one line. */
export function formatVerdict(report: Report): string {
  const { baseline, expected = [] } = report;
  const expectedCount = expected.length > 0 ? [toCount(expected.length, 'expected failure')] : [];
  if (!baseline) return [formatResult(report), ...expectedCount].join('; ');
  const fixed = baseline.fixed.length;
  const counts = [
    ...expectedCount,
    toCount(baseline.known.length, 'known failure'),
    ...(baseline.incomplete.length > 0
      ? [`${toCount(baseline.incomplete.length, 'operation')} known to be incomplete`]
      : []),
    ...(fixed > 0 ? [`${fixed} fixed, to remove with --update-baseline`] : []),
  ];
  return `${formatResult(report)}; ${counts.join('; ')}`;
}

function formatResult(report: Report): string {
  const { failures, unchecked, unreached, baseline } = report;
  const noun = baseline ? 'new finding' : 'finding';
  const counting = getCounting(report);
  const causes = groupFailures(counting).length;
  if (causes > 0) {
    const findings = toCount(counting.length, noun);
    const counts = causes === counting.length ? findings : `${toCount(causes, 'cause')}, ${findings}`;
    return `Contract check failed: ${counts}${unchecked.length > 0 ? '; not everything was checked' : ''}`;
  }
  if (hasStaleEntries(report)) return 'Contract check failed: no new findings, but the baseline has fixed failures';
  const addition = unreached.length > 0 ? `; ${toCount(unreached.length, 'operation')} not reached` : '';
  const likely = groupFailures(failures).length;
  const found =
    likely > 0 ? `no certain violations found, ${likely} likely` : `no ${baseline ? 'new ' : ''}violations found`;
  return unchecked.length > 0
    ? `Contract check incomplete: ${found}, but not everything was checked`
    : `Contract check passed: ${found}${addition}`;
}

export function toCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * The maximum number of operations that a report lists as not reached, and of parts that it lists as not checked
 * completely.
 */
const MAX_UNCHECKED = 20;

/**
 * Returns one line with the operations that were not reached, and one line with the parts that were not checked
 * completely.
 * Omits a line without entries.
 */
export function formatUnchecked({ unchecked, unreached }: Report): readonly string[] {
  const lists = { 'Not reached': unreached, 'Not checked completely': unchecked };
  return Object.entries(lists)
    .filter(([, list]) => list.length > 0)
    .map(([title, list]) => `${title}: ${joinList(list, MAX_UNCHECKED, '; ')}`);
}

/** Returns the failures grouped by cause, in the order in which they were found. */
export function groupFailures(failures: readonly Failure[]): readonly (readonly Failure[])[] {
  const causes = new Map<string, Failure[]>();
  for (const failure of failures) {
    const { cause = failure.title } = failure;
    causes.set(cause, [...(causes.get(cause) ?? []), failure]);
  }
  return [...causes.values()];
}

function formatGroup(group: readonly Failure[], number: number): string {
  const full = group.slice(0, MAX_IN_FULL).map((failure) => formatFailure(failure, number));
  const lines = group.slice(MAX_IN_FULL).map((failure) => formatFurther(failure, group[0]));
  return [...full, ...limitList(lines, MAX_IN_LINES).map((line) => `   ${line}`), ''].join('\n');
}

/** Returns the line of a failure with the same cause as the first one of its group. */
function formatFurther(failure: Failure, first: Failure | undefined): string {
  const { operationId, status, title, rule, steps, request = steps.at(-1)?.request ?? '' } = failure;
  const other = title === first?.title ? '' : formatTitle(title, rule);
  const isLong = request.length > MAX_FURTHER_LENGTH;
  const shown = isLong ? `${request.slice(0, MAX_FURTHER_LENGTH)}… (${request.length} characters)` : request;
  return `also ${operationId} ${status}${other}: ${shown}`;
}

/** Returns the name of the violated rule with its confidence. */
export function formatRule({ name, confidence }: NonNullable<Failure['rule']>): string {
  return `${name} (${confidence})`;
}

/** Returns the heading of a failure: the operation, the response, and what the contract requires. */
export function formatHeading({ check, operationId, status, title, rule }: Failure): string {
  return `${operationId} ${status} (${check})${formatTitle(title, rule)}`;
}

function formatTitle(title: string, rule: Failure['rule']): string {
  return rule ? ` violates "${title}"` : `: ${title}`;
}

function formatFailure(failure: Failure, number: number): string {
  const { rule, message, place, steps, reproduce } = failure;
  return [
    `${number}. ${formatHeading(failure)}`,
    `   ${message}`,
    ...(rule ? [`   rule: ${formatRule(rule)}`] : []),
    `   contract: ${place}`,
    ...steps.slice(-MAX_STEPS).flatMap(({ request, response }) => [`   $ ${request}`, `     ${response}`]),
    ...(rule?.remedy ? [`   if the server is right: ${rule.remedy}`] : []),
    ...(reproduce === undefined ? [] : [`   reproduce: ${reproduce}`]),
  ].join('\n');
}

/** The maximum number of rows of the table. A longer one would hide the failures, and has only rows with failures. */
const MAX_ROWS = 200;

function formatResponseTable({ checks, rows }: Report): string {
  const isFailed = ({ counts }: Row) => Object.values(counts).some((count) => count !== undefined && count.wrong > 0);
  const shown = rows.length > MAX_ROWS ? rows.filter(isFailed) : rows;
  const hidden = rows.length - shown.length;
  const cells = [['operation', 'response', ...checks], ...shown.map((row) => createCells(row, checks))];
  const more =
    hidden === 0 ? [] : [`${hidden} responses without failures are only in report files, such as check.json`];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, ...more].join('\n');
}

/** Returns the cells of a table row: the operation, the response, and the counts of each check. */
export function createCells({ operationId, status, counts }: Row, checks: readonly string[]): readonly string[] {
  return [operationId, status, ...checks.map((check) => formatCount(counts[check]))];
}

function formatCount(count: Count | undefined): string {
  if (!count) return '-';
  if (count.wrong === 0) return String(count.seen);
  return count.wrong > count.seen ? `${count.wrong} FAILED` : `${count.wrong} of ${count.seen} FAILED`;
}

/**
 * Returns a copy of a report without control characters and line breaks.
 * The responses of a server can contain them.
 */
export function escapeReport(report: Report): Report {
  return escapeTexts(report) as Report;
}

/** Shares the parts without such characters with the report, because that of a large contract has many parts. */
function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return escapeControlCharacters(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, escapeTexts(inner)] as const);
  if (entries.every(([key, inner]) => inner === (value as Readonly<Record<string, unknown>>)[key])) return value;
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Escapes control characters as in JSON, and replaces line breaks with spaces. */
function escapeControlCharacters(text: string): string {
  return escapeControls(text.replaceAll(/\s*[\r\n]\s*/g, ' '));
}

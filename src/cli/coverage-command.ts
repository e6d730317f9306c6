import { appendFileSync, readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { CoverageReport } from '../control/operation.ts';
import { formatLcov, formatMarkdown, formatText } from '../coverage/format.ts';
import { type CoverageLimits, findFailures, findInvalidLimit } from '../coverage/limits.ts';
import { describeUnknownOperation, omitOperations, POINT_KINDS } from '../coverage/totals.ts';
import { UserError } from '../util/issue.ts';
import type { ActionCommand, CoverageOptions } from './control-command.ts';
import type { CommandResult } from './json-output.ts';
import { createUsageError, parseList } from './option-values.ts';

const PATH = 'coverage';

/** The command that shows and resets the coverage of the contract. */
export const COVERAGE_COMMAND: ActionCommand = {
  name: 'coverage',
  isServerWide: true,
  description: 'Show which parts of the contract the requests to all sandboxes have used, or reset the counts.',
  options: [
    ['--markdown', 'print Markdown'],
    ['--lcov', 'print the lines of the contract in the format of LCOV'],
    [
      '--min <percentage>',
      'fail if the percentage of touched parts is lower: 80, or by kind: operations=60,statuses=20',
      parseMinimum,
    ],
    [
      '--fail-on <kinds>',
      `fail if a part was never touched: untouched-KIND with ${POINT_KINDS.join(', ')}; comma-separated, repeatable`,
      parseFailOn,
    ],
    ['--ignore <operationIds>', 'operations that do not count; comma-separated, repeatable', parseIgnore],
    ['--check-report <file>', 'JSON report of `storefront check`: also show which parts the check has used'],
    ['--summary <file>', 'file to append Markdown to (env: GITHUB_STEP_SUMMARY)'],
  ],
  actions: {
    show: (_, options) => {
      if (options.markdown && options.lcov) throw createUsageError('Use only one of --markdown and --lcov.');
      return { method: 'GET', serverPath: PATH, format: 'coverage', coverage: options as CoverageOptions };
    },
    reset: { method: 'DELETE', serverPath: PATH },
  },
};

/** Parses a percentage, or percentages by kind such as `operations=60,statuses=20`. */
function parseMinimum(text: string): CoverageLimits['min'] {
  const entries = parseList(text).map((entry) => /^(?:(.+)=)?(\d+(?:\.\d+)?)$/.exec(entry) ?? []);
  const [[, name, percentage] = []] = entries;
  const isTotal = entries.length === 1 && name === undefined;
  return parseLimit(
    'min',
    isTotal ? Number(percentage) : Object.fromEntries(entries.map(([, kind, value]) => [kind, Number(value)])),
  );
}

function parseFailOn(text: string, previous: CoverageLimits['failOn'] = []): CoverageLimits['failOn'] {
  return [...previous, ...(parseLimit('failOn', parseList(text)) ?? [])];
}

function parseIgnore(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...parseList(text)];
}

function parseLimit<Name extends keyof CoverageLimits>(name: Name, value: unknown): CoverageLimits[Name] {
  const issue = findInvalidLimit({ min: undefined, failOn: undefined, ignore: undefined, [name]: value });
  if (issue) throw new InvalidArgumentError(`Use ${issue.remedy}.`);
  return value as CoverageLimits[Name];
}

/**
 * Prints a coverage, and appends Markdown to the summary.
 * Returns the coverage, and an error with the missing points if the coverage is too low.
 */
export function printCoverage(
  all: CoverageReport,
  options: CoverageOptions,
  print: (text: string) => void,
): CommandResult {
  const unknown = describeUnknownOperation([all], options.ignore);
  if (unknown !== undefined) throw new UserError(`Invalid option --ignore. ${unknown}`);
  const report = omitOperations(all, options.ignore);
  const check =
    options.checkReport === undefined
      ? undefined
      : omitOperations(readCheckReport(options.checkReport), options.ignore);
  if (options.markdown) print(formatMarkdown(report, check));
  else print(options.lcov ? formatLcov(report) : formatText(report, check));
  if (options.summary !== undefined) appendSummary(options.summary, formatMarkdown(report, check));
  const failures = findFailures(report, options);
  const data = check === undefined ? report : { ...report, check };
  return failures.length > 0 ? { data, error: { code: 'coverage_too_low', message: failures.join('\n') } } : { data };
}

/** Reads the coverage of the contract from a JSON report of `storefront check`. */
function readCheckReport(path: string): CoverageReport {
  let report: unknown;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new UserError(`Cannot read the report of the check ${path}: ${(cause as Error).message}`, { cause });
  }
  const { coverage } = (report ?? {}) as { readonly coverage?: { readonly contract?: unknown } };
  if (isCoverage(coverage?.contract)) return coverage.contract;
  throw new UserError(`${path} has no coverage of the contract. Create it with storefront check --report ${path}`);
}

/** Returns whether a value is a coverage of a contract. */
export function isCoverage(value: unknown): value is CoverageReport {
  const { totals, operations } = (value ?? {}) as Partial<CoverageReport>;
  return Array.isArray(totals) && Array.isArray(operations);
}

function appendSummary(path: string, text: string): void {
  try {
    appendFileSync(path, text);
  } catch (cause) {
    throw new UserError(`Cannot write the summary to ${path}: ${(cause as Error).message}`, { cause });
  }
}

import { relative } from 'node:path';
import type { Contract } from '../../openapi/contract.ts';
import { createLocator } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { redactText } from '../../util/redact-secrets.ts';
import type { Verdict } from '../check.ts';
import { type Exchange, toCurl } from '../exchange.ts';
import { CHECK_NAMES, type Count, type Finding } from '../findings.ts';

/** All that was judged, as it is printed: judges may be added to it. */
export interface Report {
  /** What was judged, in a line. */
  readonly title: string;
  readonly checks: readonly string[];
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
  /** What else should be known, a sentence each. */
  readonly notes: readonly string[];
  /** What was not judged to its end though it was meant to be, in words. */
  readonly unchecked: readonly string[];
}

/** What a further judge adds to a report. */
export type ReportPart = Omit<Report, 'title' | 'unchecked'>;

/** A report with what another judge has seen. */
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

/** A documented answer of an operation, or one that came without being documented, and what each judge has seen of it. */
export interface Row {
  readonly operationId: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, Count | undefined>>;
}

/** One way in which the contract is broken. */
export interface Failure {
  readonly check: string;
  readonly operationId: string;
  readonly status: string;
  readonly rule: string;
  /** What came and what would be right, as a sentence. */
  readonly message: string;
  /** Where the contract says so: file, line, column and JSON Pointer. */
  readonly place: string;
  readonly steps: readonly Step[];
  /** How to judge the same again; undefined where the requests say all. */
  readonly reproduce?: string;
}

/** A request as a line for a shell, and what came. */
export interface Step {
  readonly request: string;
  readonly response: string;
}

/** What is shown of an answer's body, in characters. */
const MAX_BODY_LENGTH = 300;

/** The command by which an operation is judged again in the same way. */
export type FormatCommand = (operationId: string) => string;

/** A verdict as a report. */
export async function createReport(verdict: Verdict, contract: Contract, reproduce: FormatCommand): Promise<Report> {
  const { url, seed, runs, routes, findings, ledger, notes, unchecked } = verdict;
  const path = pathFromHere(contract.path);
  const locate = await createLocator(path, contract.text);
  const rows = routes.flatMap((route) => createRows(verdict, route));
  const scope = verdict.model
    ? `the model of ${verdict.model}`
    : 'the checks for any API (examples, links, create-read-delete)';
  return {
    title: `Checked ${url} against ${path} with ${scope}: ${ledger.responseCount} responses, seed ${seed}, ${runs} runs`,
    checks: CHECK_NAMES,
    rows,
    failures: findings.map((finding) => ({
      ...createFailure(verdict, finding, locate),
      again: reproduce(finding.operationId),
    })),
    notes: [...notes, ...noteMissingResponses(rows)],
    unchecked,
  };
}

/** Which documented answers no judge has seen, a sentence. */
function noteMissingResponses(rows: readonly Row[]): readonly string[] {
  const missing = rows.filter(
    ({ status, counts }) => /^\d+$/.test(status) && !Object.values(counts).some((count) => count?.seen),
  );
  return missing.length > 0
    ? [
        `Documented responses that were never received: ${missing.map(({ operationId, status }) => `${operationId} ${status}`).join(', ')}`,
      ]
    : [];
}

/** A path as people would write it. */
export function pathFromHere(path: string): string {
  const short = relative('.', path);
  return short.startsWith('..') ? path : short;
}

function createRows({ ledger }: Verdict, { operationId, responses }: Route): readonly Row[] {
  const documented = responses.map(({ name }) => name);
  const seen = ledger.getStatuses(operationId);
  // A range that no answer was in says nothing.
  const expected = documented.filter((name) => /^\d+$/.test(name) || seen.includes(name));
  const statuses = [...expected, ...seen.filter((status) => !documented.includes(status))];
  return statuses.map((status) => ({
    operationId,
    status,
    counts: Object.fromEntries(CHECK_NAMES.map((check) => [check, ledger.getCount(check, operationId, status)])),
  }));
}

function createFailure(verdict: Verdict, finding: Finding, locate: (pointer: string) => string): Failure {
  const { url, headers } = verdict;
  const { check, operationId, status, rule, message, pointer, exchanges } = finding;
  return {
    check,
    operationId,
    status,
    rule,
    message: redactText(message),
    place: locate(pointer),
    steps: exchanges.map((exchange) => createStep(url, headers, exchange)),
  };
}

function createStep(url: string, headers: Readonly<Record<string, string>>, { request, response }: Exchange): Step {
  const type = response.headers['content-type'];
  const { length } = response.text;
  const body = redactText(
    length > MAX_BODY_LENGTH ? `${response.text.slice(0, MAX_BODY_LENGTH)}… (${length} characters)` : response.text,
  );
  const outcome =
    response.status === 0 ? 'no response' : [String(response.status), type, body].filter((part) => part).join(' ');
  return { request: toCurl(url, request, headers), response: outcome };
}

import { relative } from 'node:path';
import type { Contract } from '../../openapi/contract.ts';
import { createLocator } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { redactText } from '../../util/redact-secrets.ts';
import type { Verdict } from '../check.ts';
import { type Exchange, toCurl } from '../exchange.ts';
import { type Count, type Finding, JUDGES } from '../findings.ts';

/** All that was judged, as it is printed: judges may be added to it. */
export interface Report {
  /** What was judged, in a line. */
  readonly title: string;
  readonly judges: readonly string[];
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
  /** What else should be known, a sentence each. */
  readonly notes: readonly string[];
  /** What was not judged to its end though it was meant to be, in words. */
  readonly unjudged: readonly string[];
}

/** What a further judge adds to a report. */
export type ReportPart = Omit<Report, 'title' | 'unjudged'>;

/** A report with what another judge has seen. */
export function joined(report: Report, { judges, rows, failures, notes }: ReportPart): Report {
  const isSame = (one: Row, other: Row) => one.operationId === other.operationId && one.status === other.status;
  const added = rows.filter((row) => !report.rows.some((other) => isSame(row, other)));
  const countsFor = (row: Row) => rows.find((other) => isSame(row, other))?.counts ?? {};
  return {
    ...report,
    judges: [...report.judges, ...judges],
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
  readonly judge: string;
  readonly operationId: string;
  readonly status: string;
  readonly rule: string;
  /** What came and what would be right, as a sentence. */
  readonly message: string;
  /** Where the contract says so: file, line, column and JSON Pointer. */
  readonly place: string;
  readonly steps: readonly Step[];
  /** How to judge the same again; undefined where the requests say all. */
  readonly again?: string;
}

/** A request as a line for a shell, and what came. */
export interface Step {
  readonly request: string;
  readonly answer: string;
}

/** What is shown of an answer's body, in characters. */
const BODY_SHOWN = 300;

/** The command by which an operation is judged again in the same way. */
export type Again = (operationId: string) => string;

/** A verdict as a report. */
export async function createReport(verdict: Verdict, contract: Contract, again: Again): Promise<Report> {
  const { url, seed, runs, kind, routes, findings, ledger, notes, unjudged } = verdict;
  const path = pathFromHere(contract.path);
  const placeOf = await createLocator(path, contract.text);
  const rows = routes.flatMap((route) => rowsOf(verdict, route));
  const scope = kind === 'shop' ? 'the shop model' : 'the checks for any API (examples, links, create-read-delete)';
  return {
    title: `Checked ${url} against ${path} with ${scope}: ${ledger.answers} responses, seed ${seed}, ${runs} runs`,
    judges: JUDGES,
    rows,
    failures: findings.map((finding) => ({
      ...failureOf(verdict, finding, placeOf),
      again: again(finding.operationId),
    })),
    notes: [...notes, ...neverSeen(rows)],
    unjudged,
  };
}

/** Which documented answers no judge has seen, a sentence. */
function neverSeen(rows: readonly Row[]): readonly string[] {
  const never = rows.filter(
    ({ status, counts }) => /^\d+$/.test(status) && !Object.values(counts).some((count) => count?.seen),
  );
  return never.length > 0
    ? [
        `Documented responses that were never received: ${never.map(({ operationId, status }) => `${operationId} ${status}`).join(', ')}`,
      ]
    : [];
}

/** A path as people would write it. */
export function pathFromHere(path: string): string {
  const short = relative('.', path);
  return short.startsWith('..') ? path : short;
}

function rowsOf({ ledger }: Verdict, { operationId, responses }: Route): readonly Row[] {
  const documented = responses.map(({ name }) => name);
  const seen = ledger.statusesOf(operationId);
  // A range that no answer was in says nothing.
  const expected = documented.filter((name) => /^\d+$/.test(name) || seen.includes(name));
  const statuses = [...expected, ...seen.filter((status) => !documented.includes(status))];
  return statuses.map((status) => ({
    operationId,
    status,
    counts: Object.fromEntries(JUDGES.map((judge) => [judge, ledger.countOf(judge, operationId, status)])),
  }));
}

function failureOf(verdict: Verdict, finding: Finding, placeOf: (pointer: string) => string): Failure {
  const { url, headers } = verdict;
  const { judge, operationId, status, rule, message: said, pointer, exchanges } = finding;
  return {
    judge,
    operationId,
    status,
    rule,
    message: redactText(said),
    place: placeOf(pointer),
    steps: exchanges.map((exchange) => stepOf(url, headers, exchange)),
  };
}

function stepOf(url: string, headers: Readonly<Record<string, string>>, { ask, reply }: Exchange): Step {
  const type = reply.headers['content-type'];
  const { length } = reply.text;
  const body = redactText(
    length > BODY_SHOWN ? `${reply.text.slice(0, BODY_SHOWN)}… (${length} characters)` : reply.text,
  );
  const outcome =
    reply.status === 0 ? 'no response' : [String(reply.status), type, body].filter((part) => part).join(' ');
  return { request: toCurl(url, ask, headers), answer: outcome };
}

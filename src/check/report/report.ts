import { dirname, relative, resolve } from 'node:path';
import type { Contract } from '../../openapi/contract.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { findRepository } from '../../openapi/source-files.ts';
import { describeConversion } from '../../openapi/swagger.ts';
import { isUrl } from '../../util/source-path.ts';
import { joinList } from '../../util/text.ts';
import { findPropertyPointer } from '../body-places.ts';
import { groupByCause } from '../causes.ts';
import type { Verdict } from '../check.ts';
import { getCommonHeaders } from '../credentials.ts';
import { type Exchange, toCurl } from '../exchange.ts';
import { CHECK_NAMES, type Count, type Finding, getFindingKey, MAX_BODY_LENGTH } from '../findings.ts';
import { getBodySchema } from '../requests.ts';
import { type Confidence, getConfidence, getRule, type RuleName } from '../rules.ts';
import { type CoverageReport, createCoverage } from './coverage.ts';
import { redactGivenHeaders, redactRequest, redactResponseText } from './redact.ts';

/** The report of `storefront check` about a server. */
export interface Report {
  /** The server, the contract and the settings of the check, in one line. */
  readonly title: string;
  readonly checks: readonly string[];
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
  /** The least confidence of a failure that makes the check fail. Default: likely. */
  readonly minConfidence?: Confidence | undefined;
  /** Additional sentences, for example about operations that were skipped. */
  readonly notes: readonly string[];
  /** What the check covered, by operation and by rule. */
  readonly coverage: CoverageReport;
  /** The failures that the configuration expects, and why. */
  readonly expected?: readonly (Failure & { readonly reason: string })[];
  /** The known failures, and those that are fixed; undefined without a baseline. */
  readonly baseline?: BaselineResult;
  /** Descriptions of what was not checked completely. */
  readonly unchecked: readonly string[];
  /** Descriptions of the operations that were not reached, because no response contained an id for their path. */
  readonly unreached: readonly string[];
}

/**
 * A documented or received response of an operation.
 * `counts`: for each check, the number of responses and the number of violations.
 */
export interface Row {
  readonly operationId: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, Count | undefined>>;
}

/** A violation of the contract. */
export interface Failure extends Pick<Finding, 'operationId' | 'status' | 'title' | 'message'> {
  readonly check: string;
  /** The rule in the table of rules, with what to write in the contract; undefined for an additional check. */
  readonly rule?: {
    readonly name: RuleName;
    readonly confidence: Confidence;
    readonly remedy: string | undefined;
  };
  /** A text that failures with the same cause have in common. Default: `title`. */
  readonly cause?: string;
  /** The place in the contract: file, line, column and JSON Pointer. */
  readonly place: string;
  readonly steps: readonly Step[];
  /** The request of the operation that shows the violation, as a curl command. Default: that of the last step. */
  readonly request?: string | undefined;
  /**
   * The command that repeats the check of the operation; undefined if the steps are enough to reproduce the failure.
   */
  readonly reproduce?: string | undefined;
  /** What the check could not do any more, because the server stopped; undefined for other failures. */
  readonly stop?: Finding['stop'];
}

/**
 * A known failure: a failure with the same operation, check, rule and signature does not make the check fail.
 * A part that is not checked completely has the check `incomplete` and no rule.
 */
export interface BaselineEntry {
  /** The operationId. */
  readonly operation: string;
  /** The method and the path, such as `GET /tasks/{taskId}`. */
  readonly request: string;
  readonly check: string;
  readonly rule?: string;
  /** The status and the violation without generated values, such as `200 body/title type`. */
  readonly signature: string;
  /** The days of the first and of the latest check that found the failure, such as `2026-11-28`, in UTC. */
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly reason?: string;
  readonly ticket?: string;
  /** The last day on which the failure is accepted, in UTC. */
  readonly expires?: string;
}

/** What the comparison of a report with a baseline has found. */
export interface BaselineResult {
  readonly path: string;
  /** Whether a fixed failure makes the check fail. */
  readonly isStrict: boolean;
  /** The failures that the baseline accepts. */
  readonly known: readonly Failure[];
  /** Descriptions of the parts whose incompleteness the baseline accepts. */
  readonly incomplete: readonly string[];
  /** Descriptions of entries whose failures did not occur, although the check reached their operations and rules. */
  readonly fixed: readonly string[];
  /** The entries of the baseline with the results of this check. */
  readonly entries: readonly BaselineEntry[];
}

/** A request as a curl command, and its response as one line. */
export interface Step {
  readonly request: string;
  readonly response: string;
}

/**
 * Returns the failures that make the check fail: all, or only those of certain rules.
 * Failures of additional checks always count.
 */
export function getCounting({ failures, minConfidence }: Report): readonly Failure[] {
  return failures.filter(({ rule }) => minConfidence !== 'certain' || rule?.confidence !== 'likely');
}

/**
 * Returns the status and the violation of a failure, without generated values.
 * Failures of an operation with the same check, rule and signature count as equal in a baseline.
 */
export function getSignature({ status, title }: Pick<Failure, 'status' | 'title'>): string {
  return `${status} ${title.replaceAll(/\/\d+(?![^/\s])/g, '/*')}`.trim();
}

/** Returns whether fixed failures in the baseline make the check fail. */
export function hasStaleEntries({ baseline }: Report): boolean {
  return baseline?.isStrict === true && baseline.fixed.length > 0;
}

/** Creates a report from a verdict. `reproduce` returns the command that repeats the check of an operation. */
export function createReport(
  verdict: Verdict,
  contract: Contract,
  reproduce: (operationId: string) => string | undefined,
): Report {
  const { url, seed, runs, routes, findings, results, notes, unchecked, unreached } = verdict;
  const path = toRelativePath(contract.path);
  const rows = routes.flatMap((route) => createRows(verdict, route));
  const scope = verdict.model
    ? `the model of ${verdict.model}`
    : 'the checks for any API (input, methods, links, behaviour)';
  return {
    title: `Checked ${url} against ${path} with ${scope}: ${results.responseCount} responses, seed ${seed}, ${runs} runs`,
    checks: CHECK_NAMES,
    rows,
    failures: groupByCause(findings, contract.routes).flatMap((group) =>
      group.map((finding) => ({
        ...createFailure({ ...verdict, contract }, finding),
        cause: getFindingKey(group[0]),
        reproduce: reproduce(finding.operationId),
      })),
    ),
    notes: [...(contract.isConverted ? [describeConversion(path)] : []), ...notes, ...noteMissingResponses(rows)],
    coverage: createCoverage(verdict, contract),
    unchecked,
    unreached,
  };
}

/**
 * Returns a list with one note, about the documented responses that were never received.
 * The list is empty if all were received.
 */
function noteMissingResponses(rows: readonly Row[]): readonly string[] {
  const missing = rows
    .filter(({ status, counts }) => /^\d+$/.test(status) && !Object.values(counts).some((count) => count?.seen))
    .map(({ operationId, status }) => `${operationId} ${status}`);
  const list = joinList(missing, MAX_MISSING_RESPONSES);
  return missing.length > 0 ? [`Documented responses that were never received: ${list}`] : [];
}

/** The maximum number of responses in the note about documented responses that were never received. */
const MAX_MISSING_RESPONSES = 40;

/**
 * Returns the file or the URL, the line and the column of a place such as `openapi.yaml:12:5 #/paths/~1tasks/get`.
 * Returns undefined for another text.
 * The path of the file has slashes. It is relative to the Git repository of the file, or else to `workspace`.
 * It is absolute if the file is in neither.
 */
export function parsePlace(place: string, workspace: string) {
  const [, file = '', line, column] = /^(.+):(\d+):(\d+) #/.exec(place) ?? [];
  if (file === '') return undefined;
  const position = { line: Number(line), column: Number(column) };
  if (isUrl(file)) return { file, isRemote: true, ...position };
  // The workspace of a job can contain several repositories.
  const path = relative(findRepository(dirname(resolve(file))) ?? workspace, resolve(file));
  const shown = path.startsWith('..') ? resolve(file) : path;
  return { file: shown.replaceAll('\\', '/'), isRemote: false, ...position };
}

/** Returns a path relative to the working directory. A URL, and a path outside of this directory, is unchanged. */
export function toRelativePath(path: string): string {
  if (isUrl(path)) return path;
  const short = relative('.', path);
  return short.startsWith('..') ? path : short;
}

function createRows({ results }: Verdict, { operationId, responses }: Route): readonly Row[] {
  const documented = responses.map(({ name }) => name);
  const seen = results.getStatuses(operationId);
  // `default` and ranges such as `4XX` are listed only if a response belongs to them.
  const expected = documented.filter((name) => /^\d+$/.test(name) || seen.includes(name));
  const statuses = [...expected, ...seen.filter((status) => !documented.includes(status))];
  return statuses.map((status) => ({
    operationId,
    status,
    counts: Object.fromEntries(CHECK_NAMES.map((check) => [check, results.getCount(check, operationId, status)])),
  }));
}

/** The values that are needed to format requests: the URL and the headers of the check, and the contract. */
type Requests = Pick<Verdict, 'url' | 'headers' | 'query' | 'access' | 'secrets'> & { readonly contract: Contract };

/** Returns the place of a violation in the contract: that of the property, if one shows the violation. */
function locateViolation(
  { routes, normalized, locate }: Contract,
  { operationId, property, pointer }: Finding,
): string {
  const route = routes.find((one) => one.operationId === operationId);
  const schemas = route ? [getBodySchema(route), ...getResponseSchemas(route)] : [];
  const found = schemas.flatMap((schema) =>
    schema === undefined || property === undefined ? [] : (findPropertyPointer(normalized, schema, property) ?? []),
  );
  const place = found[0] ?? pointer;
  return /\/properties\/[^/]+$/.test(place) ? locate.key(place) : locate(place);
}

function getResponseSchemas({ responses, successStatus }: Route): readonly (string | undefined)[] {
  const { media = {} } = findResponse(responses, successStatus) ?? {};
  return Object.values(media).map(({ schema }) => schema);
}

/** Returns what to change in the contract if the server is right. */
function getRemedy({ rule, title }: Finding): string | undefined {
  const isMissing = rule === 'response-schema' && title.endsWith(' required');
  return isMissing ? 'remove the property from `required` in the schema of the response' : getRule(rule).remedy;
}

function createFailure(requests: Requests, finding: Finding): Failure {
  const { exchanges, message, check, operationId, status, title, rule, stop } = finding;
  const header = RULE_HEADERS[rule];
  const proofs = listProofs(finding);
  const steps = exchanges.map((exchange, index) =>
    createStep(requests, exchange, { earlier: exchanges.slice(0, index), header, proofs }),
  );
  const { method } = requests.contract.routes.find((route) => route.operationId === operationId) ?? {};
  const own = exchanges.findLastIndex(({ request }) => request.method === method);
  return {
    check,
    operationId,
    status,
    title,
    rule: { name: rule, confidence: getConfidence(finding), remedy: getRemedy(finding) },
    message: redactResponseText(requests, message),
    place: locateViolation(requests.contract, finding).replace(/^.*?(?=:\d+:\d+ #)/, toRelativePath),
    steps,
    ...(own === -1 || own === steps.length - 1 ? {} : { request: steps[own]?.request }),
    ...(stop ? { stop } : {}),
  };
}

/** The header of responses that shows whether a rule is violated. */
const RULE_HEADERS: { readonly [Name in RuleName]?: string } = {
  'etag-changes': 'etag',
  'not-modified': 'etag',
  'if-match': 'etag',
  'if-match-required': 'etag',
  location: 'location',
  allow: 'allow',
};

/** What a step shows of a finding. */
interface Shown {
  /** The requests and responses before this one. */
  readonly earlier: readonly Exchange[];
  /** The name of a header of the response to show. */
  readonly header: string | undefined;
  /** Parts of a long body to show, as JSON texts, the most important first. */
  readonly proofs: readonly string[];
}

function createStep(requests: Requests, { request, response }: Exchange, { earlier, header, proofs }: Shown): Step {
  const { status, text, headers } = response;
  const shownHeader = header !== undefined && headers[header] !== undefined ? `${header}: ${headers[header]}` : '';
  // A part of a secret would not be recognized.
  const [ownHeader, body = ''] = [shownHeader, text].map((one) => redactResponseText(requests, one));
  const isLong = text.length > MAX_BODY_LENGTH;
  const shown = isLong ? `${createExcerpt(body, proofs)} (${text.length} characters)` : body;
  const outcome = [status, headers['content-type'], ownHeader, shown].filter((part) => part);
  const common = redactGivenHeaders(getCommonHeaders(requests.headers, request));
  const curl = toCurl(requests.url, redactRequest(requests, request, earlier), common, requests.access?.curlOptions);
  return { request: curl, response: status === 0 ? 'no response' : outcome.join(' ') };
}

/** Returns the name of the property of a finding, and the JSON texts in its message, such as an id or a value. */
function listProofs({ message, property }: Finding): readonly string[] {
  const name = property?.split('.').at(-1)?.replace('[]', '');
  return [...(name === undefined ? [] : [`${JSON.stringify(name)}:`]), ...(message.match(/"(?:[^"\\]|\\.)+"/g) ?? [])];
}

/** The length of the start of a long body, and of the text before a proof, in characters. */
const START_LENGTH = 90;
const BEFORE_LENGTH = 40;

/**
 * Returns the start of a long body.
 * If a proof is only after it, adds the text around the proof. `proofs`: the most important first.
 */
export function createExcerpt(text: string, proofs: readonly string[]): string {
  const proof = proofs.find((one) => text.includes(one)) ?? '';
  const index = text.indexOf(proof);
  if (index + proof.length <= MAX_BODY_LENGTH) return `${text.slice(0, MAX_BODY_LENGTH)}…`;
  const start = Math.max(START_LENGTH, index - BEFORE_LENGTH);
  const end = start + MAX_BODY_LENGTH - START_LENGTH;
  return `${text.slice(0, START_LENGTH)}… ${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** The version of the JSON report, whose schema is `docs/check-report.schema.json`. */
const REPORT_VERSION = 1;

/** Returns the JSON document of a report. */
export function toDocument(report: Report) {
  return { version: REPORT_VERSION, verdict: getVerdict(report), ...report };
}

/** Returns the verdict of a report. */
export function getVerdict(report: Report): 'passed' | 'failed' | 'incomplete' {
  if (getCounting(report).length > 0 || hasStaleEntries(report)) return 'failed';
  return report.unchecked.length > 0 ? 'incomplete' : 'passed';
}

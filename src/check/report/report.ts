import { relative } from 'node:path';
import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import { limitList } from '../../util/limit-list.ts';
import type { Verdict } from '../check.ts';
import { getCommonHeaders } from '../credentials.ts';
import { type Exchange, toCurl } from '../exchange.ts';
import { CHECK_NAMES, type Count, type Finding } from '../findings.ts';
import { MAX_BODY_LENGTH } from '../wrong-value.ts';
import { redactGivenHeaders, redactRequest, redactResponseText } from './redact-exchange.ts';

/** The report of `storefront check` about a server. */
export interface Report {
  /** The server, the contract and the settings of the check, in one line. */
  readonly title: string;
  readonly checks: readonly string[];
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
  /** Additional sentences, for example about operations that were skipped. */
  readonly notes: readonly string[];
  /** Descriptions of what was not checked completely. */
  readonly unchecked: readonly string[];
  /** Descriptions of the operations that were not reached, because no response contained an id for their path. */
  readonly unreached: readonly string[];
}

/** A documented or received response of an operation. `counts`: for each check, the number of responses and the number of violations. */
export interface Row {
  readonly operationId: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, Count | undefined>>;
}

/** A violation of the contract. */
export interface Failure extends Pick<Finding, 'operationId' | 'status' | 'rule' | 'message'> {
  readonly check: string;
  /** The place in the contract: file, line, column and JSON Pointer. */
  readonly place: string;
  readonly steps: readonly Step[];
  /** The command that repeats the check of the operation; undefined if the steps are enough to reproduce the failure. */
  readonly reproduce?: string;
}

/** A request as a curl command, and its response as one line. */
export interface Step {
  readonly request: string;
  readonly response: string;
}

/** Creates a report from a verdict. `reproduce` returns the command that repeats the check of an operation. */
export function createReport(verdict: Verdict, contract: Contract, reproduce: (operationId: string) => string): Report {
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
    failures: findings.map((finding) => ({
      ...createFailure({ ...verdict, contract }, finding, contract.locate),
      reproduce: reproduce(finding.operationId),
    })),
    notes: [...notes, ...noteMissingResponses(rows)],
    unchecked,
    unreached,
  };
}

/** Returns a list with one note, about the documented responses that were never received. The list is empty if all were received. */
function noteMissingResponses(rows: readonly Row[]): readonly string[] {
  const missing = rows
    .filter(({ status, counts }) => /^\d+$/.test(status) && !Object.values(counts).some((count) => count?.seen))
    .map(({ operationId, status }) => `${operationId} ${status}`);
  const list = limitList(missing, MAX_MISSING_RESPONSES).join(', ');
  return missing.length > 0 ? [`Documented responses that were never received: ${list}`] : [];
}

/** The maximum number of responses in the note about documented responses that were never received. */
const MAX_MISSING_RESPONSES = 40;

/** Returns a path relative to the working directory. A path outside of the working directory is unchanged. */
export function toRelativePath(path: string): string {
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
type Requests = Pick<Verdict, 'url' | 'headers' | 'query'> & { readonly contract: Contract };

function createFailure(requests: Requests, finding: Finding, locate: (pointer: string) => string): Failure {
  const { pointer, exchanges, message, ...rest } = finding;
  const steps = exchanges.map((exchange, index) => createStep(requests, exchange, exchanges.slice(0, index)));
  return {
    ...rest,
    message: redactResponseText(requests, message),
    place: locate(pointer).replace(/^.*?(?=:\d+:\d+ #)/, toRelativePath),
    steps,
  };
}

/** `earlier`: the requests and responses before this one. */
function createStep(requests: Requests, { request, response }: Exchange, earlier: readonly Exchange[]): Step {
  const { status, text } = response;
  const isLong = text.length > MAX_BODY_LENGTH;
  const shown = isLong ? `${text.slice(0, MAX_BODY_LENGTH)}… (${text.length} characters)` : text;
  const outcome = [status, response.headers['content-type'], redactResponseText(requests, shown)].filter(
    (part) => part,
  );
  const common = redactGivenHeaders(getCommonHeaders(requests.headers, request));
  const curl = toCurl(requests.url, redactRequest(requests, request, earlier), common);
  return { request: curl, response: status === 0 ? 'no response' : outcome.join(' ') };
}

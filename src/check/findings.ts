import type { Route } from '../openapi/routes.ts';
import { limitList } from '../util/limit-list.ts';
import type { Exchange } from './exchange.ts';

/** The names of the checks. */
export const CHECK_NAMES = ['statuses', 'input', 'methods', 'links', 'behaviour'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** A violation of the contract by a response. */
export interface FindingKind {
  /** The name of the documented response, or the status if it is undocumented; `none` without a response. */
  readonly status: string;
  /** The violated rule; the same text for each violation. */
  readonly rule: string;
  /** The actual and the expected behaviour, a sentence. */
  readonly message: string;
  /** The place in the contract (JSON Pointer). */
  readonly pointer: string;
}

/** A violation with the check that found it and its requests. */
export interface Finding extends FindingKind {
  readonly check: CheckName;
  readonly operationId: string;
  /** The requests and responses that lead to the violation, in order; the last one violates the rule. */
  readonly exchanges: readonly Exchange[];
}

/** The number of responses that a check received, and of failures among them. */
export interface Count {
  seen: number;
  wrong: number;
}

/** Collects the responses and findings of all checks. */
export interface Ledger {
  /** Counts a response of an operation by its name. */
  count(check: CheckName, operationId: string, status: string): void;
  /** Counts a finding and adds it, unless it is known. */
  add(finding: Finding): void;
  /** Replaces a known finding. */
  replace(finding: Finding): void;
  /** Adds several findings. */
  addAll(findings: readonly Finding[]): void;
  /** Records a finding that did not occur again when its requests were repeated. */
  addUnreproduced(finding: Finding): void;
  /** Adds one finding for all that were not reproducible. */
  reportUnreproduced(): void;
  /** Whether a finding is known. */
  has(finding: Finding): boolean;
  getCount(check: CheckName, operationId: string, status: string): Count | undefined;
  /** Returns the statuses that any check received from an operation. */
  getStatuses(operationId: string): readonly string[];
  readonly findings: readonly Finding[];
  /** The number of received responses. */
  readonly responseCount: number;
}

/** Creates a ledger for the checked operations; findings about other operations are ignored. */
export function createLedger(routes: readonly Route[]): Ledger {
  const names = new Set(routes.map(({ operationId }) => operationId));
  const counts = new Map<string, Count>();
  const findings = new Map<string, Finding>();
  const unreproduced: Finding[] = [];
  let responseCount = 0;
  const getOrCreateCount = (check: CheckName, operationId: string, status: string): Count => {
    const key = toCountKey(check, operationId, status);
    const count = counts.get(key) ?? { seen: 0, wrong: 0 };
    counts.set(key, count);
    return count;
  };
  const ledger: Ledger = {
    count(check, operationId, status) {
      responseCount++;
      if (names.has(operationId)) getOrCreateCount(check, operationId, status).seen++;
    },
    add(finding) {
      if (!names.has(finding.operationId)) return;
      getOrCreateCount(finding.check, finding.operationId, finding.status).wrong++;
      if (!findings.has(getFindingKey(finding))) findings.set(getFindingKey(finding), finding);
    },
    replace: (finding) => void findings.set(getFindingKey(finding), finding),
    addAll(newFindings) {
      for (const finding of newFindings) ledger.add(finding);
    },
    addUnreproduced: (finding) => void unreproduced.push(finding),
    reportUnreproduced() {
      const remaining = unreproduced.filter((finding) => !ledger.has(finding) && !isTimeout(finding));
      unreproduced.length = 0;
      const [first] = remaining;
      if (first)
        ledger.add({ ...first, rule: 'reproducible', message: describeUnreproduced(remaining, responseCount) });
    },
    has: (finding) => findings.has(getFindingKey(finding)) || !names.has(finding.operationId),
    getCount: (check, operationId, status) => counts.get(toCountKey(check, operationId, status)),
    getStatuses: (operationId) => getStatuses(counts.keys(), operationId),
    get findings() {
      return [...findings.values()];
    },
    get responseCount() {
      return responseCount;
    },
  };
  return ledger;
}

function getStatuses(keys: Iterable<string>, operationId: string): readonly string[] {
  const statuses = [...keys].map((key) => key.split(' ')).filter(([, id]) => id === operationId);
  return [...new Set(statuses.map(([, , status = '']) => status))];
}

function toCountKey(check: CheckName, operationId: string, status: string): string {
  return `${check} ${operationId} ${status}`;
}

/** Whether a finding is only a timeout: if the repetition is in time, the machine was busy, and no contract is violated. */
function isTimeout({ rule, message }: Finding): boolean {
  return rule === 'responds' && message.startsWith(NO_RESPONSE_WITHIN);
}

/** The start of the message for a timeout. */
export const NO_RESPONSE_WITHIN = 'no response within';

/** The maximum number of unreproducible findings in the message. */
const MAX_UNREPRODUCED = 8;

/** Returns the message for findings that were not reproducible. */
function describeUnreproduced(unreproduced: readonly Finding[], responseCount: number): string {
  const [first] = unreproduced;
  const places = unreproduced.map(({ operationId, status }) => `${operationId} ${status}`);
  return `Not reproducible: ${unreproduced.length} of ${responseCount} requests failed (${limitList(places, MAX_UNREPRODUCED).join(', ')}), but not when they were repeated. First failure: ${first?.message}`;
}

/** Returns the key that is equal for equal findings. */
export function getFindingKey({ operationId, status, rule }: Finding): string {
  return `${operationId} ${status} ${rule}`;
}

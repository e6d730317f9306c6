import type { Route } from '../openapi/routes.ts';
import { limitList } from '../util/limit-list.ts';
import type { Exchange } from './exchange.ts';

/** Who looks at a server: each in its own way. */
export const CHECK_NAMES = ['statuses', 'input', 'methods', 'links', 'behaviour'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** One way in which an answer is not what the contract says. */
export interface FindingKind {
  /** The documented response, or the status itself where none documents it; `none` where no answer came. */
  readonly status: string;
  /** The rule that is broken, the same words whenever it is. */
  readonly rule: string;
  /** What came and what would be right, as a sentence. */
  readonly message: string;
  /** Where the contract says so (JSON Pointer). */
  readonly pointer: string;
}

/** A trouble, who found it, and how. */
export interface Finding extends FindingKind {
  readonly check: CheckName;
  readonly operationId: string;
  /** What led to it, in order; the last one was answered wrongly. */
  readonly exchanges: readonly Exchange[];
}

/** How often a judge has looked at a documented answer, and how often it was wrong. */
export interface Count {
  seen: number;
  wrong: number;
}

/** What the judges have seen and found so far. */
export interface Ledger {
  /** Counts an answer of an operation under the name of its response. */
  count(check: CheckName, operationId: string, status: string): void;
  /** Takes a finding in, and counts it; of those that are the same the first one is kept. */
  add(finding: Finding): void;
  /** Has a finding be told in place of the same one that was added before. */
  replace(finding: Finding): void;
  /** The same as `add` for several. */
  addAll(findings: readonly Finding[]): void;
  /** Takes in what was found once and not again, when the same requests were sent again. */
  addUnreproduced(finding: Finding): void;
  /** Makes all that was found once and not again one finding, with how often it was. */
  reportUnreproduced(): void;
  /** Whether the same was found before. */
  has(finding: Finding): boolean;
  getCount(check: CheckName, operationId: string, status: string): Count | undefined;
  /** The statuses of an operation that any judge has seen. */
  getStatuses(operationId: string): readonly string[];
  readonly findings: readonly Finding[];
  /** How many answers were looked at. */
  readonly responseCount: number;
}

/** A ledger of the operations that are judged; what is found about others is not taken in. */
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
    getStatuses: (operationId) => [
      ...new Set(
        [...counts.keys()]
          .map((key) => key.split(' '))
          .flatMap(([, id, status = '']) => (id === operationId ? [status] : [])),
      ),
    ],
    get findings() {
      return [...findings.values()];
    },
    get responseCount() {
      return responseCount;
    },
  };
  return ledger;
}

function toCountKey(check: CheckName, operationId: string, status: string): string {
  return `${check} ${operationId} ${status}`;
}

/** Whether a finding says only that an answer was late: where the next one is in time, a machine was busy, and no contract is broken. */
function isTimeout({ rule, message }: Finding): boolean {
  return rule === 'responds' && message.startsWith(NO_RESPONSE_WITHIN);
}

/** How the message of a request begins that was not answered in time. */
export const NO_RESPONSE_WITHIN = 'no response within';

/** How many of what was found once are told. */
const MAX_UNREPRODUCED = 8;

/** What was found once and not again, as a sentence. */
function describeUnreproduced(unreproduced: readonly Finding[], responseCount: number): string {
  const [first] = unreproduced;
  const places = unreproduced.map(({ operationId, status }) => `${operationId} ${status}`);
  return `Not reproducible: ${unreproduced.length} of ${responseCount} requests failed (${limitList(places, MAX_UNREPRODUCED).join(', ')}), but not when they were repeated. First failure: ${first?.message}`;
}

/** What makes two findings the same. */
export function getFindingKey({ operationId, status, rule }: Finding): string {
  return `${operationId} ${status} ${rule}`;
}

import type { Route } from '../openapi/routes.ts';
import { limitList } from '../util/limit-list.ts';
import type { Exchange } from './exchange.ts';

/** Who looks at a server: each in its own way. */
export const JUDGES = ['statuses', 'input', 'methods', 'links', 'behaviour'] as const;
export type Judge = (typeof JUDGES)[number];

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
  readonly judge: Judge;
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
  count(judge: Judge, operationId: string, status: string): void;
  /** Takes a finding in, and counts it; of those that are the same the first one is kept. */
  add(finding: Finding): void;
  /** Has a finding be told in place of the same one that was added before. */
  replace(finding: Finding): void;
  /** The same as `add` for several. */
  addAll(findings: readonly Finding[]): void;
  /** Takes in what was found once and not again, when the same requests were sent again. */
  addUnsteady(finding: Finding): void;
  /** Makes all that was found once and not again one finding, with how often it was. */
  settleUnsteady(): void;
  /** Whether the same was found before. */
  knows(finding: Finding): boolean;
  countOf(judge: Judge, operationId: string, status: string): Count | undefined;
  /** The statuses of an operation that any judge has seen. */
  statusesOf(operationId: string): readonly string[];
  readonly findings: readonly Finding[];
  /** How many answers were looked at. */
  readonly answers: number;
}

/** A ledger of the operations that are judged; what is found about others is not taken in. */
export function createLedger(judged: readonly Route[]): Ledger {
  const names = new Set(judged.map(({ operationId }) => operationId));
  const counts = new Map<string, Count>();
  const findings = new Map<string, Finding>();
  const unsteady: Finding[] = [];
  let answers = 0;
  const countFor = (judge: Judge, operationId: string, status: string): Count => {
    const key = cellOf(judge, operationId, status);
    const count = counts.get(key) ?? { seen: 0, wrong: 0 };
    counts.set(key, count);
    return count;
  };
  const ledger: Ledger = {
    count(judge, operationId, status) {
      answers++;
      if (names.has(operationId)) countFor(judge, operationId, status).seen++;
    },
    add(finding) {
      if (!names.has(finding.operationId)) return;
      countFor(finding.judge, finding.operationId, finding.status).wrong++;
      if (!findings.has(keyOf(finding))) findings.set(keyOf(finding), finding);
    },
    replace: (finding) => void findings.set(keyOf(finding), finding),
    addAll(found) {
      for (const finding of found) ledger.add(finding);
    },
    addUnsteady: (finding) => void unsteady.push(finding),
    settleUnsteady() {
      const left = unsteady.filter((finding) => !ledger.knows(finding) && !isSlow(finding));
      unsteady.length = 0;
      const [first] = left;
      if (first) ledger.add({ ...first, rule: 'reproducible', message: saidOf(left, answers) });
    },
    knows: (finding) => findings.has(keyOf(finding)) || !names.has(finding.operationId),
    countOf: (judge, operationId, status) => counts.get(cellOf(judge, operationId, status)),
    statusesOf: (operationId) => [
      ...new Set(
        [...counts.keys()]
          .map((key) => key.split(' '))
          .flatMap(([, id, status = '']) => (id === operationId ? [status] : [])),
      ),
    ],
    get findings() {
      return [...findings.values()];
    },
    get answers() {
      return answers;
    },
  };
  return ledger;
}

function cellOf(judge: Judge, operationId: string, status: string): string {
  return `${judge} ${operationId} ${status}`;
}

/** Whether a finding says only that an answer was late: where the next one is in time, a machine was busy, and no contract is broken. */
function isSlow({ rule, message: said }: Finding): boolean {
  return rule === 'responds' && said.startsWith(TOO_LATE);
}

/** How the message of a request begins that was not answered in time. */
export const TOO_LATE = 'no response within';

/** How many of what was found once are told. */
const UNSTEADY_SHOWN = 8;

/** What was found once and not again, as a sentence. */
function saidOf(unsteady: readonly Finding[], answers: number): string {
  const [first] = unsteady;
  const places = unsteady.map(({ operationId, status }) => `${operationId} ${status}`);
  return `Not reproducible: ${unsteady.length} of ${answers} requests failed (${limitList(places, UNSTEADY_SHOWN).join(', ')}), but not when they were repeated. First failure: ${first?.message}`;
}

/** What makes two findings the same. */
export function keyOf({ operationId, status, rule }: Finding): string {
  return `${operationId} ${status} ${rule}`;
}

import type { Route } from '../openapi/routes.ts';
import { limitList } from '../util/limit-list.ts';
import type { Exchange } from './exchange.ts';

/** The names of the checks. */
export const CHECK_NAMES = ['statuses', 'input', 'methods', 'links', 'behaviour'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** A violated rule of the contract. */
export interface Violation {
  /** The violated rule; the same text for each violation. */
  readonly rule: string;
  /** The actual and the expected behaviour, a sentence. */
  readonly message: string;
  /** The place in the contract (JSON Pointer). */
  readonly pointer: string;
}

/** A violation with the check that found it and its requests. */
export interface Finding extends Violation {
  readonly check: CheckName;
  readonly operationId: string;
  /** The name of the documented response, or the status if it is undocumented; `none` without a response. */
  readonly status: string;
  /** The requests and responses that lead to the violation, in order; the last one violates the rule. */
  readonly exchanges: readonly Exchange[];
}

/** The number of responses that a check received, and of failures among them. */
export interface Count {
  seen: number;
  wrong: number;
}

/** Collects the responses and findings of all checks; findings about operations that are not checked are ignored. */
export class Ledger {
  readonly #operationIds: ReadonlySet<string>;
  readonly #counts = new Map<string, Count>();
  readonly #findings = new Map<string, Finding>();
  readonly #unreproduced: Finding[] = [];
  #responseCount = 0;

  /** `routes` are the checked operations. */
  constructor(routes: readonly Route[]) {
    this.#operationIds = new Set(routes.map(({ operationId }) => operationId));
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** The number of received responses. */
  get responseCount(): number {
    return this.#responseCount;
  }

  /** Counts a response of an operation by its name. */
  count(check: CheckName, operationId: string, status: string): void {
    this.#responseCount++;
    if (this.#operationIds.has(operationId)) this.#getOrCreateCount(check, operationId, status).seen++;
  }

  /** Counts a finding and adds it, unless it is known. */
  add(finding: Finding): void {
    if (!this.#operationIds.has(finding.operationId)) return;
    this.#getOrCreateCount(finding.check, finding.operationId, finding.status).wrong++;
    if (!this.has(finding)) this.replace(finding);
  }

  /** Adds several findings. */
  addAll(findings: readonly Finding[]): void {
    for (const finding of findings) this.add(finding);
  }

  /** Replaces a known finding. */
  replace(finding: Finding): void {
    this.#findings.set(getFindingKey(finding), finding);
  }

  /** Whether a finding is known, or is ignored. */
  has(finding: Finding): boolean {
    return this.#findings.has(getFindingKey(finding)) || !this.#operationIds.has(finding.operationId);
  }

  /** Records a finding that did not occur again when its requests were repeated. */
  addUnreproduced(finding: Finding): void {
    this.#unreproduced.push(finding);
  }

  /** Adds one finding for all that were not reproducible. */
  reportUnreproduced(): void {
    const remaining = this.#unreproduced.splice(0).filter((finding) => !this.has(finding) && !isTimeout(finding));
    const [first] = remaining;
    if (!first) return;
    const message = describeUnreproduced(remaining, first.message, this.#responseCount);
    this.add({ ...first, rule: 'reproducible', message });
  }

  getCount(check: CheckName, operationId: string, status: string): Count | undefined {
    return this.#counts.get(toCountKey(check, operationId, status));
  }

  /** Returns the statuses that any check received from an operation. */
  getStatuses(operationId: string): readonly string[] {
    const keys = [...this.#counts.keys()].map((key) => key.split(' ')).filter(([, id]) => id === operationId);
    return [...new Set(keys.map(([, , status = '']) => status))];
  }

  #getOrCreateCount(check: CheckName, operationId: string, status: string): Count {
    const count = this.getCount(check, operationId, status) ?? { seen: 0, wrong: 0 };
    this.#counts.set(toCountKey(check, operationId, status), count);
    return count;
  }
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
function describeUnreproduced(unreproduced: readonly Finding[], first: string, responseCount: number): string {
  const places = unreproduced.map(({ operationId, status }) => `${operationId} ${status}`);
  return `Not reproducible: ${unreproduced.length} of ${responseCount} requests failed (${limitList(places, MAX_UNREPRODUCED).join(', ')}), but not when they were repeated. First failure: ${first}`;
}

/** Returns the key that is equal for equal findings. */
export function getFindingKey({ operationId, status, rule }: Finding): string {
  return `${operationId} ${status} ${rule}`;
}

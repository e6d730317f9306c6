import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { limitList } from '../util/limit-list.ts';
import type { Exchange } from './exchange.ts';

/** The names of the checks. */
export const CHECK_NAMES = ['statuses', 'input', 'methods', 'links', 'behaviour'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** A violated rule of the contract. */
export interface Violation {
  /** The violated rule. Violations of the same rule have the same text. */
  readonly rule: string;
  /** A sentence about the actual and the expected behaviour. */
  readonly message: string;
  /** The place in the contract (JSON Pointer). */
  readonly pointer: string;
}

/** Returns the name of the documented response for a status, such as `404` or `default`; the status itself if it is undocumented. */
export function getResponseName({ responses }: Route, status: number): string {
  return findResponse(responses, status)?.name ?? String(status);
}

/** A violation with the check that found it, and the requests that show it. */
export interface Finding extends Violation {
  readonly check: CheckName;
  readonly operationId: string;
  /** The name of the documented response, such as `404` or `default`. It is the status of an undocumented response, and `none` without a response. */
  readonly status: string;
  /** The requests and responses that lead to the violation, in order. The last response violates the rule. */
  readonly exchanges: readonly Exchange[];
}

/** The number of responses that a check received (`seen`), and the number of violations in them (`wrong`). */
export interface Count {
  seen: number;
  wrong: number;
}

/**
 * The results of a check: the findings, and the numbers of responses and violations. The numbers are counted for each check, operation and response.
 * Ignores findings about operations that are not checked.
 */
export class CheckResults {
  readonly #operationIds: ReadonlySet<string>;
  readonly #counts = new Map<string, Count>();
  readonly #findings = new Map<string, Finding>();
  readonly #unreproduced: Finding[] = [];
  /** The status codes that each operation returned. */
  readonly #statusCodes = new Map<string, Set<number>>();
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

  /** Counts a response of an operation. */
  count(check: CheckName, route: Route, statusCode: number): void {
    this.#responseCount++;
    const { operationId } = route;
    if (!this.#operationIds.has(operationId)) return;
    this.#getOrCreateCount(check, operationId, getResponseName(route, statusCode)).seen++;
    this.#statusCodes.set(operationId, new Set(this.#statusCodes.get(operationId)).add(statusCode));
  }

  /** Counts a finding, and adds it if it is new. */
  add(finding: Finding): void {
    if (!this.#operationIds.has(finding.operationId)) return;
    this.#getOrCreateCount(finding.check, finding.operationId, finding.status).wrong++;
    if (!this.has(finding)) this.replace(finding);
  }

  /** Counts several findings, and adds the new ones. */
  addAll(findings: readonly Finding[]): void {
    for (const finding of findings) this.add(finding);
  }

  /** Replaces the finding with the same operation, status and rule. */
  replace(finding: Finding): void {
    this.#findings.set(getFindingKey(finding), finding);
  }

  /** Returns whether the results contain an equal finding, or ignore the finding because its operation is not checked. */
  has(finding: Finding): boolean {
    return this.#findings.has(getFindingKey(finding)) || !this.#operationIds.has(finding.operationId);
  }

  /** Stores a finding that did not occur again when its requests were repeated. */
  addUnreproduced(finding: Finding): void {
    this.#unreproduced.push(finding);
  }

  /** Adds one finding that summarizes the findings that were not reproducible. */
  reportUnreproduced(): void {
    const remaining = this.#unreproduced.splice(0).filter((finding) => !this.has(finding) && !isTimeout(finding));
    const [first] = remaining;
    if (!first) return;
    const places = remaining.map(({ operationId, status }) => `${operationId} ${status}`);
    const list = limitList(places, MAX_UNREPRODUCED).join(', ');
    const message = `Not reproducible: ${remaining.length} of ${this.#responseCount} requests failed (${list}), but did not fail when they were repeated. First failure: ${first.message}`;
    this.add({ ...first, rule: 'reproducible', message });
  }

  getCount(check: CheckName, operationId: string, status: string): Count | undefined {
    return this.#counts.get(toCountKey(check, operationId, status));
  }

  /** Returns the names of the responses that any check received from an operation, such as `404` or `default`. */
  getStatuses(operationId: string): readonly string[] {
    const keys = [...this.#counts.keys()].map((key) => key.split(' ')).filter(([, id]) => id === operationId);
    return [...new Set(keys.map(([, , status = '']) => status))];
  }

  /** Returns the status codes that an operation returned to any check, in ascending order. */
  getStatusCodes(operationId: string): readonly number[] {
    return [...(this.#statusCodes.get(operationId) ?? [])].sort((a, b) => a - b);
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

/** Returns whether a finding is a timeout. A timeout that does not occur again is not reported. It shows only that the machine was busy. */
function isTimeout({ rule, message }: Finding): boolean {
  return rule === 'responds' && message.startsWith(NO_RESPONSE_WITHIN);
}

/** The start of the message of a timeout. */
export const NO_RESPONSE_WITHIN = 'no response within';

/** The maximum number of operations in the message about findings that were not reproducible. */
const MAX_UNREPRODUCED = 8;

/** Returns the key of a finding. Two findings are equal if their keys are equal. */
export function getFindingKey({ operationId, status, rule }: Finding): string {
  return `${operationId} ${status} ${rule}`;
}

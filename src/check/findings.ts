import { getNode } from '../openapi/document.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { type CredentialNames, isSecretName, redactNamedProperties, redactSecrets } from '../util/redact-secrets.ts';
import { joinList } from '../util/text.ts';
import { Coverage } from './coverage.ts';
import { type Exchange, isSuccess, withoutBody } from './exchange.ts';
import type { Hints } from './hints.ts';
import type { Violation } from './rules.ts';

/** The names of the checks. Each finding, and each column of the report, has one of these names. */
export const CHECK_NAMES = ['statuses', 'input', 'methods', 'links', 'behaviour'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/**
 * Returns the name of the documented response for a status, such as `404` or `default`; the status itself if it is
 * undocumented.
 */
export function getResponseName({ responses }: Route, status: number): string {
  return findResponse(responses, status)?.name ?? String(status);
}

/** What a finding about a server that stopped, and did not start again, says beside its requests. */
export interface Stop {
  /** The operations whose requests can be the cause. */
  readonly suspects: readonly string[];
  /** Descriptions of what the check could not do any more, as in the list of what was not checked completely. */
  readonly unfinished: readonly string[];
  /** The operations to which the check could not send all requests. */
  readonly operations: readonly string[];
}

/** A violation that a check has found, with the requests that reproduce the violation. */
export interface Finding extends Violation {
  readonly check: CheckName;
  readonly operationId: string;
  /**
   * The name of the documented response, such as `404` or `default`.
   * If the response is undocumented: its status.
   * If there is no response: `none`.
   */
  readonly status: string;
  /** The requests and responses that lead to the violation, in order. The last response violates the rule. */
  readonly exchanges: readonly Exchange[];
  readonly stop?: Stop;
}

/** The number of responses that a check received (`seen`), and the number of violations in them (`wrong`). */
export interface Count {
  seen: number;
  wrong: number;
}

/** A status that some operations do not document, but have responded with. */
export interface UndocumentedStatus {
  readonly status: number;
  /** The kind of unusual requests with such a response; undefined for ordinary requests. */
  readonly kind: string | undefined;
  readonly operationIds: ReadonlySet<string>;
}

/**
 * Collects the findings of `storefront check`.
 * Also counts the responses and violations for each check, operation and status.
 * Ignores findings about operations that the user has not selected.
 */
export class CheckResults {
  /** The number of requests that received only status 429, even when they were repeated. */
  rateLimitedCount = 0;
  /** What the check covers, for each operation and rule. */
  readonly coverage = new Coverage();
  /** Hints about the server around the API; undefined for recorded requests. */
  hints: Hints | undefined;
  readonly #operationIds: ReadonlySet<string>;
  readonly #counts = new Map<string, Count>();
  readonly #findings = new Map<string, Finding>();
  readonly #unreproduced: Finding[] = [];
  readonly #unchecked: string[] = [];
  /**
   * For each operation: the number of valid requests that it refused with a documented status, and the first of them.
   */
  readonly #refusals = new Map<string, { readonly count: number; readonly exchange: Exchange | undefined }>();
  readonly #pending: Finding[] = [];
  /** The status codes that each operation returned. */
  readonly #statusCodes = new Map<string, Set<number>>();
  /** The operations with responses that no contract need document, by status and kind of the request. */
  readonly #undocumented = new Map<string, UndocumentedStatus>();
  /** The operations that have succeeded. */
  readonly #accepted = new Set<string>();
  /** The operations that have responded with 401 since they last succeeded. */
  readonly #unauthorized = new Set<string>();
  #responseCount = 0;
  #isStopExplained = false;
  #hasUnexplainedStop = false;

  /** `routes`: the operations that the user has selected. */
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
    this.coverage.countResponse(route, statusCode);
    const { operationId } = route;
    if (!this.#operationIds.has(operationId)) return;
    this.#getOrCreateCount(check, operationId, getResponseName(route, statusCode)).seen++;
    this.#statusCodes.set(operationId, new Set(this.#statusCodes.get(operationId)).add(statusCode));
    if (statusCode === UNAUTHORIZED) this.#unauthorized.add(operationId);
    if (statusCode >= 400) return;
    this.#accepted.add(operationId);
    this.#unauthorized.delete(operationId);
  }

  /** Records a response with an undocumented status. `kind`: that of an unusual request. */
  addUndocumented({ operationId }: Route, status: number, kind: string | undefined): void {
    if (!this.#operationIds.has(operationId)) return;
    const key = `${status} ${kind}`;
    const operationIds = new Set(this.#undocumented.get(key)?.operationIds).add(operationId);
    this.#undocumented.set(key, { status, kind, operationIds });
  }

  /** The received statuses that are undocumented. */
  get undocumented(): readonly UndocumentedStatus[] {
    return [...this.#undocumented.values()];
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

  /** Adds a finding. Replaces an earlier finding with the same operation, status and rule. */
  replace(finding: Finding): void {
    this.#findings.set(getFindingKey(finding), { ...finding, exchanges: finding.exchanges.map(withoutBody) });
  }

  /**
   * Returns whether the results contain a finding with the same operation, status and rule.
   * Also returns true if the user has not selected the operation, because findings about such an operation are ignored.
   */
  has(finding: Pick<Finding, 'operationId' | 'status' | 'title'>): boolean {
    return this.#findings.has(getFindingKey(finding)) || !this.#operationIds.has(finding.operationId);
  }

  /** Adds the finding about a request that stops the server. It explains why other requests got no response. */
  addCauseOfStop(finding: Finding): void {
    this.add(finding);
    this.#isStopExplained = true;
  }

  /** Records that the server stopped and started again, and that no repeated request stops it. */
  addUnexplainedStop(): void {
    this.#hasUnexplainedStop = true;
  }

  /**
   * Stores a finding that did not occur again when its requests were repeated.
   * A request that creates a resource cannot be repeated if a value must be unique, so another request with the same
   * violation confirms the finding.
   */
  addUnreproduced(finding: Finding): void {
    const isConfirmed = this.#unreproduced.some((other) => isSuccessOfOther(finding, other));
    if (isConfirmed) this.add(finding);
    else this.#unreproduced.push(finding);
  }

  /** Stores findings that could not be confirmed, because their operation could not be requested any more. */
  addPending(findings: readonly Finding[]): void {
    this.#pending.push(...findings);
  }

  /** Adds the pending findings of operations that the check could not check again later. Drops all others. */
  reportPending(operationIds: readonly string[]): void {
    this.addAll(this.#pending.splice(0).filter(({ operationId }) => operationIds.includes(operationId)));
  }

  /**
   * Adds one finding that summarizes all findings that did not occur again.
   * `toResource`: returns the path of the resource of an operation.
   */
  reportUnreproduced(toResource: (operationId: string) => string): void {
    const isEffect = ({ title }: Finding) => this.#isStopExplained && title === 'responds';
    // The same violation in another operation of the resource has the same cause, except for errors that can have any.
    const isSameCause = (one: Finding, other: Finding) =>
      one.title === other.title && toResource(one.operationId) === toResource(other.operationId);
    const isKnown = (finding: Finding) =>
      !['server-error', 'responds'].includes(finding.rule) &&
      this.findings.some((known) => isSameCause(finding, known));
    const remaining = this.#unreproduced
      .splice(0)
      .filter((finding) => !this.has(finding) && !isKnown(finding) && !isTimeout(finding) && !isEffect(finding));
    const [first] = remaining;
    if (!first) return;
    const places = remaining.map(({ operationId, status }) => `${operationId} ${status}`);
    const list = joinList(places, MAX_UNREPRODUCED);
    const message = `Not reproducible: ${remaining.length} of ${this.#responseCount} requests failed (${list}), but did not fail when they were repeated. First failure: ${first.message}`;
    this.add({ ...first, rule: 'reproducible', title: 'reproducible', message });
  }

  /** Returns whether an operation succeeded, and responded with 401 since then. */
  hasLostAccess({ operationId }: Route): boolean {
    return this.#accepted.has(operationId) && this.#unauthorized.has(operationId);
  }

  /** Adds the description of something that was not checked completely, for the verdict. */
  addUnchecked(description: string): void {
    if (!this.#unchecked.includes(description)) this.#unchecked.push(description);
  }

  /** Descriptions of what was not checked completely, from the parts of the check. */
  get unchecked(): readonly string[] {
    return this.#hasUnexplainedStop && !this.#isStopExplained ? [...this.#unchecked, STOPPED] : this.#unchecked;
  }

  /** Counts a valid request that the server refused with a documented status. */
  countRefusal({ operationId }: Route, exchange: Exchange): void {
    const { count, exchange: first = exchange } = this.getRefusals(operationId);
    this.#refusals.set(operationId, { count: count + 1, exchange: first });
  }

  /** Returns the number of valid requests that an operation refused with a documented status, and the first of them. */
  getRefusals(operationId: string): { readonly count: number; readonly exchange: Exchange | undefined } {
    return this.#refusals.get(operationId) ?? { count: 0, exchange: undefined };
  }

  getCount(check: CheckName, operationId: string, status: string): Count | undefined {
    return this.#counts.get(toCountKey(check, operationId, status));
  }

  /** Returns the names of the responses that were received from an operation, such as `404` or `default`. */
  getStatuses(operationId: string): readonly string[] {
    const keys = [...this.#counts.keys()].map((key) => key.split(' ')).filter(([, id]) => id === operationId);
    return [...new Set(keys.map(([, , status = '']) => status))];
  }

  /** Returns the status codes that were received from an operation, in ascending order. */
  getStatusCodes(operationId: string): readonly number[] {
    return [...(this.#statusCodes.get(operationId) ?? [])].sort((a, b) => a - b);
  }

  #getOrCreateCount(check: CheckName, operationId: string, status: string): Count {
    const count = this.getCount(check, operationId, status) ?? { seen: 0, wrong: 0 };
    this.#counts.set(toCountKey(check, operationId, status), count);
    return count;
  }
}

/** Returns whether two findings are the same violation in single successful responses to different requests. */
function isSuccessOfOther(one: Finding, other: Finding): boolean {
  const [first, second] = [one, other].map(({ exchanges: [exchange, ...more] }) =>
    exchange && more.length === 0 && isSuccess(exchange.response) ? exchange.request : undefined,
  );
  const isSame = first?.target === second?.target && first?.body === second?.body;
  return first !== undefined && second !== undefined && !isSame && getFindingKey(one) === getFindingKey(other);
}

const STOPPED = 'the cause of a restart of the server: no repeated request stops it again';

/** The status of a response to a request without valid credentials (RFC 9110, section 15.5.2). */
const UNAUTHORIZED = 401;

function toCountKey(check: CheckName, operationId: string, status: string): string {
  return `${check} ${operationId} ${status}`;
}

/**
 * Returns whether a finding is a timeout.
 * A timeout that does not occur again is not reported, because it shows only that the machine was busy.
 */
function isTimeout({ title, message }: Finding): boolean {
  return title === 'responds' && [NO_RESPONSE_WITHIN, NOT_ENDED_WITHIN].some((start) => message.startsWith(start));
}

/** The start of the message of a request without a response in time. */
export const NO_RESPONSE_WITHIN = 'no response within';

/** The start of the message of a request whose response did not end in time. */
export const NOT_ENDED_WITHIN = 'the response did not end within';

/** The maximum number of operations in the message about findings that did not occur again. */
const MAX_UNREPRODUCED = 8;

/**
 * Returns a text with the operation, the status and the rule of a finding.
 * Findings with the same text count as equal.
 */
export function getFindingKey({
  operationId,
  status,
  title,
}: Pick<Finding, 'operationId' | 'status' | 'title'>): string {
  return `${operationId} ${status} ${title}`;
}

/** The maximum length of a response body in a report, in characters. */
export const MAX_BODY_LENGTH = 300;

/** The maximum length of a value in a message, in characters. */
const MAX_VALUE_LENGTH = 100;

/**
 * Returns a text such as `, but is "7"` with the wrong value of a response body that a report shows only in part.
 * Returns an empty text if the report shows the whole body, or if the value is secret.
 * `where`: the place of the value, such as `body/3/price`.
 */
export function describeWrongValue(
  { text, body }: { readonly text: string; readonly body: unknown },
  where: string,
  { properties }: Pick<CredentialNames, 'properties'>,
) {
  const pointer = where.slice('body'.length);
  if (!/^body\//.test(where) || text.length <= MAX_BODY_LENGTH || isSecretName(pointer)) return '';
  if (parsePointer(pointer).some((name) => properties.includes(name))) return '';
  const value = getNode(body, pointer);
  if (value === undefined) return '';
  const json = JSON.stringify(redactSecrets(redactNamedProperties(value, properties)));
  return `, but is ${json.length > MAX_VALUE_LENGTH ? `${json.slice(0, MAX_VALUE_LENGTH)}…` : json}`;
}

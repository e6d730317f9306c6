import type { CoverageReport } from '../control/operation.ts';
import { Coverage as ContractCoverage, type CountedExchange } from '../coverage/coverage.ts';
import { createCoverageReport } from '../coverage/report.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { runAtOnce } from '../util/slices.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Exchange, INVALID_STATUSES } from './exchange.ts';
import { parseRequest } from './requests.ts';
import type { RuleName } from './rules.ts';

/**
 * Counts what a check does, for each operation: its requests, its sequences of requests, and how often it checks each
 * rule.
 */
export class Coverage {
  readonly #responses = new Map<string, number>();
  readonly #accepted = new Map<string, number>();
  readonly #statuses = new Set<string>();
  readonly #sequences = new Map<string, number>();
  readonly #rules = new Map<string, number>();
  readonly #reasons = new Map<string, string>();
  #points: ContractCoverage | undefined;

  countResponse({ operationId }: Route, status: number): void {
    increment(this.#responses, operationId);
    this.#statuses.add(`${operationId} ${status}`);
    if (status >= 200 && status < 300) increment(this.#accepted, operationId);
  }

  /** Counts which parts of the contract an exchange uses, in the terms of `storefront coverage`. */
  countPoints(contract: Contract, route: Route, exchange: Exchange): void {
    // The check also sends requests with a method that the operation does not have.
    if (exchange.request.method !== route.method) return;
    this.#points ??= new ContractCoverage(contract);
    this.#points.count(contract, route, toCountedExchange(route, exchange), false);
  }

  /** Returns which parts of the contract the check used. */
  getPoints(contract: Contract): CoverageReport {
    return runAtOnce(createCoverageReport(this.#points ?? new ContractCoverage(contract)));
  }

  /** Counts a sequence of requests that starts with a request to an operation. */
  countSequence({ operationId }: Route): void {
    increment(this.#sequences, operationId);
  }

  /** Counts that a rule was checked with an operation. */
  countRule(rule: RuleName, { operationId }: Route, times = 1): void {
    increment(this.#rules, `${operationId} ${rule}`, times);
  }

  /** Stores why a rule could not be checked with an operation. Another request can check it all the same. */
  skipRule(rule: RuleName, { operationId }: Route, reason: string): void {
    this.#reasons.set(`${operationId} ${rule}`, reason);
  }

  /** Returns whether an operation has responded with a status. */
  hasStatus({ operationId }: Route, status: number): boolean {
    return this.#statuses.has(`${operationId} ${status}`);
  }

  /** Returns the number of responses of an operation, how many had a 2xx status, and the number of its sequences. */
  getCounts({ operationId }: Route) {
    return {
      requests: this.#responses.get(operationId) ?? 0,
      accepted: this.#accepted.get(operationId) ?? 0,
      sequences: this.#sequences.get(operationId) ?? 0,
    };
  }

  /** Returns how often a rule was checked with an operation, and why it was not; undefined if the reason is unknown. */
  getRule(rule: RuleName, { operationId }: Route): { readonly count: number; readonly reason: string | undefined } {
    const key = `${operationId} ${rule}`;
    return { count: this.#rules.get(key) ?? 0, reason: this.#reasons.get(key) };
  }
}

function increment(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** The maximum length of a response that is compared with the examples of the contract, in characters. */
const MAX_COMPARED = 100_000;

/** Statuses with which a server refuses a request before it handles it. */
const REFUSED_STATUSES = [...INVALID_STATUSES, 401, 403];

function toCountedExchange(route: Route, { request, response }: Exchange): CountedExchange {
  const { status, headers, text, body } = response;
  // The check also sends paths and bodies that cannot be parsed.
  const parsed = tryOrUndefined(() => parseRequest(route, request));
  const path = tryOrUndefined(() => route.pathParameters(parsed?.path ?? '')) ?? {};
  return {
    request: { path, query: parsed?.query ?? {}, headers: request.headers ?? {}, body: parsed?.body },
    isRefused: parsed === undefined || REFUSED_STATUSES.includes(status),
    response: {
      status,
      contentType: headers['content-type'],
      example: undefined,
      body,
      length: text.length > MAX_COMPARED ? undefined : JSON.stringify(body)?.length,
    },
  };
}

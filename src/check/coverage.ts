import type { Route } from '../openapi/routes.ts';
import type { RuleName } from './rules.ts';

/**
 * Counts what a check does, for each operation: its requests, its sequences of requests, and how often it checks each
 * rule.
 */
export class Coverage {
  readonly #responses = new Map<string, number>();
  readonly #accepted = new Map<string, number>();
  readonly #sequences = new Map<string, number>();
  readonly #rules = new Map<string, number>();
  readonly #reasons = new Map<string, string>();

  countResponse({ operationId }: Route, status: number): void {
    increment(this.#responses, operationId);
    if (status >= 200 && status < 300) increment(this.#accepted, operationId);
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

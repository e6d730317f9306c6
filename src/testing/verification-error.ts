import type { Verification } from '../control/operation.ts';
import type { RequestExpectation } from './request-filter.ts';

/**
 * Thrown if the recorded requests are not the expected ones.
 * The message contains the number of matching requests, the filter, and the closest requests that do not match.
 */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  /** The response of the control API, with the result of the verification. */
  readonly verdict: Verification;

  constructor(verdict: Verification, { times, atLeast, atMost, withinMs, ...filter }: RequestExpectation) {
    const nearMisses = verdict.nearMisses.map((nearMiss) => `Near miss: ${formatNearMiss(nearMiss)}`);
    super([verdict.message, `Filter: ${JSON.stringify(filter)}`, ...nearMisses].join('\n  '));
    this.verdict = verdict;
  }
}

function formatNearMiss({ request: { id, request, response }, reasons }: Verification['nearMisses'][number]): string {
  const status = response === null ? 'no response' : String(response.status);
  const details = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return `#${id} ${request.method} ${request.path} → ${status}${details}`;
}

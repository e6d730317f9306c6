import type { ControlInput, Verification } from '../control/operation.ts';

/** An expectation of recorded requests: a filter, the expected number of requests, and the maximum time to wait for them. */
export type RequestExpectation = ControlInput<'verifyRequests'>['body'];

/** An error for a failed verification. The message contains the number of matching requests, the filter, and the near misses. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  /** The response of the control API. */
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

import type { ControlInput, Verdict } from '../control/operation.ts';

/** Which requests are meant, how often they are to have come, and how long that may take. */
export type RequestsExpected = ControlInput<'verifyRequests'>['body'];

/** Requests did not come as they were wanted; `message` says how many came, which were meant, and what came closest. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly verdict: Verdict;

  constructor(verdict: Verdict, { times, atLeast, atMost, withinMs, ...meant }: RequestsExpected) {
    super([verdict.message, `such as ${JSON.stringify(meant)}`, ...verdict.nearMisses.map(lineOf)].join('\n  '));
    this.verdict = verdict;
  }
}

function lineOf({ request: { id, request, response }, reasons }: Verdict['nearMisses'][number]): string {
  const answered = response === null ? 'no answer' : String(response.status);
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return `#${id} ${request.method} ${request.path} → ${answered}${why}`;
}

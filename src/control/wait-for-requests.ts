import type { Entry, Journal } from '../sandbox/journal/journal.ts';
import type { Bounds } from '../sandbox/journal/verify-requests.ts';

/** What is waited for, how long, and what ends that before. */
export interface Waiting extends Bounds {
  readonly journal: Pick<Journal, 'follow'>;
  readonly withinMs: number;
  readonly stopping: AbortSignal;
  /** How many there are already. */
  readonly count: number;
  /** Whether one more request is one more of them. */
  readonly isMeant: (entry: Entry) => boolean;
}

/**
 * Resolves as soon as further requests cannot change the verdict: at once if no number of requests is allowed, when the minimum is reached and there is
 * no maximum, or when the maximum is exceeded. Otherwise resolves after `withinMs`.
 */
export function waitForRequests({ journal, withinMs, stopping, least, most, count, isMeant }: Waiting): Promise<void> {
  let seen = count;
  const isSettled = () => least > most || seen > most || (seen >= least && most === Number.POSITIVE_INFINITY);
  if (withinMs === 0 || isSettled() || stopping.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unfollow();
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, withinMs);
    const unfollow = journal.follow({
      onEntry(entry) {
        if (isMeant(entry)) seen++;
        if (isSettled()) end();
      },
      onEnd: end,
    });
    stopping.addEventListener('abort', end);
  });
}

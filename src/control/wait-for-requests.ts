import type { Journal } from '../sandbox/journal/journal.ts';
import type { Entry } from '../sandbox/journal/recorded-request.ts';
import type { Bounds } from '../sandbox/journal/verify-requests.ts';

/** What to wait for, and how long. */
interface Waiting extends Bounds {
  readonly journal: Pick<Journal, 'follow'>;
  readonly withinMs: number;
  readonly stopping: AbortSignal;
  /** The number of requests that match already. */
  readonly count: number;
  /** Returns whether another request matches. */
  readonly isMatch: (entry: Entry) => boolean;
}

/**
 * Resolves as soon as further requests cannot change the result: at once if no number of requests is allowed, when the minimum is reached and there is
 * no maximum, or when the maximum is exceeded. Otherwise resolves after `withinMs`.
 */
export function waitForRequests({ journal, withinMs, stopping, least, most, count, isMatch }: Waiting): Promise<void> {
  let matches = count;
  const isSettled = () => least > most || matches > most || (matches >= least && most === Number.POSITIVE_INFINITY);
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
        if (isMatch(entry)) matches++;
        if (isSettled()) end();
      },
      onEnd: end,
    });
    stopping.addEventListener('abort', end);
  });
}

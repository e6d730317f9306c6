import type { Journal } from '../sandbox/journal/journal.ts';
import type { Entry } from '../sandbox/journal/recorded-request.ts';
import type { Bounds } from '../sandbox/journal/verify-requests.ts';

/** The requests to wait for, and the limits of the wait. */
interface Waiting extends Bounds {
  readonly journal: Pick<Journal, 'follow'>;
  /** The maximum duration of the wait, in ms. */
  readonly withinMs: number;
  /** The signal that ends the wait. */
  readonly stopping: AbortSignal;
  /** The number of recorded requests that match. */
  readonly count: number;
  /** Whether a new request matches. */
  readonly isMatch: (entry: Entry) => boolean;
}

/**
 * Resolves when further requests cannot change the result of a verification: the minimum is reached and there is no maximum, the maximum is exceeded, or the
 * minimum is higher than the maximum. Otherwise resolves after `withinMs`, when the sandbox is removed, or when the server stops.
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

import type { Journal } from '../sandbox/journal/journal.ts';
import type { Entry } from '../sandbox/journal/recorded-request.ts';
import type { Bounds } from '../sandbox/journal/verify-requests.ts';

/** Options of `waitForRequests`. */
interface Waiting extends Bounds {
  readonly journal: Pick<Journal, 'follow'>;
  /** The maximum time to wait, in ms. */
  readonly withinMs: number;
  /** The signal that ends the wait. */
  readonly stopping: AbortSignal;
  /** The number of matching requests that are already recorded. */
  readonly count: number;
  /** Whether a new request matches. */
  readonly isMatch: (entry: Entry) => boolean;
}

/**
 * Waits until further requests cannot change the result of a verification. This is the case if there are more requests than `most`, or if there is no maximum and
 * there are at least `least` requests. It is also the case if `least` is greater than `most`. Waits at most `withinMs`, and not after the sandbox is removed or the
 * server stops.
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

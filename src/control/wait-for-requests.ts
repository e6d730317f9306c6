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
  /** The number of matching requests that are already in the journal. */
  readonly count: number;
  /** Returns whether a new request matches. */
  readonly isMatch: (entry: Entry) => boolean;
}

/**
 * Waits until later requests can't change the result of a verification, but at most `withinMs`. This is the case if more than `most` requests match. If `most`
 * is infinite, it is the case if at least `least` requests match. It is always the case if `least` is greater than `most`. Also stops waiting if the sandbox is
 * removed or the server stops.
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

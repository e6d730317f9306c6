import type { Journal } from '../sandboxes/journal.ts';
import type { Bounds } from '../sandboxes/verdict.ts';
import type { Verdict } from './operation.ts';

/** How long a verdict is waited for, and what could change it. */
export interface Waiting extends Bounds {
  readonly journal: Pick<Journal, 'follow'>;
  readonly withinMs: number;
  readonly stopping: AbortSignal;
}

/**
 * A verdict within some ms: as soon as nothing can change it any more. That is once there are enough, where any number more will do, or too many;
 * else at the end, since one more request could come until then.
 */
export async function verdictWithin(verdict: () => Verdict, { least, most, ...waiting }: Waiting): Promise<Verdict> {
  const isSettled = ({ count }: Verdict) => count > most || (count >= least && most === Number.POSITIVE_INFINITY);
  const first = verdict();
  if (waiting.withinMs === 0 || isSettled(first)) return first;
  await changed(() => isSettled(verdict()), waiting);
  return verdict();
}

/** Waits until something is so, which is looked at with each request, or the time is over, or the server stops. */
function changed(isSo: () => boolean, { journal, withinMs, stopping }: Omit<Waiting, keyof Bounds>): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unfollow();
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, withinMs);
    const unfollow = journal.follow({
      tell() {
        if (isSo()) end();
      },
      end,
    });
    stopping.addEventListener('abort', end);
    if (stopping.aborted) end();
  });
}

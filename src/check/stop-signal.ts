import { CheckError } from './check-error.ts';

/** Stops a check; its message completes "The check stopped early: ". */
export class CheckStoppedError extends Error {
  override readonly name: string = 'Stopped';
}

/** The server accepts connections but no longer responds, which violates the contract. */
export class ServerUnresponsiveError extends CheckStoppedError {
  override readonly name = 'Silent';
}

/** The server is gone; nothing more can be checked. */
export class ServerUnreachableError extends CheckStoppedError {
  override readonly name = 'Gone';
}

/** Returns a signal that stops a check after `maxTime` seconds (0 or undefined: never) or on an interrupt. Its reason is a `CheckStoppedError`. */
export function createStopSignal(maxTime: number | undefined, interrupt: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const stop = (why: string) => controller.abort(new CheckStoppedError(why));
  // Pending requests keep the process running, the timer does not.
  if (maxTime) setTimeout(stop, maxTime * 1_000, `the time limit is reached (--max-time ${maxTime})`).unref();
  const onInterrupt = () => stop('it was interrupted');
  if (interrupt.aborted) onInterrupt();
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  return controller.signal;
}

/** Returns the error of a check that was stopped before its first result. */
export function createNotCheckedError(url: string, { reason }: AbortSignal): CheckError {
  return new CheckError(`${url} was not checked: ${(reason as Error).message}`);
}

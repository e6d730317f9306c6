import { CheckError } from './check-error.ts';

/** The error that stops a check. The message is the end of a sentence that starts with "The check stopped early:". */
export class CheckStoppedError extends Error {
  override readonly name = 'CheckStoppedError';
}

/** Thrown if the server accepts connections, but no longer responds. It is reported as a finding. */
export class ServerUnresponsiveError extends CheckStoppedError {}

/**
 * Thrown if the server no longer accepts connections.
 * It is reported as a finding only if requests got no response when the server stopped.
 */
export class ServerUnreachableError extends CheckStoppedError {}

/**
 * Thrown if an operation cannot be requested now, because it limits the request rate or does not respond in time.
 * The check continues with other operations, and comes back to this one at the end.
 */
export class OperationUnavailableError extends CheckStoppedError {}

/** Thrown if the time limit of the check is reached. */
export class TimeLimitError extends CheckStoppedError {}

/**
 * Creates a signal that stops a check after `maxTime` seconds, or when `interrupt` is aborted.
 * If `maxTime` is 0 or undefined, there is no time limit.
 */
export function createStopSignal(maxTime: number | undefined, interrupt: AbortSignal): AbortSignal {
  const controller = new AbortController();
  // `unref`: the timer must not keep the process running after the check.
  const onTimeLimit = () => controller.abort(new TimeLimitError(`the time limit is reached (--max-time ${maxTime})`));
  if (maxTime) setTimeout(onTimeLimit, maxTime * 1_000).unref();
  const onInterrupt = () => controller.abort(new CheckStoppedError('the check was interrupted'));
  if (interrupt.aborted) onInterrupt();
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  return controller.signal;
}

/** Creates the error for a check that was stopped before it started. */
export function createNotCheckedError(url: string, { reason }: AbortSignal): CheckError {
  return new CheckError(`${url} was not checked: ${(reason as Error).message}`);
}

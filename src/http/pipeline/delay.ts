import { setTimeout as wait } from 'node:timers/promises';
import type { HttpRequest } from './request.ts';

/** Waits for a time in ms, at most until the server stops or the client is gone. Returns whether the client is still there. */
export async function delayResponse(
  { client }: Pick<HttpRequest, 'client'>,
  delayMs: number,
  stopping: AbortSignal,
): Promise<boolean> {
  if (delayMs === 0) return true;
  const ended = new AbortController();
  const end = () => ended.abort();
  client.onClose(end);
  stopping.addEventListener('abort', end);
  if (stopping.aborted) end();
  // An abort ends the wait: that is no error.
  await wait(delayMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
  stopping.removeEventListener('abort', end);
  return !client.isGone;
}

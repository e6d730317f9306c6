import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'koa';

/** Answers nothing. */
export function leave(ctx: Context): void {
  ctx.respond = false;
}

/** Waits so many ms, no longer than the server runs; whether the client is there still. */
export async function held(ctx: Context, delayMs: number, stopping: AbortSignal): Promise<boolean> {
  if (delayMs === 0) return true;
  const { req, res } = ctx;
  const over = new AbortController();
  const end = () => over.abort();
  res.once('close', end);
  stopping.addEventListener('abort', end);
  if (stopping.aborted) end();
  await wait(delayMs, undefined, { signal: over.signal, ref: false }).catch(() => {});
  stopping.removeEventListener('abort', end);
  if (!req.socket.destroyed) return true;
  leave(ctx);
  return false;
}

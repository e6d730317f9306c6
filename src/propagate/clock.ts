/** The entry point `storefront/clock`: the time of the sandbox, for the code of a server-rendered app. */
import { env } from 'node:process';
import { ControlError, sendControlRequest } from '../client/client.ts';
import { type CurrentRequest, getPropagation } from './current-request.ts';
import { readTargets } from './targets.ts';

/** A time of a sandbox's clock. */
interface ClockTime {
  readonly nowMs: number;
  readonly isFrozen: boolean;
  /** When it was read, in ms of the monotonic clock. */
  readonly readMs: number;
}

/** The time that each incoming request has read. It is read once, so that a page shows one time. */
const times = new WeakMap<CurrentRequest, Promise<ClockTime | undefined>>();

/**
 * Returns the time of the clock of the sandbox of the current request.
 * Returns the system time if the request names no sandbox, `storefront/propagate` is not loaded, or the sandbox does
 * not exist yet.
 * Reads the clock once for each incoming request.
 * Rejects with an error if the server cannot be reached.
 */
export async function now(): Promise<Date> {
  const current = getPropagation().storage.getStore();
  const { first } = readTargets(env.STOREFRONT_URL);
  if (!current || first === undefined) return new Date();
  const known = times.get(current) ?? readClock(first, current.sandboxId);
  times.set(current, known);
  const time = await known;
  if (!time) return new Date();
  return new Date(time.isFrozen ? time.nowMs : time.nowMs + performance.now() - time.readMs);
}

async function readClock(url: string, sandboxId: string): Promise<ClockTime | undefined> {
  const server = { url, token: env.STOREFRONT_CONTROL_TOKEN };
  try {
    const path = `sandboxes/${sandboxId}/clock`;
    const { nowMs, frozen } = await sendControlRequest<'getClock'>(server, { method: 'GET', path });
    return { nowMs, isFrozen: frozen, readMs: performance.now() };
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) return undefined;
    throw error;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../contract/routes.ts';
import { isDocumented } from '../mock/undocumented.ts';
import type { Asked } from '../sandboxes/condition.ts';
import type { Forced, Phase } from '../sandboxes/forced.ts';
import type { Remarks } from '../sandboxes/journal.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';
import type { Preferences } from './preferences.ts';

/** What is forced upon a request: by the faults of its sandbox, by its own preferences, and by the server's delay. */
export interface Forcing {
  readonly forced: Forced | undefined;
  /** How long its answer waits before and after the operation is done, in ms. */
  readonly delayMs: Readonly<Record<Phase, number>>;
  /** Whether it is lost before the operation is done. */
  readonly isLost: boolean;
  /** For the journal; undefined where nothing is forced. */
  readonly told: Remarks['forced'] | undefined;
}

/** Most requests meet nothing, and none of them waits for what it takes to find that out. */
const NOTHING: Forcing = { forced: undefined, delayMs: { before: 0, after: 0 }, isLost: false, told: undefined };

/** What a request meets in a sandbox. `waitedMs`: how long the server has had it wait already. */
export function forcingOf(
  { faults }: Pick<Sandbox, 'faults'>,
  asked: () => Asked,
  { route, preferences, waitedMs }: { route: Route; preferences: Preferences; waitedMs: number },
): Forcing {
  if (!faults.isActive && !preferences.isForced && preferences.delayMs + waitedMs === 0) return NOTHING;
  const answering = {
    isChosen: preferences.isForced,
    isDocumented: (answer: Parameters<typeof isDocumented>[1]) => isDocumented(route, answer),
  };
  // One that has chosen what isn't documented is refused.
  const isRefused = preferences.isForced && !isDocumented(route, preferences.wish);
  const forced = isRefused ? undefined : faults.meet(asked(), answering);
  const delayMs = {
    before: preferences.delayMs + (forced?.delayMs.before ?? 0),
    after: forced?.delayMs.after ?? 0,
  };
  return {
    forced,
    delayMs,
    isLost: forced?.connection?.kind === 'reset' && forced.connection.phase === 'before',
    told: toldOf(forced, preferences, waitedMs + delayMs.before + delayMs.after),
  };
}

function toldOf(forced: Forced | undefined, { wish, isForced }: Preferences, delayMs: number): Forcing['told'] {
  if (!forced && !isForced && delayMs === 0) return undefined;
  const { code, example } = forced?.answer ?? wish;
  const waits = forced && (forced.delayMs.after > 0 ? 'after' : forced.delayMs.before > 0 ? 'before' : undefined);
  const phase = (forced?.answer ?? forced?.connection)?.phase ?? waits;
  return {
    ...(forced ? { faults: forced.faults } : {}),
    ...(phase ? { phase } : {}),
    ...(code === undefined ? {} : { code }),
    ...(example === undefined ? {} : { example }),
    ...(delayMs > 0 ? { delayMs } : {}),
    ...(forced?.connection ? { connection: forced.connection.kind } : {}),
    ...(forced?.slowMs === undefined ? {} : { slowMs: forced.slowMs }),
  };
}

/** What becomes of an answer on the wire. */
export type Wire = Pick<Forced, 'connection' | 'slowMs'>;

/** In how many pieces a slow body is sent. */
const PIECES = 20;

/**
 * Sends an answer whose head is settled as it is forced to be, with half of its body, or slowly; whether any of it is sent: one that has no body
 * can't be cut, and doesn't come.
 */
export function sendForced(
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
  text: string,
  { connection, slowMs }: Wire,
): boolean {
  const bytes = Buffer.from(req.method === 'HEAD' ? '' : text);
  if (!connection && bytes.length === 0) res.end();
  else if (!connection) trickle(res, bytes, slowMs ?? 0);
  else if (bytes.length === 0) breakConnection(res);
  else {
    res.flushHeaders();
    res.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => req.socket.destroy());
  }
  return !connection || bytes.length > 0;
}

/** Ends the connection of an answer as if the server had broken down, once the answers before it are out. */
export function breakConnection(res: ServerResponse): void {
  if (res.socket) res.socket.resetAndDestroy();
  else res.once('socket', (socket) => socket.resetAndDestroy());
}

function trickle(res: ServerResponse, bytes: Buffer, slowMs: number): void {
  const pieces = Math.min(PIECES, bytes.length);
  let sent = 0;
  res.flushHeaders();
  const timer = setInterval(() => {
    const from = Math.floor((bytes.length * sent) / pieces);
    sent++;
    const piece = bytes.subarray(from, Math.floor((bytes.length * sent) / pieces));
    if (sent < pieces) res.write(piece);
    else {
      clearInterval(timer);
      res.end(piece);
    }
  }, slowMs / pieces);
  res.once('close', () => clearInterval(timer));
}
